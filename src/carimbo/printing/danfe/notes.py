"""The additional information of an NF-e (DADOS ADICIONAIS), which may continue on further sheets."""

from collections.abc import Iterator

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice
from carimbo.fiscal.layouts.nfe_v4.identification import ReferencedDocument
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.transport import GoodsTransport, Volume
from carimbo.printing import formats
from carimbo.printing.danfe.parties import quantity_of, volumes_beyond
from carimbo.printing.danfe.totals import installment_text, installments_beyond
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.notes import Notes, note_box
from carimbo.printing.sheet import CONTENT

_AUTHORITY = 60.0


def notes_of(canvas: Canvas, archived: ArchivedInvoice) -> Notes:
    """Collects and measures all additional information of a document."""
    boxes = (
        note_box(canvas, "INFORMAÇÕES COMPLEMENTARES", CONTENT - _AUTHORITY, _of_issuer(archived)),
        note_box(canvas, "RESERVADO AO FISCO", _AUTHORITY, _of_authority(archived)),
    )
    return Notes("DADOS ADICIONAIS", boxes)


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
