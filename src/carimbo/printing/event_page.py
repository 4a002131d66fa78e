"""The page of an event of an NF-e or NFC-e, such as a correction or a cancellation."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.nfe_v4.archived import read_archived_invoice
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, CancellationBySubstitution, Correction
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.sefaz.archived import ArchivedEvent, read_archived_event
from carimbo.fiscal.printout import EventPrint
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.event_sheet import EventText
from carimbo.printing.sefaz_event import document_block, sefaz_event_sheet, sefaz_issuer_block
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row

_MODELS = {"55": "NF-e", "65": "NFC-e"}
_PORTAL = "www.nfe.fazenda.gov.br/portal"


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event of an NF-e or NFC-e on A4."""
    event, document = read_archived_event(NFE_DIALECT, order.event), read_archived_invoice(order.document)
    ide = document.invoice.identification
    model = _MODELS.get(ide.model, ide.model)
    title = _title(event, model)
    canvas = Canvas(typeface, f"{title} - {model} nº {ide.number} série {ide.series}")
    sheet = sefaz_event_sheet(
        canvas,
        title,
        event,
        address=document.consult_address or _PORTAL,
        document=(
            sefaz_issuer_block(canvas, document.invoice.issuer),
            _recipient_block(canvas, document.invoice),
            document_block(canvas, model, ide, document.protocol, document.invoice.totals.invoice.amount),
        ),
        parts=tuple(_texts(event)),
    )
    return sheet.drawn(order.logo)


def _title(event: ArchivedEvent, model: str) -> str:
    titles = {
        Correction.event_type: "CARTA DE CORREÇÃO ELETRÔNICA",
        Cancellation.event_type: f"CANCELAMENTO DE {model}",
        CancellationBySubstitution.event_type: f"CANCELAMENTO DE {model} POR SUBSTITUIÇÃO",
    }
    return titles.get(event.event_type, event.description)


def _recipient_block(canvas: Canvas, invoice: Invoice) -> Block:
    recipient = invoice.recipient
    tax_id = recipient and formats.tax_id(recipient.cnpj, recipient.cpf, recipient.foreign_id)
    name = recipient.name if recipient else "CONSUMIDOR NÃO IDENTIFICADO"
    fields = (
        PrintedField("NOME / RAZÃO SOCIAL", name or "", CONTENT - 87),
        PrintedField("CNPJ / CPF / ID. ESTRANGEIRO", tax_id or "", 45),
        PrintedField("INSCRIÇÃO ESTADUAL", (recipient and recipient.state_registration) or "", 42),
    )
    return Block("DESTINATÁRIO", (row(canvas, *fields),))


def _texts(event: ArchivedEvent) -> Iterator[EventText]:
    detail = event.detail
    if correction := detail.text("xCorrecao"):
        yield EventText("CORREÇÃO", correction, 11)
    if conditions := detail.text("xCondUso"):
        yield EventText("CONDIÇÕES DE USO", conditions, 8)
    if reason := detail.text("xJust"):
        yield EventText("JUSTIFICATIVA", reason, 11)
    if replacing_key := detail.text("chNFeRef"):
        yield EventText("CHAVE DE ACESSO DA NFC-e QUE A SUBSTITUI", formats.key(replacing_key), 11)
