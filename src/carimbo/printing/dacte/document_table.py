"""A table of documents in two columns, which may continue on further sheets."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.wrapping import FittedText, fit_text, wrap_text
from carimbo.printing.sheet import CAPTION_HEIGHT, CONTENT, LEFT, draw_caption

_SIZE, _MIN_SIZE = 6.5, 5.5
_LEADING = _SIZE * 1.15 * POINT
_PADDING = 0.5
_MARGIN = 0.5
_HEADER = 3.6
_HEADER_SIZE, _MIN_HEADER_SIZE = 5.0, 3.5
_CONTINUED = " (CONTINUAÇÃO)"
HALF = CONTENT / 2


class DocumentColumn(NamedTuple):
    """A column of each half of the table."""

    title: str
    width: float


class DocumentEntry(NamedTuple):
    """A document: the text of each column, then lines that go over the whole width."""

    cells: tuple[str, ...]
    details: tuple[str, ...] = ()


class _Pair(NamedTuple):
    """Documents side by side, measured."""

    entries: tuple[tuple[FittedText, ...], ...]

    @property
    def height(self) -> float:
        lines = max(len(cell.lines) for cells in self.entries for cell in cells)
        return lines * _LEADING + _PADDING


class _Text(NamedTuple):
    """A line over the whole width."""

    text: str
    bold: bool

    @property
    def height(self) -> float:
        return _LEADING + _PADDING


@dataclass(frozen=True, slots=True)
class DocumentTable:
    """Rows of documents and texts; each part of a split table has its own caption and titles."""

    caption: str
    columns: tuple[DocumentColumn, ...]
    rows: tuple[_Pair | _Text, ...]
    stretched: float = 0
    """The height of the frame, if more than the rows need."""

    @property
    def height(self) -> float:
        return max(self.stretched, CAPTION_HEIGHT + _HEADER + sum(row.height for row in self.rows))

    def split(self, room: float) -> tuple["DocumentTable | None", "DocumentTable | None"]:
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

    def stretch(self, height: float) -> "DocumentTable":
        """Returns the same rows in a frame of another height."""
        return replace(self, stretched=height)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws the frame, the titles and the rows."""
        top, bottom = draw_caption(canvas, self.caption, y), y + self.height
        canvas.box(LEFT, top, CONTENT, bottom - top)
        self._draw_titles(canvas, top)
        y = start = top + _HEADER
        for row in self.rows:
            if isinstance(row, _Pair):
                self._draw_pair(canvas, y, row)
            else:
                canvas.text(LEFT + _MARGIN, y + _SIZE * POINT, row.text, _SIZE, bold=row.bold)
                self._draw_columns(canvas, start, y)
                start = y + row.height
            y += row.height
        if self.rows and isinstance(self.rows[-1], _Pair):
            self._draw_columns(canvas, start, bottom)

    def _draw_titles(self, canvas: Canvas, top: float) -> None:
        for x, (title, width) in self._places():
            size = fit_text(canvas.face(), title, width - 2 * _MARGIN, _HEADER_SIZE, _MIN_HEADER_SIZE).size
            canvas.text(x, top + 2.4, title, size, width=width, align=Align.CENTER)
        self._draw_columns(canvas, top, top + _HEADER)

    def _draw_pair(self, canvas: Canvas, y: float, pair: _Pair) -> None:
        cells = (cell for entry in pair.entries for cell in entry)
        for (x, _), cell in zip(self._places(), cells, strict=False):
            for number, line in enumerate(cell.lines):
                canvas.text(x + _MARGIN, y + _SIZE * POINT + number * _LEADING, line, cell.size)

    def _draw_columns(self, canvas: Canvas, top: float, bottom: float) -> None:
        """Draws the lines around and between columns; texts over the whole width have none."""
        if bottom > top:
            for level in (top, bottom):
                canvas.rule(LEFT, level, LEFT + CONTENT, level)
            for x, _ in list(self._places())[1:]:
                canvas.rule(x, top, x, bottom)

    def _places(self) -> Iterator[tuple[float, DocumentColumn]]:
        """Yields the columns of both halves with their left edges."""
        for start in (LEFT, LEFT + HALF):
            x = start
            for column in self.columns:
                yield x, column
                x += column.width


class TableRows:
    """Measures the rows of a table as they are added."""

    def __init__(self, canvas: Canvas, columns: Sequence[DocumentColumn]) -> None:
        self._canvas = canvas
        self._columns = columns
        self._rows: list[_Pair | _Text] = []

    def add_entries(self, entries: Iterable[DocumentEntry]) -> None:
        """Adds documents two by two; one with details has a row of its own, with the details below."""
        waiting: list[DocumentEntry] = []
        for entry in entries:
            if entry.details:
                self._add_pairs(waiting)
                self._add_pairs([entry])
                waiting = []
                for text in entry.details:
                    self.add_text(text)
            else:
                waiting.append(entry)
        self._add_pairs(waiting)

    def add_text(self, text: str, *, bold: bool = False) -> None:
        """Adds a text over the whole width, with a row for each line."""
        face = self._canvas.face(bold=bold)
        lines = wrap_text(face, text, CONTENT - 2 * _MARGIN, _SIZE)
        self._rows += [_Text(line, bold) for line in lines]

    def table(self, caption: str) -> DocumentTable:
        """Returns the table of all rows."""
        return DocumentTable(caption, tuple(self._columns), tuple(self._rows))

    def _add_pairs(self, entries: Sequence[DocumentEntry]) -> None:
        face = self._canvas.face()
        for start in range(0, len(entries), 2):
            cells = (
                tuple(
                    fit_text(face, text, column.width - 2 * _MARGIN, _SIZE, _MIN_SIZE)
                    for text, column in zip(entry.cells, self._columns, strict=True)
                )
                for entry in entries[start : start + 2]
            )
            self._rows.append(_Pair(tuple(cells)))
