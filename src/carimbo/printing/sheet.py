"""A sheet of A4, and the pieces that it is put together from."""

from dataclasses import dataclass
from typing import Protocol

from carimbo.printing import form
from carimbo.printing.canvas import Canvas
from carimbo.printing.form import Row

WIDTH, HEIGHT = 210.0, 297.0
LEFT, TOP, BOTTOM = 5.0, 5.0, 292.0
CONTENT = WIDTH - 2 * LEFT
CAPTION_HEIGHT = 3.4
_CAPTION_SIZE = 6.0
_CAPTION_BASELINE = 2.7


class Piece(Protocol):
    """Something that stands on a sheet over its whole width."""

    @property
    def height(self) -> float:
        """How much of the sheet it takes."""

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draw it with its upper edge at y."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of fields under a caption."""

    caption: str
    rows: tuple[Row, ...]

    @property
    def height(self) -> float:
        return (CAPTION_HEIGHT if self.caption else 0) + form.height(self.rows)

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draw it with its upper edge at y."""
        if self.caption:
            y = draw_caption(canvas, self.caption, y)
        form.draw(canvas, self.rows, LEFT, y)


def draw_caption(canvas: Canvas, caption: str, y: float) -> float:
    """Write what stands over a block, and tell where the block begins."""
    canvas.text(LEFT, y + _CAPTION_BASELINE, caption, _CAPTION_SIZE, bold=True)
    return y + CAPTION_HEIGHT
