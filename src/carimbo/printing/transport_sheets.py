"""Draws the sheets of a transport document: the watermarks, the header, and the pieces of each sheet."""

from collections.abc import Sequence
from typing import Protocol

from carimbo.fiscal.environment import Environment
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.sheet import HEIGHT, TOP, WIDTH, Piece


class SheetHeader(Protocol):
    """The header that every sheet has."""

    def draw(self, canvas: Canvas, y: float, sheet: int, sheets: int) -> None:
        """Draws it with its upper edge at y, with the number of the sheet and of all sheets."""


def draw_transport_sheets(
    canvas: Canvas,
    header: SheetHeader,
    sheets: Sequence[Sequence[tuple[float, Piece]]],
    marks: Sequence[str],
    stub: Piece | None = None,
) -> bytes:
    """Draws all sheets, the stub above the header of the first one, and returns the PDF."""
    for number, sheet in enumerate(sheets, 1):
        canvas.add_page(WIDTH, HEIGHT)
        for place, text in enumerate(marks):
            canvas.mark(WIDTH / 2, 165 + 60 * place, text, 58, 35)
        top = TOP
        if stub and number == 1:
            stub.draw(canvas, top)
            top += stub.height
        header.draw(canvas, top, number, len(sheets))
        for y, piece in sheet:
            piece.draw(canvas, y)
    return canvas.finished()


def marks_of(environment: str, ending: str | None) -> list[str]:
    """Returns the watermarks of a document: that of homologation, and the word for its end."""
    is_test = environment == Environment.HOMOLOGATION.code
    return [*(["SEM VALOR FISCAL"] if is_test else []), *([ending] if ending else [])]
