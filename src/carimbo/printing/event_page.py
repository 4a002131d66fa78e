"""The page of an event of an NF-e or NFC-e, such as a correction or a cancellation."""

from collections.abc import Iterator

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.archived import ArchivedInvoice, read_archived_invoice
from carimbo.fiscal.layouts.nfe_v4.dialect import NFE_DIALECT
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, CancellationBySubstitution, Correction
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer
from carimbo.fiscal.layouts.sefaz.archived import ArchivedEvent, read_archived_event
from carimbo.fiscal.printout import EventPrint
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import code_128
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.event_sheet import EventSheet, EventText, SizedBitmap, issuer_block
from carimbo.printing.sheet import CONTENT, Block, FormField, row

_MODELS = {"55": "NF-e", "65": "NFC-e"}
_PORTAL = "www.nfe.fazenda.gov.br/portal"
_ABOUT = (
    "Representação impressa de um evento registrado pela Sefaz autorizadora.\n"
    "Consulte sua autenticidade em {address} ou no site da Sefaz autorizadora."
)
_BARS, _BARS_HEIGHT = 82.0, 11.0


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event of an NF-e or NFC-e on A4."""
    event, document = read_archived_event(NFE_DIALECT, order.event), read_archived_invoice(order.document)
    ide = document.invoice.identification
    model = _MODELS.get(ide.model, ide.model)
    title = _title(event, model)
    canvas = Canvas(typeface, f"{title} - {model} nº {ide.number} série {ide.series}")
    sheet = EventSheet(
        canvas,
        title,
        about=_ABOUT.format(address=document.consult_address or _PORTAL),
        is_test=event.environment == Environment.HOMOLOGATION.code,
        access_key=document.access_key,
        code=SizedBitmap(code_128(document.access_key), _BARS, _BARS_HEIGHT),
        document=(
            _issuer_block(canvas, document.invoice.issuer),
            _recipient_block(canvas, document.invoice),
            _document_block(canvas, document, model),
        ),
        event=_event_block(canvas, event),
        texts=tuple(_texts(event)),
    )
    return sheet.drawn(order.logo)


def _title(event: ArchivedEvent, model: str) -> str:
    titles = {
        Correction.event_type: "CARTA DE CORREÇÃO ELETRÔNICA",
        Cancellation.event_type: f"CANCELAMENTO DE {model}",
        CancellationBySubstitution.event_type: f"CANCELAMENTO DE {model} POR SUBSTITUIÇÃO",
    }
    return titles.get(event.event_type, event.description)


def _issuer_block(canvas: Canvas, issuer: Issuer) -> Block:
    place = issuer.address
    named = row(
        canvas,
        FormField("NOME / RAZÃO SOCIAL", issuer.name, CONTENT - 87, bold=True),
        FormField("CNPJ / CPF", formats.tax_id(issuer.cnpj, issuer.cpf), 45),
        FormField("INSCRIÇÃO ESTADUAL", issuer.state_registration or "", 42),
    )
    return issuer_block(canvas, named, place, place.city, place.phone)


def _recipient_block(canvas: Canvas, invoice: Invoice) -> Block:
    recipient = invoice.recipient
    tax_id = recipient and formats.tax_id(recipient.cnpj, recipient.cpf, recipient.foreign_id)
    name = recipient.name if recipient else "CONSUMIDOR NÃO IDENTIFICADO"
    fields = (
        FormField("NOME / RAZÃO SOCIAL", name or "", CONTENT - 87),
        FormField("CNPJ / CPF / ID. ESTRANGEIRO", tax_id or "", 45),
        FormField("INSCRIÇÃO ESTADUAL", (recipient and recipient.state_registration) or "", 42),
    )
    return Block("DESTINATÁRIO", (row(canvas, *fields),))


def _document_block(canvas: Canvas, document: ArchivedInvoice, model: str) -> Block:
    ide, protocol = document.invoice.identification, document.protocol
    amount = formats.number(document.invoice.totals.invoice.amount)
    fields = (
        FormField("MODELO", f"{ide.model} - {model}", 28),
        FormField("SÉRIE", f"{ide.series:03}", 16),
        FormField("NÚMERO", formats.invoice_number(ide.number), 32),
        FormField("DATA E HORA DA EMISSÃO", formats.day_and_hour(ide.issued_at), 42),
        FormField("PROTOCOLO DE AUTORIZAÇÃO", (protocol and protocol.number) or "", CONTENT - 154),
        FormField("VALOR TOTAL R$", amount, 36, Align.RIGHT),
    )
    return Block(f"{model} A QUE O EVENTO SE REFERE", (row(canvas, *fields),))


def _event_block(canvas: Canvas, event: ArchivedEvent) -> Block:
    protocol = event.protocol
    rows = (
        row(
            canvas,
            FormField("TIPO", f"{event.event_type} - {event.description}", CONTENT - 104),
            FormField("SEQUÊNCIA", str(event.sequence), 24),
            FormField("DATA E HORA DO EVENTO", formats.day_and_hour(event.occurred_at), 80),
        ),
        row(
            canvas,
            FormField("SITUAÇÃO", f"{protocol.code} - {protocol.message}", CONTENT - 104),
            FormField("PROTOCOLO", protocol.number or "", 50, bold=True),
            FormField("DATA E HORA DO REGISTRO", formats.day_and_hour(protocol.at), 54),
        ),
    )
    return Block("EVENTO", rows)


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
