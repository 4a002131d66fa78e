"""Small bar charts, drawn on the server as SVG without any style of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

_HEIGHT = 48
_STEP = 16
_GAP = 3


@dataclass(frozen=True)
class Bar:
    """A bar of a chart, in the units of its picture."""

    x: int
    y: float
    width: int
    height: float
    label: str


@dataclass(frozen=True)
class BarChart:
    """A chart, and the sentence that says the same to who can't see it."""

    bars: Sequence[Bar]
    width: int
    height: int
    description: str


def bar_chart(values: Sequence[tuple[str, float]], description: str) -> BarChart:
    """Returns a chart with a bar for each labelled value; the highest bar fills the height."""
    highest = max((value for _, value in values), default=0) or 1
    bars = []
    for position, (label, value) in enumerate(values):
        height = round(_HEIGHT * value / highest, 1)
        bars.append(Bar(position * _STEP, _HEIGHT - height, _STEP - _GAP, height, label))
    return BarChart(bars, len(values) * _STEP, _HEIGHT, description)
