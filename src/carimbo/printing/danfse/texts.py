"""The long texts of a DANFSe, which go on on another sheet where one has no room for them."""

from dataclasses import dataclass, replace

from carimbo.printing.canvas import POINT, Canvas
from carimbo.printing.danfse.grid import (
    CONTENT,
    LABEL_SIZE,
    LEADING,
    LEFT,
    MARGIN,
    divide,
    draw_lines,
    draw_title,
    shade,
)
from carimbo.printing.wrapping import Fitted, wrapped

_LABEL, _TITLE = 3.1, 4.2
_FOOT = 1.2
_CONTINUED = " (CONTINUAÇÃO)"


@dataclass(frozen=True, slots=True)
class Text:
    """Lines over the whole width, under a label or a title."""

    title: str
    text: Fitted
    is_labelled: bool = False
    """Whether it belongs to the block above it, so that a label is enough."""
    least: float = 0
    """The height if there is little to say."""

    @property
    def height(self) -> float:
        return max(self.least, self._head + len(self.text.lines) * self._line + _FOOT)

    @property
    def _head(self) -> float:
        return _LABEL if self.is_labelled else _TITLE

    @property
    def _line(self) -> float:
        return self.text.size * LEADING * POINT

    def stretch(self, height: float) -> "Text":
        """The same text with all the room that there is."""
        return replace(self, least=height)

    def split(self, room: float) -> tuple["Text | None", "Text | None"]:
        """What fits into a height, and what is left for another sheet."""
        fitting = max(0, int((room - self._head - _FOOT) / self._line))
        lines, rest = self.text.lines[:fitting], self.text.lines[fitting:]
        first = replace(self, text=self.text._replace(lines=lines)) if lines else None
        return first, self._continued(rest) if rest else None

    def _continued(self, lines: tuple[str, ...]) -> "Text":
        title = self.title.upper().removesuffix(_CONTINUED)
        return Text(title + _CONTINUED, self.text._replace(lines=lines))

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draw it with its upper edge at y."""
        if self.is_labelled:
            canvas.text(LEFT + MARGIN, y + 2.3, self.title, LABEL_SIZE, bold=True)
        else:
            divide(canvas, y)
            shade(canvas, LEFT, y, CONTENT, _TITLE)
            draw_title(canvas, self.title, y + _TITLE / 2 + 0.9, CONTENT)
        draw_lines(canvas, self.text, LEFT, y + self._head + 0.9 * self.text.size * POINT)


def text(canvas: Canvas, title: str, content: str, size: float, *, is_labelled: bool = False) -> Text:
    """Break a text into lines."""
    lines = wrapped(canvas.face(), content, CONTENT - 2 * MARGIN, size)
    return Text(title, Fitted(lines, size), is_labelled)
