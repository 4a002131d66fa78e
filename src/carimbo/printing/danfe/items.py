"""The table of items: measured once, then split over as many sheets as it needs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.printing.danfe.item_cells import CellLine, CellLines, Column, columns_of
from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.typeface import Face
from carimbo.printing.engine.wrapping import fit_text, wrap_text
from carimbo.printing.sheet import CAPTION_HEIGHT, LEFT, draw_caption

_SIZE, _MIN_SIZE = 6.5, 4.5
"""Descriptions have at least 6 points (MOC 7.0, Anexo II, 3.7); a long number shrinks before it is broken."""
_LEADING = _SIZE * 1.2 * POINT
_PADDING = 0.9
_MARGIN = 0.6
_HEADER = 3.6
_HEADER_SIZE, _MIN_HEADER_SIZE = 5.0, 3.5
_KEPT_TOGETHER = 8


class _Cell(NamedTuple):
    entries: CellLines
    size: float


class _Line(NamedTuple):
    """One printed line of an item, over all columns."""

    entries: tuple[tuple[CellLine, float] | None, ...]
    is_last: bool


@dataclass(frozen=True, slots=True)
class ItemTable:
    """Lines of items under their columns; each part of a split table has its own header."""

    columns: tuple[Column, ...]
    lines: tuple[_Line, ...]
    stretched: float = 0
    """The height of the frame, if more than the lines need."""

    @property
    def height(self) -> float:
        return max(self.stretched, CAPTION_HEIGHT + _HEADER + _height(self.lines))

    def split(self, room: float) -> tuple["ItemTable | None", "ItemTable | None"]:
        """Returns the part that fits into a height, and the rest; an item of a few lines stays together."""
        room -= CAPTION_HEIGHT + _HEADER
        count, taken, whole = 0, 0.0, 0
        for line in self.lines:
            taken += _line_height(line)
            if taken > room:
                break
            count += 1
            whole = count if line.is_last else whole
        if count < len(self.lines):
            split_item = self.lines[whole:]
            length = next(number for number, line in enumerate(split_item, 1) if line.is_last)
            count = whole if length <= _KEPT_TOGETHER else count
        first, rest = self.lines[:count], self.lines[count:]
        return (
            ItemTable(self.columns, first) if first else None,
            ItemTable(self.columns, rest) if rest else None,
        )

    def stretch(self, height: float) -> "ItemTable":
        """Returns the same lines in a frame of another height."""
        return ItemTable(self.columns, self.lines, height)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws the frame, the columns and the lines."""
        top = draw_caption(canvas, "DADOS DOS PRODUTOS / SERVIÇOS", y)
        bottom = y + self.height
        self._draw_columns(canvas, top, bottom)
        y = top + _HEADER
        for lines in _by_item(self.lines):
            self._draw_item(canvas, y, lines)
            y += _height(lines)
            if lines[-1].is_last and bottom - y > _PADDING:
                canvas.rule(LEFT, y, LEFT + sum(column.width for column in self.columns), y)

    def _draw_columns(self, canvas: Canvas, top: float, bottom: float) -> None:
        x, bold = LEFT, canvas.face(bold=True)
        canvas.box(x, top, sum(column.width for column in self.columns), bottom - top)
        for column, following in zip(self.columns, (*self.columns[1:], None), strict=True):
            spans = following is not None and not following.title
            width = column.width + (following.width if following and spans else 0)
            if column.title:
                size = fit_text(bold, column.title, width - 2 * _MARGIN, _HEADER_SIZE, _MIN_HEADER_SIZE).size
                canvas.text(x, top + 2.4, column.title, size, width=width, align=Align.CENTER, bold=True)
            if following:
                canvas.rule(x + column.width, top + _HEADER if spans else top, x + column.width, bottom)
            x += column.width
        canvas.rule(LEFT, top + _HEADER, x, top + _HEADER)

    def _draw_item(self, canvas: Canvas, y: float, lines: Sequence[_Line]) -> None:
        """Draws cell by cell, the order in which viewers copy the text and read it out."""
        x, first = LEFT, y + _SIZE * POINT + _PADDING / 3
        for position, column in enumerate(self.columns):
            for number, line in enumerate(lines):
                if placed := line.entries[position]:
                    _draw_entry(canvas, x + _MARGIN, first + number * _LEADING, column, *placed)
            x += column.width


def _draw_entry(
    canvas: Canvas, x: float, baseline: float, column: Column, entry: CellLine, size: float
) -> None:
    if entry.left:
        canvas.text(x, baseline, entry.left, size)
    if entry.right:
        inner = column.width - 2 * _MARGIN
        canvas.text(x, baseline, entry.right, size, width=inner, align=Align.RIGHT)


def _by_item(lines: Sequence[_Line]) -> Iterator[Sequence[_Line]]:
    start = 0
    for position, line in enumerate(lines, 1):
        if line.is_last or position == len(lines):
            yield lines[start:position]
            start = position


def item_table(canvas: Canvas, invoice: Invoice, *, is_reform: bool) -> ItemTable:
    """Measures the lines of every item."""
    columns, face = columns_of(invoice, is_reform=is_reform), canvas.face()
    lines: list[_Line] = []
    for item in invoice.items:
        cells = [_cell(face, column, column.entries(item)) for column in columns]
        lines += _lines(cells)
    return ItemTable(columns, tuple(lines))


def _lines(cells: Sequence[_Cell]) -> Iterator[_Line]:
    count = max(len(cell.entries) for cell in cells)
    for number in range(count):
        placed = tuple(
            (cell.entries[number], cell.size) if number < len(cell.entries) else None for cell in cells
        )
        yield _Line(placed, number == count - 1)


def _cell(face: Face, column: Column, entries: CellLines) -> _Cell:
    """Fits entries into a column: words on several lines, a number in a smaller size, a pair on two lines."""
    inner = column.width - 2 * _MARGIN
    if column.wraps:
        texts = (line for entry in entries for line in wrap_text(face, entry.left, inner, _SIZE))
        return _Cell(tuple(map(CellLine, texts)), _SIZE)
    needed = max((_needed(face, entry) for entry in entries), default=0)
    if needed * _SIZE <= inner:
        return _Cell(entries, _SIZE)
    size = max(_MIN_SIZE, inner / needed - 0.05)
    return _Cell(tuple(line for entry in entries for line in _broken(face, entry, inner, size)), size)


def _needed(face: Face, entry: CellLine) -> float:
    """Returns the width of an entry per point of its size."""
    gap = " " if entry.left and entry.right else ""
    return face.width(face.legible(entry.left + gap + entry.right)) * POINT


def _broken(face: Face, entry: CellLine, width: float, size: float) -> Iterator[CellLine]:
    if _needed(face, entry) * size <= width:
        yield entry
        return
    if entry.left:
        yield from (CellLine(line) for line in wrap_text(face, entry.left, width, size))
    if entry.right:
        yield from (CellLine("", line) for line in wrap_text(face, entry.right, width, size))


def _height(lines: Sequence[_Line]) -> float:
    return sum(map(_line_height, lines))


def _line_height(line: _Line) -> float:
    return _LEADING + (_PADDING if line.is_last else 0)
