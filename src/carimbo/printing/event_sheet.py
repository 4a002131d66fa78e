"""The page of an event, for every document type: document, event, then texts and tables of any length."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.fiscal.layouts.nfe_v4.parties import InvoiceAddress
from carimbo.printing import formats
from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.images import Bitmap, PlainPng
from carimbo.printing.engine.wrapping import fit_text, wrap_text
from carimbo.printing.formats import DomesticAddress, street_of
from carimbo.printing.sheet import (
    BOTTOM,
    CAPTION_HEIGHT,
    CONTENT,
    HEIGHT,
    LEFT,
    TITLE_SIZE,
    TOP,
    WIDTH,
    Block,
    PrintedField,
    Row,
    draw_caption,
    row,
)

_BAND = 26.0
_LOGO = 50.0
_MARGIN = 2.0
_CODE_MARGIN = 4.0
_BETWEEN = 2.0
_LEADING = 1.25
_TABLE_SIZE = 9.0


class SizedBitmap(NamedTuple):
    """A barcode or QR code and the size at which it is drawn."""

    bitmap: Bitmap
    width: float
    height: float


class EventText(NamedTuple):
    """A text that takes as many lines and sheets as it needs."""

    caption: str
    content: str
    size: float


class EventTable(NamedTuple):
    """A table that takes as many sheets as it needs; no row is divided."""

    caption: str
    columns: Mapping[str, float]
    """Titles and widths."""
    rows: Sequence[Sequence[str]]


EventPart = EventText | EventTable
_FIELDS = {"CAMPO": 60.0, "CONTEÚDO": CONTENT - 60}


def field_table(caption: str, *fields: tuple[str, str]) -> EventTable:
    """Returns a table of names and values; empty values are left out."""
    return EventTable(caption, _FIELDS, [field for field in fields if field[1]])


def issuer_block(
    canvas: Canvas,
    named: Row,
    place: InvoiceAddress | DomesticAddress,
    city: str,
    phone: str | None,
) -> Block:
    """Returns the block of the issuer: the given row of names, then its address."""
    rows = (
        named,
        row(
            canvas,
            PrintedField("ENDEREÇO", street_of(place), CONTENT - 87),
            PrintedField("BAIRRO / DISTRITO", place.district, 63),
            PrintedField("CEP", formats.zipcode(place.zipcode), 24),
        ),
        row(
            canvas,
            PrintedField("MUNICÍPIO", city, CONTENT - 52),
            PrintedField("UF", place.state, 10),
            PrintedField("FONE", formats.phone(phone), 42),
        ),
    )
    return Block("EMITENTE", rows)


@dataclass(frozen=True, slots=True)
class EventSheet:
    """The content of the page; its blocks were measured with the same canvas."""

    canvas: Canvas
    title: str
    about: str
    """The address where anyone can check the event."""
    is_test: bool
    """Whether it has no fiscal value."""
    access_key: str
    code: SizedBitmap
    document: Sequence[Block]
    event: Block
    parts: Sequence[EventPart]

    def drawn(self, logo: bytes | None) -> bytes:
        """Draws the page on A4 and returns the PDF file."""
        y = self._draw_band(logo, self._begin_sheet())
        y = self._draw_blocks(self.document, y)
        y = self._draw_key(y)
        y = self._draw_blocks((self.event,), y)
        for part in self.parts:
            y = self._draw_text(part, y) if isinstance(part, EventText) else self._draw_table(part, y)
        return self.canvas.finished()

    def _begin_sheet(self) -> float:
        """Begins a sheet and returns the y at which its content begins."""
        self.canvas.add_page(WIDTH, HEIGHT)
        if self.is_test:
            self.canvas.mark(WIDTH / 2, HEIGHT * 0.65, "SEM VALOR FISCAL", 58, 35)
        return TOP

    def _draw_band(self, logo: bytes | None, y: float) -> float:
        canvas = self.canvas
        canvas.box(LEFT, y, CONTENT, _BAND)
        x, width = LEFT + _MARGIN, CONTENT - 2 * _MARGIN
        if logo is not None:
            canvas.image(PlainPng.read(logo), x, y + _MARGIN, _LOGO, _BAND - 2 * _MARGIN)
            x, width = x + _LOGO + _MARGIN, width - _LOGO - _MARGIN
        size = fit_text(canvas.face(bold=True), self.title, width, 16, 8).size
        canvas.text(x, y + 9, self.title, size, width=width, align=Align.CENTER, bold=True)
        for number, line in enumerate(wrap_text(canvas.face(), self.about, width, 8)):
            canvas.text(x, y + 15 + number * 3.6, line, 8, width=width, align=Align.CENTER)
        return y + _BAND + _BETWEEN

    def _draw_blocks(self, blocks: Sequence[Block], y: float) -> float:
        for block in blocks:
            block.draw(self.canvas, y)
            y += block.height + _BETWEEN
        return y

    def _draw_key(self, y: float) -> float:
        """Draws the access key, as a code and as text, directly below the last block."""
        canvas, code = self.canvas, self.code
        y, height = y - _BETWEEN, code.height + _CODE_MARGIN
        canvas.box(LEFT, y, CONTENT, height)
        canvas.bitmap(code.bitmap, LEFT + _CODE_MARGIN, y + _CODE_MARGIN / 2, code.width, code.height)
        x, width = LEFT + code.width + 2 * _CODE_MARGIN, CONTENT - code.width - 2 * _CODE_MARGIN
        canvas.rule(x, y, x, y + height)
        canvas.text(x + 0.8, y + 2.1, "CHAVE DE ACESSO", TITLE_SIZE)
        key = formats.key(self.access_key)
        canvas.text(x, y + height / 2 + 2, key, 10.5, width=width, align=Align.CENTER, bold=True)
        return y + height + _BETWEEN

    def _draw_text(self, text: EventText, y: float) -> float:
        lines = wrap_text(self.canvas.face(), text.content, CONTENT - 2 * _MARGIN, text.size)
        caption, step = text.caption, text.size * _LEADING * POINT
        while lines:
            fitting = int((BOTTOM - y - CAPTION_HEIGHT - 2 * _MARGIN) / step)
            if fitting > 0:
                y = self._draw_frame(lines[:fitting], text.size, draw_caption(self.canvas, caption, y))
                lines = lines[fitting:]
                caption = self._continued(text.caption)
            if lines:
                y = self._begin_sheet()
        return y

    def _draw_table(self, table: EventTable, y: float) -> float:
        titles, widths = table.columns.keys(), table.columns.values()
        head = self._measured(titles, widths, bold=True)
        rows = [self._measured(texts, widths) for texts in table.rows]
        if rows and y + CAPTION_HEIGHT + head.height + rows[0].height > BOTTOM:
            y = self._begin_sheet()
        y = head.draw(self.canvas, LEFT, draw_caption(self.canvas, table.caption, y))
        for fields in rows:
            if y + fields.height > BOTTOM:
                top = draw_caption(self.canvas, self._continued(table.caption), self._begin_sheet())
                y = head.draw(self.canvas, LEFT, top)
            y = fields.draw(self.canvas, LEFT, y)
        return y + _BETWEEN

    def _measured(self, texts: Iterable[str], widths: Iterable[float], *, bold: bool = False) -> Row:
        fields = (PrintedField("", text, width, bold=bold) for text, width in zip(texts, widths, strict=True))
        return row(self.canvas, *fields, size=_TABLE_SIZE, least=_TABLE_SIZE)

    def _continued(self, caption: str) -> str:
        return f"{caption} (CONTINUAÇÃO) - {formats.key(self.access_key)}"

    def _draw_frame(self, lines: tuple[str, ...], size: float, top: float) -> float:
        step = size * _LEADING * POINT
        height = 2 * _MARGIN + len(lines) * step
        self.canvas.box(LEFT, top, CONTENT, height)
        for number, line in enumerate(lines, 1):
            baseline = top + _MARGIN + number * step - size * 0.3 * POINT
            self.canvas.text(LEFT + _MARGIN, baseline, line, size)
        return top + height + _BETWEEN
