"""The form of a DANFSe: four columns without lines in them, and a line above each block (NT 008, Anexo I)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.printing.canvas import POINT, Align, Canvas
from carimbo.printing.sheet import HEIGHT, WIDTH
from carimbo.printing.wrapping import Fitted, fitted

EDGE = 2.0
"""Where the frame of a sheet stands (NT 008, 2.2.2: at most that far from the edge of the paper)."""
LEFT, TOP, BOTTOM = 3.0, 3.0, HEIGHT - 3.0
CONTENT = WIDTH - 2 * LEFT
COLUMNS = 4
COLUMN = CONTENT / COLUMNS
MARGIN = 0.8
TITLE_SIZE, LABEL_SIZE = 7.0, 6.0
SIZE, LEAST_SIZE = 8.0, 7.0
"""Of values: what they have where there is room, and the least that they may have (NT 008, 2.4)."""
LEADING = 1.2
_SHADE = 0.95
_SMALLEST = 4.0
_ROW, _STRIP = 6.7, 4.2
_LABEL_BASELINE = 2.5
_FIRST_BASELINE = 5.6
_TAIL = 0.35


class Cell(NamedTuple):
    """A value under its label."""

    label: str
    value: str
    columns: int = 1
    """How many of the four it is wide."""
    label_size: float = LABEL_SIZE
    is_shaded: bool = False

    @property
    def width(self) -> float:
        """In millimetres."""
        return self.columns * COLUMN


class Row(NamedTuple):
    """Cells side by side, measured."""

    cells: tuple[Cell, ...]
    values: tuple[Fitted, ...]
    height: float

    def draw(self, canvas: Canvas, x: float, y: float) -> None:
        """Draw the cells from x on."""
        for cell, value in zip(self.cells, self.values, strict=True):
            if cell.is_shaded:
                shade(canvas, x, y, cell.width, self.height)
            if cell.label:
                _draw_label(canvas, cell, x, y)
            draw_lines(canvas, value, x, y + _first_baseline(cell))
            x += cell.width


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under a title, which has the first column of the first row."""

    title: str
    rows: tuple[Row, ...]

    @property
    def height(self) -> float:
        return sum(row.height for row in self.rows)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draw it with its upper edge at y."""
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
class Strip:
    """A sentence that stands in the place of a block (NT 008, 2.3)."""

    sentence: str

    @property
    def height(self) -> float:
        return _STRIP

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draw it with its upper edge at y."""
        divide(canvas, y)
        draw_title(canvas, self.sentence, y + _STRIP / 2 + 0.9, CONTENT, Align.CENTER)


def row(canvas: Canvas, *cells: Cell) -> Row:
    """Measure cells side by side; the fullest makes the row as high as it needs."""
    values = tuple(
        fitted(canvas.face(), cell.value, cell.width - 2 * MARGIN, SIZE, LEAST_SIZE) for cell in cells
    )
    return Row(cells, values, max(map(_height, cells, values)))


def block(canvas: Canvas, title: str, *rows: Sequence[Cell]) -> Block:
    """Measure the rows of a block."""
    return Block(title, tuple(row(canvas, *cells) for cells in rows))


def divide(canvas: Canvas, y: float) -> None:
    """Draw the line above a block."""
    canvas.rule(EDGE, y, WIDTH - EDGE, y)


def shade(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """Lay gray of 5 % under what has it; at the sides it reaches the frame."""
    left, right = (EDGE if x == LEFT else x), x + width
    right = WIDTH - EDGE if right == LEFT + CONTENT else right
    canvas.shade(left, y, right - left, height, _SHADE)


def draw_title(canvas: Canvas, title: str, baseline: float, width: float, align: Align = Align.LEFT) -> None:
    """Write a title into a width that begins at the left edge."""
    width -= 2 * MARGIN
    size = fitted(canvas.face(bold=True), title, width, TITLE_SIZE, _SMALLEST).size
    canvas.text(LEFT + MARGIN, baseline, title, size, width=width, align=align, bold=True)


def draw_lines(canvas: Canvas, text: Fitted, x: float, baseline: float) -> None:
    """Write lines one below the other."""
    for number, line in enumerate(text.lines):
        canvas.text(x + MARGIN, baseline + number * text.size * LEADING * POINT, line, text.size)


def _draw_label(canvas: Canvas, cell: Cell, x: float, y: float) -> None:
    face, width = canvas.face(bold=True), cell.width - 2 * MARGIN
    size = fitted(face, cell.label, width, cell.label_size, _SMALLEST).size
    canvas.text(x + MARGIN, y + _LABEL_BASELINE, cell.label, size, bold=True)


def _first_baseline(cell: Cell) -> float:
    return _FIRST_BASELINE if cell.label else _FIRST_BASELINE - _LABEL_BASELINE


def _height(cell: Cell, value: Fitted) -> float:
    below = ((len(value.lines) - 1) * LEADING + _TAIL) * value.size * POINT
    return max(_ROW if cell.label else _STRIP, _first_baseline(cell) + below)
