"""The grid of a DANFSe: four columns without lines, and a line above each block (NT 008, Anexo I)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.printing.engine.canvas import POINT, Align, Canvas
from carimbo.printing.engine.wrapping import FittedText, fit_text
from carimbo.printing.sheet import HEIGHT, WIDTH

EDGE = 2.0
"""Distance of the frame from the edge of the paper; NT 008, 2.2.2 allows no more."""
LEFT, TOP, BOTTOM = 3.0, 3.0, HEIGHT - 3.0
CONTENT = WIDTH - 2 * LEFT
COLUMNS = 4
COLUMN = CONTENT / COLUMNS
MARGIN = 0.8
TITLE_SIZE, LABEL_SIZE = 7.0, 6.0
SIZE, MIN_SIZE = 8.0, 7.0
"""Size of values if they fit, and the smallest allowed size (NT 008, 2.4)."""
LEADING = 1.2
_SHADE = 0.95
_MIN_LABEL_SIZE = 4.0
_ROW, _STRIP = 6.7, 4.2
_LABEL_BASELINE = 2.5
_FIRST_BASELINE = 5.6
_TAIL = 0.35


class Cell(NamedTuple):
    """A value under its label."""

    label: str
    value: str
    columns: int = 1
    """Its width in columns."""
    label_size: float = LABEL_SIZE
    is_shaded: bool = False

    @property
    def width(self) -> float:
        """Its width in millimetres."""
        return self.columns * COLUMN


class GridRow(NamedTuple):
    """Cells side by side, measured."""

    cells: tuple[Cell, ...]
    values: tuple[FittedText, ...]
    height: float

    def draw(self, canvas: Canvas, x: float, y: float) -> None:
        """Draws the cells from x to the right."""
        for cell, value in zip(self.cells, self.values, strict=True):
            if cell.is_shaded:
                shade(canvas, x, y, cell.width, self.height)
            if cell.label:
                face, width = canvas.face(bold=True), cell.width - 2 * MARGIN
                size = fit_text(face, cell.label, width, cell.label_size, _MIN_LABEL_SIZE).size
                canvas.text(x + MARGIN, y + _LABEL_BASELINE, cell.label, size, bold=True)
            draw_lines(canvas, value, x, y + _first_baseline(cell))
            x += cell.width


@dataclass(frozen=True, slots=True)
class GridBlock:
    """Rows with a title, which takes the first column of the first row."""

    title: str
    rows: tuple[GridRow, ...]

    @property
    def height(self) -> float:
        return sum(row.height for row in self.rows)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""
        divide(canvas, y)
        first, *others = self.rows
        shade(canvas, LEFT, y, COLUMN, first.height)
        draw_title(canvas, self.title, y + first.height / 2 + 0.9, COLUMN)
        first.draw(canvas, LEFT + COLUMN, y)
        y += first.height
        for row in others:
            row.draw(canvas, LEFT, y)
            y += row.height


@dataclass(frozen=True, slots=True)
class SentenceBlock:
    """A sentence printed instead of a block (NT 008, 2.3)."""

    sentence: str

    @property
    def height(self) -> float:
        return _STRIP

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""
        divide(canvas, y)
        draw_title(canvas, self.sentence, y + _STRIP / 2 + 0.9, CONTENT, Align.CENTER)


def grid_row(canvas: Canvas, *cells: Cell) -> GridRow:
    """Measures cells side by side; the longest value decides the height of the row."""
    values = tuple(
        fit_text(canvas.face(), cell.value, cell.width - 2 * MARGIN, SIZE, MIN_SIZE) for cell in cells
    )
    return GridRow(cells, values, max(map(_height, cells, values)))


def grid_block(canvas: Canvas, title: str, *rows: Sequence[Cell]) -> GridBlock:
    """Measures the rows of a block."""
    return GridBlock(title, tuple(grid_row(canvas, *cells) for cells in rows))


def divide(canvas: Canvas, y: float) -> None:
    """Draws the line above a block."""
    canvas.rule(EDGE, y, WIDTH - EDGE, y)


def shade(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """Fills a rectangle with 5 % gray; at the sides it extends to the frame."""
    left, right = (EDGE if x == LEFT else x), x + width
    right = WIDTH - EDGE if right == LEFT + CONTENT else right
    canvas.shade(left, y, right - left, height, _SHADE)


def draw_title(canvas: Canvas, title: str, baseline: float, width: float, align: Align = Align.LEFT) -> None:
    """Writes a title into a width that begins at the left edge."""
    width -= 2 * MARGIN
    size = fit_text(canvas.face(bold=True), title, width, TITLE_SIZE, _MIN_LABEL_SIZE).size
    canvas.text(LEFT + MARGIN, baseline, title, size, width=width, align=align, bold=True)


def draw_lines(canvas: Canvas, text: FittedText, x: float, baseline: float) -> None:
    """Writes lines one below the other."""
    for number, line in enumerate(text.lines):
        canvas.text(x + MARGIN, baseline + number * text.size * LEADING * POINT, line, text.size)


def _first_baseline(cell: Cell) -> float:
    return _FIRST_BASELINE if cell.label else _FIRST_BASELINE - _LABEL_BASELINE


def _height(cell: Cell, value: FittedText) -> float:
    below = ((len(value.lines) - 1) * LEADING + _TAIL) * value.size * POINT
    return max(_ROW if cell.label else _STRIP, _first_baseline(cell) + below)
