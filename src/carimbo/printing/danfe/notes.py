"""The additional information of an NF-e (DADOS ADICIONAIS), which may continue on further sheets."""

from collections.abc import Iterator
from dataclasses import dataclass

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice
from carimbo.fiscal.layouts.nfe_v4.identification import ReferencedDocument
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.transport import GoodsTransport, Volume
from carimbo.printing import formats, sheet
from carimbo.printing.danfe.parties import quantity_of, volumes_beyond
from carimbo.printing.danfe.totals import installment_text, installments_beyond
from carimbo.printing.engine.canvas import POINT, Canvas
from carimbo.printing.engine.wrapping import wrap_text
from carimbo.printing.sheet import CAPTION_HEIGHT, CONTENT, LEFT, draw_caption

_AUTHORITY = 60.0
_ISSUER = CONTENT - _AUTHORITY
_SIZE = 6.5
_LEADING = _SIZE * 1.2 * POINT
_FIRST_LINE = 4.9
_MARGIN = 0.8
_CONTINUED = " (CONTINUAÇÃO)"


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines from the issuer and lines for the tax authority, side by side."""

    issuer: tuple[str, ...]
    authority: tuple[str, ...]
    least: float = 0
    """The minimum height of the box."""
    is_continued: bool = False

    @property
    def height(self) -> float:
        lines = max(len(self.issuer), len(self.authority))
        return CAPTION_HEIGHT + max(self.least, _FIRST_LINE + lines * _LEADING)

    def split(self, room: float, least: float) -> tuple["Notes", "Notes | None"]:
        """Returns the part that fits into a height, and the rest for another sheet, if any."""
        lines = max(0, int((room - CAPTION_HEIGHT - _FIRST_LINE) / _LEADING))
        first = Notes(self.issuer[:lines], self.authority[:lines], least, self.is_continued)
        rest = Notes(self.issuer[lines:], self.authority[lines:], is_continued=True)
        return first, rest if rest.issuer or rest.authority else None

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draws the box with its upper edge at y."""
        more = _CONTINUED if self.is_continued else ""
        top = draw_caption(canvas, f"DADOS ADICIONAIS{more}", y)
        height = self.height - CAPTION_HEIGHT
        for x, width, title, lines in (
            (LEFT, _ISSUER, "INFORMAÇÕES COMPLEMENTARES", self.issuer),
            (LEFT + _ISSUER, _AUTHORITY, "RESERVADO AO FISCO", self.authority),
        ):
            canvas.box(x, top, width, height)
            canvas.text(x + _MARGIN, top + 2.1, title, sheet.TITLE_SIZE)
            for number, line in enumerate(lines):
                canvas.text(x + _MARGIN, top + _FIRST_LINE + number * _LEADING, line, _SIZE)


def notes_of(canvas: Canvas, archived: ArchivedInvoice) -> Notes:
    """Collects and measures all additional information of a document."""
    face = canvas.face()
    issuer = "\n".join(_of_issuer(archived))
    authority = "\n".join(_of_authority(archived))
    return Notes(
        wrap_text(face, issuer, _ISSUER - 2 * _MARGIN, _SIZE) if issuer else (),
        wrap_text(face, authority, _AUTHORITY - 2 * _MARGIN, _SIZE) if authority else (),
    )


def _of_issuer(archived: ArchivedInvoice) -> Iterator[str]:
    invoice = archived.invoice
    yield from _contingency(invoice)
    if invoice.additional:
        yield from filter(None, (invoice.additional.notes,))
        yield from (f"{note.name}: {note.value}" for note in invoice.additional.observations)
    yield from _about_parties(invoice)
    yield from (_reference(reference) for reference in invoice.identification.references)
    yield from _trade(invoice)
    yield from _withheld(invoice)
    yield from _in_transit(invoice.transport)
    beyond = "; ".join(installment_text(item) for item in installments_beyond(invoice.billing))
    yield from _line_if_any(beyond, "Duplicatas")


def _of_authority(archived: ArchivedInvoice) -> Iterator[str]:
    additional = archived.invoice.additional
    if additional:
        yield from filter(None, (additional.authority_notes,))
        yield from (f"{note.name}: {note.value}" for note in additional.authority_observations)
        yield from (f"Processo: {process.number}" for process in additional.processes)
    if archived.protocol and archived.protocol.notice:
        yield archived.protocol.notice


