"""The stub of a DACTE, on which the service is acknowledged (MOC CT-e 4.00, Anexo II)."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.wrapping import FittedText, fit_text
from carimbo.printing.sheet import CONTENT, LEFT, TITLE_SIZE
from carimbo.printing.stub_number import NUMBER_WIDTH, draw_number

_SIZE, _MIN_SIZE = 6.5, 5.0
_FIELD = 7.0
_FOLD = 3.0
_MARGIN = 0.8
# Titles of the fields: two columns of two, with one for the signature between them.
_COLUMNS = (
    (56.0, ("NOME", "RG / CPF")),
    (62.0, ("ASSINATURA / CARIMBO",)),
    (48.0, ("CHEGADA - DATA E HORA", "SAÍDA - DATA E HORA")),
)


@dataclass(frozen=True, slots=True)
class DacteStub:
    """The stub, measured."""

    name: str
    """The name of the document type."""
    identification: WaybillIdentification | OsIdentification
    declaration: FittedText

    @property
    def height(self) -> float:
        return self._box_height + _FOLD

    @property
    def _text_height(self) -> float:
        return len(self.declaration.lines) * self._leading + 1.6

    @property
    def _leading(self) -> float:
        return self.declaration.size * 1.2 * POINT

    @property
    def _box_height(self) -> float:
        return self._text_height + 2 * _FIELD

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""
        canvas.box(LEFT, y, CONTENT - NUMBER_WIDTH, self._text_height)
        for number, line in enumerate(self.declaration.lines, 1):
            canvas.text(LEFT + _MARGIN, y + number * self._leading, line, self.declaration.size)
        x = LEFT
        for width, titles in _COLUMNS:
            top, height = y + self._text_height, 2 * _FIELD / len(titles)
            for title in titles:
                canvas.box(x, top, width, height)
                canvas.text(x + _MARGIN, top + 2.1, title, TITLE_SIZE)
                top += height
            x += width
        about = self.identification
        draw_number(canvas, y, self._box_height, self.name, about.number, about.series)
        canvas.dashes(LEFT, LEFT + CONTENT, y + self._box_height + _FOLD / 2)


def dacte_stub(
    canvas: Canvas, name: str, identification: WaybillIdentification | OsIdentification, declaration: str
) -> DacteStub:
    """Measures the stub with the sentence that is signed."""
    width = CONTENT - NUMBER_WIDTH - 2 * _MARGIN
    return DacteStub(name, identification, fit_text(canvas.face(), declaration, width, _SIZE, _MIN_SIZE))
