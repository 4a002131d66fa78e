"""The box at the right end of a delivery receipt stub, with type, number and series of the document."""

from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.sheet import CONTENT, LEFT

NUMBER_WIDTH = 34.0


def draw_number(canvas: Canvas, y: float, height: float, name: str, number: int, series: int) -> None:
    """Draws the box with its upper edge at y."""
    x = LEFT + CONTENT - NUMBER_WIDTH
    canvas.box(x, y, NUMBER_WIDTH, height)
    baseline = y + (height - 12) / 2 + 3.8
    texts = (name, 11.0), (f"Nº {formats.invoice_number(number)}", 9.5), (f"SÉRIE {series:03}", 9.5)
    for text, size in texts:
        canvas.text(x, baseline, text, size, width=NUMBER_WIDTH, align=Align.CENTER, bold=True)
        baseline += 4.1