def _contingency(invoice: Invoice) -> Iterator[str]:
    about = invoice.identification
    if about.emission_type == EmissionType.NORMAL:
        return
    since = (
        f" desde {formats.day_and_hour(about.contingency_started_at)}" if about.contingency_started_at else ""
    )
    yield f"EMITIDA EM CONTINGÊNCIA (tipo {about.emission_type}){since}. {about.contingency_reason or ''}"


def _about_parties(invoice: Invoice) -> Iterator[str]:
    recipient = invoice.recipient
    if recipient and recipient.suframa_registration:
        yield f"Inscrição SUFRAMA do destinatário: {recipient.suframa_registration}"
    if recipient and recipient.municipal_registration:
        yield f"Inscrição municipal do destinatário: {recipient.municipal_registration}"
    if invoice.intermediary:
        cnpj = formats.tax_id(invoice.intermediary.cnpj)
        yield f"Intermediador: CNPJ {cnpj}, cadastro {invoice.intermediary.seller_id}"


def _reference(reference: ReferencedDocument) -> str:
    key = reference.access_key or reference.masked_access_key or reference.cte_access_key
    if key:
        return f"Documento referenciado: {formats.key(key)}"
    if reference.printer_receipt:
        receipt = reference.printer_receipt
        return f"Cupom fiscal referenciado: ECF {receipt.printer_number}, COO {receipt.operation_number}"
    paper = reference.paper_invoice or reference.producer_invoice
    if paper is None:
        return ""
    tax_id = formats.tax_id(paper.cnpj, getattr(paper, "cpf", None))
    return f"Nota referenciada: modelo {paper.model}, série {paper.series}, nº {paper.number}, {tax_id}"


def _trade(invoice: Invoice) -> Iterator[str]:
    if invoice.export:
        export = invoice.export
        places = filter(None, (export.exit_place, export.dispatch_place))
        yield f"Exportação: saída por {export.state}, {', '.join(places)}"
    if invoice.purchase:
        bought = invoice.purchase
        parts = (
            ("Nota de empenho", bought.commitment_note),
            ("Pedido", bought.order),
            ("Contrato", bought.contract),
        )
        yield from _line_if_any("; ".join(f"{name}: {value}" for name, value in parts if value))


def _withheld(invoice: Invoice) -> Iterator[str]:
    taxes = invoice.totals.withheld_taxes
    if taxes is None:
        return
    parts = (
        ("PIS", taxes.pis_amount), ("COFINS", taxes.cofins_amount), ("CSLL", taxes.csll_amount),
        ("base IRRF", taxes.income_tax_base), ("IRRF", taxes.income_tax_amount),
        ("base Previdência", taxes.social_security_base), ("Previdência", taxes.social_security_amount),
    )  # fmt: skip
    yield from _line_if_any(
        "; ".join(f"{name} R$ {formats.number(value)}" for name, value in parts if value), "Retenções"
    )


def _in_transit(transport: GoodsTransport) -> Iterator[str]:
    if transport.trailers:
        plates = (" ".join(filter(None, (item.plate, item.state, item.rntc))) for item in transport.trailers)
        yield f"Reboques: {'; '.join(plates)}"
    if transport.wagon:
        yield f"Vagão: {transport.wagon}"
    if transport.ferry:
        yield f"Balsa: {transport.ferry}"
    if transport.retained_icms:
        icms = transport.retained_icms
        amounts = f"serviço R$ {formats.number(icms.service_amount)}; BC R$ {formats.number(icms.base)}"
        rate = formats.number(icms.rate, 2, 4)
        yield f"ICMS retido do transporte: {amounts}; alíquota {rate}%; ICMS R$ {formats.number(icms.amount)}"
    seals = [seal.number for volume in transport.volumes for seal in volume.seals]
    if seals:
        yield f"Lacres: {', '.join(seals)}"
    beyond = "; ".join(_volume(volume) for volume in volumes_beyond(transport))
    yield from _line_if_any(beyond, "Volumes")


def _line_if_any(text: str, name: str = "") -> Iterator[str]:
    """Yields a line unless its text is empty."""
    if text:
        yield f"{name}: {text}" if name else text


def _volume(volume: Volume) -> str:
    gross, net = formats.optional(volume.gross_weight, 3), formats.optional(volume.net_weight, 3)
    parts = (
        quantity_of(volume), volume.kind, volume.brand, volume.numbering,
        gross and f"bruto {gross}", net and f"líquido {net}",
    )  # fmt: skip
    return " ".join(filter(None, parts))
