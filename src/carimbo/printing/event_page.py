"""The page of what was told of an NF-e or NFC-e after its authorization: a correction or a cancellation."""

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
from carimbo.printing.canvas import Align, Canvas
from carimbo.printing.codes import bars
from carimbo.printing.event_sheet import Code, EventSheet, EventText, issuer_block
from carimbo.printing.form import Field, row
from carimbo.printing.sheet import CONTENT, Block
from carimbo.printing.typeface import Typeface

_MODELS = {"55": "NF-e", "65": "NFC-e"}
_PORTAL = "www.nfe.fazenda.gov.br/portal"
_ABOUT = (
    "Representação impressa de um evento registrado pela Sefaz autorizadora.\n"
    "Consulte sua autenticidade em {address} ou no site da Sefaz autorizadora."
)
_BARS, _BARS_HEIGHT = 82.0, 11.0


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draw an event of a document on A4."""
    event, document = read_archived_event(NFE_DIALECT, order.event), read_archived_invoice(order.document)
    ide = document.invoice.identification
    model = _MODELS.get(ide.model, ide.model)
    title = _title(event, model)
    canvas = Canvas(typeface, f"{title} - {model} nº {ide.number} série {ide.series}")
    sheet = EventSheet(
        canvas,
        title,
        about=_ABOUT.format(address=document.consult_address or _PORTAL),
        is_tested=event.environment == Environment.HOMOLOGATION.code,
        access_key=document.access_key,
        code=Code(bars(document.access_key), _BARS, _BARS_HEIGHT),
        document=_document_blocks(canvas, document, model),
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


def _document_blocks(canvas: Canvas, document: ArchivedInvoice, model: str) -> tuple[Block, ...]:
    invoice = document.invoice
    return (
        _issuer_block(canvas, invoice.issuer),
        _recipient_block(canvas, invoice),
        _document_block(canvas, document, model),
    )


def _issuer_block(canvas: Canvas, issuer: Issuer) -> Block:
    place = issuer.address
    named = row(
        canvas,
        Field("NOME / RAZÃO SOCIAL", issuer.name, CONTENT - 87, bold=True),
        Field("CNPJ / CPF", formats.tax_id(issuer.cnpj, issuer.cpf), 45),
        Field("INSCRIÇÃO ESTADUAL", issuer.state_registration or "", 42),
    )
    return issuer_block(canvas, named, place, place.city, place.phone)


def _recipient_block(canvas: Canvas, invoice: Invoice) -> Block:
    recipient = invoice.recipient
    tax_id = recipient and formats.tax_id(recipient.cnpj, recipient.cpf, recipient.foreign_id)
    name = recipient.name if recipient else "CONSUMIDOR NÃO IDENTIFICADO"
    fields = (
        Field("NOME / RAZÃO SOCIAL", name or "", CONTENT - 87),
        Field("CNPJ / CPF / ID. ESTRANGEIRO", tax_id or "", 45),
        Field("INSCRIÇÃO ESTADUAL", (recipient and recipient.state_registration) or "", 42),
    )
    return Block("DESTINATÁRIO", (row(canvas, *fields),))


def _document_block(canvas: Canvas, document: ArchivedInvoice, model: str) -> Block:
    ide, protocol = document.invoice.identification, document.protocol
    amount = formats.number(document.invoice.totals.invoice.amount)
    fields = (
        Field("MODELO", f"{ide.model} - {model}", 28),
        Field("SÉRIE", f"{ide.series:03}", 16),
        Field("NÚMERO", formats.invoice_number(ide.number), 32),
        Field("DATA E HORA DA EMISSÃO", formats.day_and_hour(ide.issued_at), 42),
        Field("PROTOCOLO DE AUTORIZAÇÃO", (protocol and protocol.number) or "", CONTENT - 154),
        Field("VALOR TOTAL R$", amount, 36, Align.RIGHT),
    )
    return Block(f"{model} A QUE O EVENTO SE REFERE", (row(canvas, *fields),))


def _event_block(canvas: Canvas, event: ArchivedEvent) -> Block:
    protocol = event.protocol
    rows = (
        row(
            canvas,
            Field("TIPO", f"{event.event_type} - {event.description}", CONTENT - 104),
            Field("SEQUÊNCIA", str(event.sequence), 24),
            Field("DATA E HORA DO EVENTO", formats.day_and_hour(event.occurred_at), 80),
        ),
        row(
            canvas,
            Field("SITUAÇÃO", f"{protocol.code} - {protocol.message}", CONTENT - 104),
            Field("PROTOCOLO", protocol.number or "", 50, bold=True),
            Field("DATA E HORA DO REGISTRO", formats.day_and_hour(protocol.at), 54),
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
