"""The delivery receipt stub, which the recipient signs and the carrier tears off (MOC 7.0, Anexo II, 3.1)."""

from dataclasses import dataclass

from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.printing import formats, sheet
from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.wrapping import wrap_text
from carimbo.printing.formats import city_of
from carimbo.printing.sheet import CONTENT, LEFT
from carimbo.printing.stub_number import NUMBER_WIDTH, draw_number

_SIZE = 6.5
_LEADING = _SIZE * 1.2 * POINT
_SIGNED = 8.0
_FOLD = 3.0


@dataclass(frozen=True, slots=True)
class DanfeStub:
    """The stub, measured."""

    invoice: Invoice
    lines: tuple[str, ...]

    @property
    def height(self) -> float:
        return self._text_height + _SIGNED + _FOLD

    @property
    def _text_height(self) -> float:
        return len(self.lines) * _LEADING + 1.6

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws it with its upper edge at y."""
        width, text_height = CONTENT - NUMBER_WIDTH, self._text_height
        canvas.box(LEFT, y, width, text_height)
        for number, line in enumerate(self.lines, 1):
            canvas.text(LEFT + 0.8, y + number * _LEADING, line, _SIZE)
        for x, part, title in (
            (LEFT, 40.0, "DATA DE RECEBIMENTO"),
            (LEFT + 40, width - 40, "IDENTIFICAÇÃO E ASSINATURA DO RECEBEDOR"),
        ):
            canvas.box(x, y + text_height, part, _SIGNED)
            canvas.text(x + 0.8, y + text_height + 2.1, title, sheet.TITLE_SIZE)
        about = self.invoice.identification
        draw_number(canvas, y, text_height + _SIGNED, "NF-e", about.number, about.series)
        canvas.dashes(LEFT, LEFT + CONTENT, y + text_height + _SIGNED + _FOLD / 2)


def danfe_stub(canvas: Canvas, invoice: Invoice) -> DanfeStub:
    """Measures the stub."""
    recipient = invoice.recipient
    address = recipient.address if recipient else None
    parts = (
        f"RECEBEMOS DE {invoice.issuer.name} OS PRODUTOS E/OU SERVIÇOS CONSTANTES DA NOTA FISCAL ELETRÔNICA"
        f" INDICADA AO LADO. EMISSÃO: {formats.day(invoice.identification.issued_at)}",
        f"VALOR TOTAL: R$ {formats.number(invoice.totals.invoice.amount)}",
        f"DESTINATÁRIO: {recipient.name or ''}" if recipient else "",
        f"{address.street}, {address.number}, {address.district}, {city_of(address)} - {address.state}"
        if address
        else "",
    )
    text = " - ".join(filter(None, parts))
    return DanfeStub(invoice, wrap_text(canvas.face(), text, CONTENT - NUMBER_WIDTH - 1.6, _SIZE))
