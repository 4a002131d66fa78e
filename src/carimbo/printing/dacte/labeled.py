"""Lines of labels and values in a box, denser than form fields, for the parties of a CT-e."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.wrapping import FittedText, fit_text
from carimbo.printing.sheet import LEFT, TITLE_SIZE

_SIZE, _MIN_SIZE = 7.5, 6.5
_LEADING = 3.0
_MARGIN = 0.8
_GAP = 1.2
_FIRST_LABEL = 13.0
"""The width for the first label of a line, so that values stand below each other."""


class Labeled(NamedTuple):
    """A value with its label, and the width for both."""

    label: str
    value: str
    width: float
    bold: bool = False


class _Measured(NamedTuple):
    labeled: Labeled
    indent: float
    value: FittedText


@dataclass(frozen=True, slots=True)
class LabeledBox:
    """A box of lines, measured."""

    width: float
    lines: tuple[tuple[_Measured, ...], ...]

    @property
    def height(self) -> float:
        return sum(map(_height, self.lines)) + 2 * _MARGIN

    def draw(self, canvas: Canvas, x: float, y: float, height: float) -> None:
        """Draws the box with its upper left corner at x and y."""
        canvas.box(x, y, self.width, height)
        y += _MARGIN
        for line in self.lines:
            left = x + _MARGIN
            for labeled, indent, value in line:
                canvas.text(left, y + 2.2, labeled.label, TITLE_SIZE)
                for number, text in enumerate(value.lines):
                    baseline = y + 2.2 + number * _LEADING
                    canvas.text(left + indent, baseline, text, value.size, bold=labeled.bold)
                left += labeled.width
            y += _height(line)


@dataclass(frozen=True, slots=True)
class LabeledBoxes:
    """Boxes side by side, over the whole width of a sheet."""

    boxes: tuple[LabeledBox, ...]

    @property
    def height(self) -> float:
        return max(box.height for box in self.boxes)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws them with their upper edge at y."""
        x = LEFT
        for box in self.boxes:
            box.draw(canvas, x, y, self.height)
            x += box.width


def labeled_box(canvas: Canvas, width: float, lines: Sequence[Sequence[Labeled]]) -> LabeledBox:
    """Measures lines; a long value gets a smaller size, then several lines."""
    return LabeledBox(
        width,
        tuple(
            tuple(_measured(canvas, labeled, is_first=labeled is line[0]) for labeled in line)
            for line in lines
        ),
    )


def _measured(canvas: Canvas, labeled: Labeled, *, is_first: bool) -> _Measured:
    label = canvas.face().width(labeled.label) * TITLE_SIZE * POINT + _GAP
    indent = max(label, _FIRST_LABEL) if is_first else label
    room = labeled.width - indent - 2 * _MARGIN
    face = canvas.face(bold=labeled.bold)
    return _Measured(labeled, indent, fit_text(face, labeled.value, room, _SIZE, _MIN_SIZE))


def _height(line: tuple[_Measured, ...]) -> float:
    return _LEADING * max(len(measured.value.lines) for measured in line)
