"""A4 sheets: form fields in rows, blocks of rows, and the layout of blocks over several sheets."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, Self

from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.wrapping import FittedText, fit_text

TITLE_SIZE = 5.0
"""The smallest size that titles may have (MOC 7.0, Anexo II, 3.7)."""
_MIN_TITLE_SIZE = 3.5
_SIZE, _MIN_SIZE = 9.0, 6.5
_LEADING = 1.15
_MARGIN = 0.8
_TITLE_BASELINE = 2.1
_FIRST_BASELINE = 5.7
_ROW = 6.9
_UNTITLED_ROW = 4.0
WIDTH, HEIGHT = 210.0, 297.0
LEFT, TOP, BOTTOM = 5.0, 5.0, 292.0
CONTENT = WIDTH - 2 * LEFT
CAPTION_HEIGHT = 3.4
_CAPTION_SIZE, _MIN_CAPTION_SIZE = 6.0, 3.5
_CAPTION_BASELINE = 2.7


class PrintedField(NamedTuple):
    """A box with a small title and a value."""

    title: str
    value: str
    width: float
    align: Align = Align.LEFT
    bold: bool = False


class Row(NamedTuple):
    """Fields side by side, measured."""

    fields: tuple[PrintedField, ...]
    values: tuple[FittedText, ...]
    height: float

    def draw(self, canvas: Canvas, x: float, y: float) -> float:
        """Draws the fields and returns the y at which the row ends."""
        for box, value in zip(self.fields, self.values, strict=True):
            inner = box.width - 2 * _MARGIN
            canvas.box(x, y, box.width, self.height)
            if box.title:
                size = fit_text(canvas.face(), box.title, inner, TITLE_SIZE, _MIN_TITLE_SIZE).size
                canvas.text(x + _MARGIN, y + _TITLE_BASELINE, box.title, size)

            baseline = y + _first_baseline(box, value)
            for line in value.lines:
                canvas.text(
                    x + _MARGIN, baseline, line, value.size, width=inner, align=box.align, bold=box.bold
                )
                baseline += value.size * _LEADING * POINT
            x += box.width
        return y + self.height


def row(canvas: Canvas, *fields: PrintedField, size: float = _SIZE, least: float = _MIN_SIZE) -> Row:
    """Measures fields side by side; the longest value decides the height of the row.

    A long value gets a smaller size, down to the least one, and then several lines.
    """
    values = tuple(
        fit_text(canvas.face(bold=box.bold), box.value, box.width - 2 * _MARGIN, size, min(size, least))
        for box in fields
    )
    return Row(fields, values, max(map(_height, fields, values)))


def rows_height(rows: Sequence[Row]) -> float:
    """Returns the total height of rows."""
    return sum(row.height for row in rows)


def draw_rows(canvas: Canvas, rows: Sequence[Row], x: float, y: float) -> float:
    """Draws rows one below the other and returns the y at which they end."""
    for row in rows:
        y = row.draw(canvas, x, y)
    return y


def _first_baseline(field: PrintedField, value: FittedText) -> float:
    if not field.title:
        return 0.4 + value.size * POINT
    several = len(value.lines) > 1
    return _TITLE_BASELINE + 0.5 + value.size * 0.8 * POINT if several else _FIRST_BASELINE


def _height(field: PrintedField, value: FittedText) -> float:
    below = (len(value.lines) - 1) * value.size * _LEADING + value.size * 0.3
    needed = _first_baseline(field, value) + below * POINT
    return max(_ROW if field.title else _UNTITLED_ROW, needed)


class Piece(Protocol):
    """Something drawn over the whole width of a sheet."""

    @property
    def height(self) -> float:
        """Its height in millimetres."""

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""


class LongPiece(Piece, Protocol):
    """A piece that may be split between sheets."""

    def split(self, room: float) -> tuple[Self | None, Self | None]:
        """Returns the part that fits into a height, and the rest; None where there is nothing."""

    def stretch(self, height: float) -> Self:
        """Returns the same content in a frame of another height."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of fields under a caption."""

    caption: str
    rows: tuple[Row, ...]

    @property
    def height(self) -> float:
        return (CAPTION_HEIGHT if self.caption else 0) + rows_height(self.rows)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""
        if self.caption:
            y = draw_caption(canvas, self.caption, y)
        draw_rows(canvas, self.rows, LEFT, y)


def draw_caption(canvas: Canvas, caption: str, y: float) -> float:
    """Writes the caption above a block and returns the y at which the block begins."""
    size = fit_text(canvas.face(bold=True), caption, CONTENT, _CAPTION_SIZE, _MIN_CAPTION_SIZE).size
    canvas.text(LEFT, y + _CAPTION_BASELINE, caption, size, bold=True)
    return y + CAPTION_HEIGHT


@dataclass
class SheetLayout:
    """Places pieces on sheets from top to bottom, below the header that every sheet has."""

    first_top: float
    next_top: float
    first_bottom: float
    next_bottom: float
    sheets: list[list[tuple[float, Piece]]] = field(default_factory=lambda: [[]])
    y: float = 0

    def __post_init__(self) -> None:
        self.y = self.first_top

    @property
    def is_first(self) -> bool:
        """Whether the current sheet is the first."""
        return len(self.sheets) == 1

    @property
    def room(self) -> float:
        """The free height of the last sheet."""
        return (self.first_bottom if self.is_first else self.next_bottom) - self.y

    def begin_sheet(self) -> None:
        """Begins another sheet."""
        self.sheets.append([])
        self.y = self.next_top

    def place(self, piece: Piece) -> None:
        """Places a piece below the previous one, or at the top of another sheet."""
        if piece.height > self.room and self.sheets[-1]:
            self.begin_sheet()
        self.sheets[-1].append((self.y, piece))
        self.y += piece.height

    def fill(self, piece: LongPiece, least: float, *, to_foot: bool = True) -> None:
        """Fills sheet after sheet, from at least this room; on the first the frame may reach to the foot."""
        rest: LongPiece | None = piece
        while rest:
            part, rest = rest.split(self.room) if self.room >= least else (None, rest)
            if part is None:
                self.begin_sheet()
                continue
            self.place(part.stretch(self.room) if rest or (self.is_first and to_foot) else part)

    def place_foot(self, pieces: Sequence[Piece]) -> None:
        """Places pieces at the foot of the first sheet, below its room for all others."""
        y = self.first_bottom
        for piece in pieces:
            self.sheets[0].append((y, piece))
            y += piece.height
