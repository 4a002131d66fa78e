"""What a document tells in words, and how much of it stands on a sheet."""

from collections.abc import Iterator
from dataclasses import dataclass

from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice
from carimbo.fiscal.layouts.nfe_v4.identification import Reference
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.transport import Transport, Volume
from carimbo.printing import form, formats
from carimbo.printing.canvas import POINT, Canvas
from carimbo.printing.danfe.billing import installments_beyond, told
from carimbo.printing.danfe.transport import quantity_of, volumes_beyond
from carimbo.printing.sheet import CAPTION_HEIGHT, CONTENT, LEFT, draw_caption
from carimbo.printing.wrapping import wrapped

_AUTHORITY = 60.0
_ISSUER = CONTENT - _AUTHORITY
_SIZE = 6.5
_LEADING = _SIZE * 1.2 * POINT
_FIRST_LINE = 4.9
_MARGIN = 0.8
_CONTINUED = " (CONTINUAÇÃO)"


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of the issuer and of the authority, side by side."""

    issuer: tuple[str, ...]
    authority: tuple[str, ...]
    least: float = 0
    """The height of the box if there is little to say."""
    is_continued: bool = False

    @property
    def height(self) -> float:
        lines = max(len(self.issuer), len(self.authority))
        return CAPTION_HEIGHT + max(self.least, _FIRST_LINE + lines * _LEADING)

    def split(self, room: float, least: float) -> tuple["Notes", "Notes | None"]:
        """What fits into a height, and what is left for another sheet."""
        lines = max(0, int((room - CAPTION_HEIGHT - _FIRST_LINE) / _LEADING))
        first = Notes(self.issuer[:lines], self.authority[:lines], least, self.is_continued)
        rest = Notes(self.issuer[lines:], self.authority[lines:], is_continued=True)
        return first, rest if rest.issuer or rest.authority else None

    def draw(self, canvas: Canvas, y: float) -> None:
        """Draw the box with its upper edge at y."""
        more = _CONTINUED if self.is_continued else ""
        top = draw_caption(canvas, f"DADOS ADICIONAIS{more}", y)
        height = self.height - CAPTION_HEIGHT
        for x, width, title, lines in (
            (LEFT, _ISSUER, "INFORMAÇÕES COMPLEMENTARES", self.issuer),
            (LEFT + _ISSUER, _AUTHORITY, "RESERVADO AO FISCO", self.authority),
        ):
            canvas.box(x, top, width, height)
            canvas.text(x + _MARGIN, top + 2.1, title, form.TITLE_SIZE)
            for number, line in enumerate(lines):
                canvas.text(x + _MARGIN, top + _FIRST_LINE + number * _LEADING, line, _SIZE)


def notes_of(canvas: Canvas, archived: ArchivedInvoice) -> Notes:
    """Everything that a document tells in words."""
    face = canvas.face()
    issuer = "\n".join(_of_issuer(archived))
    authority = "\n".join(_of_authority(archived))
    return Notes(
        wrapped(face, issuer, _ISSUER - 2 * _MARGIN, _SIZE) if issuer else (),
        wrapped(face, authority, _AUTHORITY - 2 * _MARGIN, _SIZE) if authority else (),
    )


def _of_issuer(archived: ArchivedInvoice) -> Iterator[str]:
    invoice = archived.invoice
    yield from _contingency(invoice)
    if invoice.additional:
        yield from filter(None, (invoice.additional.notes,))
        yield from (f"{one.name}: {one.value}" for one in invoice.additional.observations)
    yield from _about_parties(invoice)
    yield from (_reference(one) for one in invoice.identification.references)
    yield from _trade(invoice)
    yield from _withheld(invoice)
    yield from _in_transit(invoice.transport)
    beyond = "; ".join(told(one) for one in installments_beyond(invoice.billing))
    yield from _told(beyond, "Duplicatas")


def _of_authority(archived: ArchivedInvoice) -> Iterator[str]:
    additional = archived.invoice.additional
    if additional:
        yield from filter(None, (additional.authority_notes,))
        yield from (f"{one.name}: {one.value}" for one in additional.authority_observations)
        yield from (f"Processo: {one.number}" for one in additional.processes)
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


def _reference(one: Reference) -> str:
    key = one.access_key or one.masked_access_key or one.cte_access_key
    if key:
        return f"Documento referenciado: {formats.key(key)}"
    if one.printer_receipt:
        receipt = one.printer_receipt
        return f"Cupom fiscal referenciado: ECF {receipt.printer_number}, COO {receipt.operation_number}"
    paper = one.paper_invoice or one.producer_invoice
    if paper is None:
        return ""
    of = formats.tax_id(paper.cnpj, getattr(paper, "cpf", None))
    return f"Nota referenciada: modelo {paper.model}, série {paper.series}, nº {paper.number}, {of}"


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
        yield from _told("; ".join(f"{name}: {value}" for name, value in parts if value))


def _withheld(invoice: Invoice) -> Iterator[str]:
    taxes = invoice.totals.withheld_taxes
    if taxes is None:
        return
    parts = (
        ("PIS", taxes.pis_amount), ("COFINS", taxes.cofins_amount), ("CSLL", taxes.csll_amount),
        ("base IRRF", taxes.income_tax_base), ("IRRF", taxes.income_tax_amount),
        ("base Previdência", taxes.social_security_base), ("Previdência", taxes.social_security_amount),
    )  # fmt: skip
    yield from _told(
        "; ".join(f"{name} R$ {formats.number(value)}" for name, value in parts if value), "Retenções"
    )


def _in_transit(transport: Transport) -> Iterator[str]:
    if transport.trailers:
        plates = (" ".join(filter(None, (one.plate, one.state, one.rntc))) for one in transport.trailers)
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
    beyond = "; ".join(_volume(one) for one in volumes_beyond(transport))
    yield from _told(beyond, "Volumes")


def _told(text: str, name: str = "") -> Iterator[str]:
    """A line, unless there is nothing to tell in it."""
    if text:
        yield f"{name}: {text}" if name else text


def _volume(one: Volume) -> str:
    gross, net = formats.optional(one.gross_weight, 3), formats.optional(one.net_weight, 3)
    parts = (
        quantity_of(one), one.kind, one.brand, one.numbering,
        gross and f"bruto {gross}", net and f"líquido {net}",
    )  # fmt: skip
    return " ".join(filter(None, parts))
