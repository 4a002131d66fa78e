"""Boxes of a form: a small title and a value, side by side in rows that grow with what they hold."""

from collections.abc import Sequence
from typing import NamedTuple

from carimbo.printing.canvas import POINT, Align, Canvas
from carimbo.printing.wrapping import Fitted, fitted

TITLE_SIZE = 5.0
"""The least that titles may have (MOC 7.0, Anexo II, 3.7)."""
_LEAST_TITLE = 3.5
_SIZE, _LEAST = 9.0, 6.5
_LEADING = 1.15
_MARGIN = 0.8
_TITLE_BASELINE = 2.1
_FIRST_BASELINE = 5.7
_ROW = 6.9
_UNTITLED_ROW = 4.0


class Field(NamedTuple):
    """A box with a title."""

    title: str
    value: str
    width: float
    align: Align = Align.LEFT
    bold: bool = False


class Row(NamedTuple):
    """Boxes side by side, measured."""

    fields: tuple[Field, ...]
    values: tuple[Fitted, ...]
    height: float

    def draw(self, canvas: Canvas, x: float, y: float) -> float:
        """Draw the boxes, and tell where the row ends."""
        for field, value in zip(self.fields, self.values, strict=True):
            canvas.box(x, y, field.width, self.height)
            if field.title:
                size = fitted(
                    canvas.face(), field.title, field.width - 2 * _MARGIN, TITLE_SIZE, _LEAST_TITLE
                ).size
                canvas.text(x + _MARGIN, y + _TITLE_BASELINE, field.title, size)
            self._draw_value(canvas, field, value, x, y)
            x += field.width
        return y + self.height

    def _draw_value(self, canvas: Canvas, field: Field, value: Fitted, x: float, y: float) -> None:
        baseline = y + _first_baseline(field, value)
        for line in value.lines:
            canvas.text(
                x + _MARGIN, baseline, line, value.size,
                width=field.width - 2 * _MARGIN, align=field.align, bold=field.bold,
            )  # fmt: skip
            baseline += value.size * _LEADING * POINT


def row(canvas: Canvas, *fields: Field, size: float = _SIZE) -> Row:
    """Measure boxes side by side; the fullest makes the row as high as it needs."""
    values = tuple(
        fitted(canvas.face(bold=one.bold), one.value, one.width - 2 * _MARGIN, size, min(size, _LEAST))
        for one in fields
    )
    return Row(fields, values, max(map(_height, fields, values)))


def height(rows: Sequence[Row]) -> float:
    """How high rows stand one below the other."""
    return sum(one.height for one in rows)


def draw(canvas: Canvas, rows: Sequence[Row], x: float, y: float) -> float:
    """Draw rows one below the other, and tell where they end."""
    for one in rows:
        y = one.draw(canvas, x, y)
    return y


def _first_baseline(field: Field, value: Fitted) -> float:
    if not field.title:
        return 0.4 + value.size * POINT
    several = len(value.lines) > 1
    return _TITLE_BASELINE + 0.5 + value.size * 0.8 * POINT if several else _FIRST_BASELINE


def _height(field: Field, value: Fitted) -> float:
    below = (len(value.lines) - 1) * value.size * _LEADING + value.size * 0.3
    needed = _first_baseline(field, value) + below * POINT
    return max(_ROW if field.title else _UNTITLED_ROW, needed)
