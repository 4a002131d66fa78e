"""A table of entries side by side, such as documents, which may continue on further sheets."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.wrapping import FittedText, fit_text, wrap_text
from carimbo.printing.sheet import CAPTION_HEIGHT, CONTENT, LEFT, draw_caption

_SIZE, _MIN_SIZE = 6.5, 5.5
_LEADING = 1.15
_PADDING = 0.5
_MARGIN = 0.5
_HEADER = 3.6
_HEADER_SIZE, _MIN_HEADER_SIZE = 5.0, 3.5
_CONTINUED = " (CONTINUAÇÃO)"
HALF = CONTENT / 2


class EntryColumn(NamedTuple):
    """A column of each entry; the columns take the whole width of a table, or a half, a third, a quarter."""

    title: str
    width: float
    align: Align = Align.LEFT


class PrintedEntry(NamedTuple):
    """A text for each column, then lines that go over the whole width."""

    cells: tuple[str, ...]
    details: tuple[str, ...] = ()


class _Line(NamedTuple):
    """Entries side by side, measured."""

    entries: tuple[tuple[FittedText, ...], ...]
    height: float


class _Text(NamedTuple):
    """A line over the whole width."""

    text: str
    bold: bool
    height: float


@dataclass(frozen=True, slots=True)
class EntryTable:
    """Rows of entries and texts; each part of a split table has its own caption and titles."""

    caption: str
    columns: tuple[EntryColumn, ...]
    rows: tuple[_Line | _Text, ...]
    size: float
    """The size of its letters."""
    stretched: float = 0
    """The height of the frame, if more than the rows need."""

    @property
    def height(self) -> float:
        return max(self.stretched, CAPTION_HEIGHT + _HEADER + sum(row.height for row in self.rows))

    def split(self, room: float) -> tuple["EntryTable | None", "EntryTable | None"]:
        """Returns the part that fits into a height, and the rest."""
        taken, count = CAPTION_HEIGHT + _HEADER, 0
        for row in self.rows:
            taken += row.height
            if taken > room:
                break
            count += 1
        if count == len(self.rows):
            return self, None
        if count == 0:
            return None, self
        caption = f"{self.caption.removesuffix(_CONTINUED)}{_CONTINUED}"
        return replace(self, rows=self.rows[:count]), replace(self, rows=self.rows[count:], caption=caption)

    def stretch(self, height: float) -> "EntryTable":
        """Returns the same rows in a frame of another height."""
        return replace(self, stretched=height)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws the frame, the titles and the rows."""
        top, bottom = draw_caption(canvas, self.caption, y), y + self.height
        canvas.box(LEFT, top, CONTENT, bottom - top)
        self._draw_titles(canvas, top)
        y = start = top + _HEADER
        for row in self.rows:
            if isinstance(row, _Line):
                self._draw_line(canvas, y, row)
            else:
                canvas.text(LEFT + _MARGIN, y + self.size * POINT, row.text, self.size, bold=row.bold)
                self._draw_columns(canvas, start, y)
                start = y + row.height
            y += row.height
        if self.rows and isinstance(self.rows[-1], _Line):
            self._draw_columns(canvas, start, bottom)

    def _draw_titles(self, canvas: Canvas, top: float) -> None:
        for x, (title, width, _) in self._places():
            size = fit_text(canvas.face(), title, width - 2 * _MARGIN, _HEADER_SIZE, _MIN_HEADER_SIZE).size
            canvas.text(x, top + 2.4, title, size, width=width, align=Align.CENTER)
        self._draw_columns(canvas, top, top + _HEADER)

    def _draw_line(self, canvas: Canvas, y: float, line: _Line) -> None:
        cells = (cell for entry in line.entries for cell in entry)
        for (x, column), cell in zip(self._places(), cells, strict=False):
            width, baseline = column.width - 2 * _MARGIN, y + self.size * POINT
            for text in cell.lines:
                canvas.text(x + _MARGIN, baseline, text, cell.size, width=width, align=column.align)
                baseline += self.size * _LEADING * POINT

    def _draw_columns(self, canvas: Canvas, top: float, bottom: float) -> None:
        """Draws the lines around and between columns; texts over the whole width have none."""
        if bottom > top:
            for level in (top, bottom):
                canvas.rule(LEFT, level, LEFT + CONTENT, level)
            for x, _ in list(self._places())[1:]:
                canvas.rule(x, top, x, bottom)

    def _places(self) -> Iterator[tuple[float, EntryColumn]]:
        """Yields the columns of all entries of a line with their left edges."""
        x = LEFT
        for _ in range(_entries_of_a_line(self.columns)):
            for column in self.columns:
                yield x, column
                x += column.width


class TableRows:
    """Measures the rows of a table as they are added."""

    def __init__(self, canvas: Canvas, columns: Sequence[EntryColumn], size: float = _SIZE) -> None:
        self._canvas = canvas
        self._columns = columns
        self._size = size
        self._rows: list[_Line | _Text] = []

    def add_entries(self, entries: Iterable[PrintedEntry]) -> None:
        """Adds entries side by side; one with details has a row of its own, with the details below."""
        waiting: list[PrintedEntry] = []
        for entry in entries:
            if entry.details:
                self._add_lines(waiting)
                self._add_lines([entry])
                waiting = []
                for text in entry.details:
                    self.add_text(text)
            else:
                waiting.append(entry)
        self._add_lines(waiting)

    def add_text(self, text: str, *, bold: bool = False) -> None:
        """Adds a text over the whole width, with a row for each line."""
        face = self._canvas.face(bold=bold)
        lines = wrap_text(face, text, CONTENT - 2 * _MARGIN, self._size)
        self._rows += [_Text(line, bold, self._height(1)) for line in lines]

    def table(self, caption: str) -> EntryTable:
        """Returns the table of all rows."""
        return EntryTable(caption, tuple(self._columns), tuple(self._rows), self._size)

    def _height(self, lines: int) -> float:
        return lines * self._size * _LEADING * POINT + _PADDING

    def _add_lines(self, entries: Sequence[PrintedEntry]) -> None:
        face, count = self._canvas.face(), _entries_of_a_line(self._columns)
        for start in range(0, len(entries), count):
            line = tuple(
                tuple(
                    fit_text(face, text, column.width - 2 * _MARGIN, self._size, _MIN_SIZE)
                    for text, column in zip(entry.cells, self._columns, strict=True)
                )
                for entry in entries[start : start + count]
            )
            lines = max(len(cell.lines) for cells in line for cell in cells)
            self._rows.append(_Line(line, self._height(lines)))


def entry_table(
    canvas: Canvas,
    caption: str,
    columns: Sequence[EntryColumn],
    entries: Iterable[PrintedEntry],
    size: float = _SIZE,
) -> EntryTable:
    """Returns a table of entries alone."""
    rows = TableRows(canvas, columns, size)
    rows.add_entries(entries)
    return rows.table(caption)


def _entries_of_a_line(columns: Sequence[EntryColumn]) -> int:
    return round(CONTENT / sum(column.width for column in columns))
