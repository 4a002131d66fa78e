"""The page of what was told of an NF-e or NFC-e after its authorization: a correction or a cancellation."""

from collections.abc import Iterator
from typing import NamedTuple

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.nfe_v4.archived import (
    ArchivedEvent,
    ArchivedInvoice,
    read_archived_event,
    read_archived_invoice,
)
from carimbo.fiscal.layouts.nfe_v4.events import Cancellation, CancellationBySubstitution, Correction
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer
from carimbo.fiscal.printout import EventPrint
from carimbo.printing import form, formats
from carimbo.printing.addresses import street_of
from carimbo.printing.canvas import POINT, Align, Canvas
from carimbo.printing.codes import bars
from carimbo.printing.form import Field, row
from carimbo.printing.png import PlainPng
from carimbo.printing.sheet import (
    BOTTOM,
    CAPTION_HEIGHT,
    CONTENT,
    HEIGHT,
    LEFT,
    TOP,
    WIDTH,
    Block,
    draw_caption,
)
from carimbo.printing.typeface import Typeface
from carimbo.printing.wrapping import fitted, wrapped

_MODELS = {"55": "NF-e", "65": "NFC-e"}
_PORTAL = "www.nfe.fazenda.gov.br/portal"
_ABOUT = (
    "Representação impressa de um evento registrado pela Sefaz autorizadora.\n"
    "Consulte sua autenticidade em {address} ou no site da Sefaz autorizadora."
)
_BAND = 26.0
_LOGO = 50.0
_MARGIN = 2.0
_KEY_BAND = 15.0
_BARS = 90.0
_BETWEEN = 2.0
_LEADING = 1.25


class _Text(NamedTuple):
    """A text that takes as many lines as it needs, and as many sheets."""

    caption: str
    content: str
    size: float


def draw_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draw an event of a document on A4."""
    event, document = read_archived_event(order.event), read_archived_invoice(order.document)
    ide = document.invoice.identification
    model = _MODELS.get(ide.model, ide.model)
    title = _title(event, model)
    canvas = Canvas(typeface, f"{title} - {model} nº {ide.number} série {ide.series}")
    y = _begin_sheet(canvas, event)
    y = _draw_band(canvas, title, document, order.logo, y)
    y = _draw_blocks(canvas, _first_blocks(canvas, document, model), y)
    y = _draw_key(canvas, document.access_key, y)
    y = _draw_blocks(canvas, (_event_block(canvas, event),), y)
    for text in _texts(event):
        y = _draw_text(canvas, event, text, y)
    return canvas.finished()


def _title(event: ArchivedEvent, model: str) -> str:
    titles = {
        Correction.event_type: "CARTA DE CORREÇÃO ELETRÔNICA",
        Cancellation.event_type: f"CANCELAMENTO DE {model}",
        CancellationBySubstitution.event_type: f"CANCELAMENTO DE {model} POR SUBSTITUIÇÃO",
    }
    return titles.get(event.event_type, event.description)


def _begin_sheet(canvas: Canvas, event: ArchivedEvent) -> float:
    """Begin a sheet, and tell where the writing on it begins."""
    canvas.add_page(WIDTH, HEIGHT)
    if event.environment == Environment.HOMOLOGATION.code:
        canvas.mark(WIDTH / 2, HEIGHT * 0.65, "SEM VALOR FISCAL", 58, 35)
    return TOP


def _draw_band(canvas: Canvas, title: str, document: ArchivedInvoice, logo: bytes | None, y: float) -> float:
    canvas.box(LEFT, y, CONTENT, _BAND)
    x, width = LEFT + _MARGIN, CONTENT - 2 * _MARGIN
    if logo is not None:
        canvas.image(PlainPng.read(logo), x, y + _MARGIN, _LOGO, _BAND - 2 * _MARGIN)
        x, width = x + _LOGO + _MARGIN, width - _LOGO - _MARGIN
    size = fitted(canvas.face(bold=True), title, width, 16, 8).size
    canvas.text(x, y + 9, title, size, width=width, align=Align.CENTER, bold=True)
    about = _ABOUT.format(address=document.consult_address or _PORTAL)
    for number, line in enumerate(wrapped(canvas.face(), about, width, 8)):
        canvas.text(x, y + 15 + number * 3.6, line, 8, width=width, align=Align.CENTER)
    return y + _BAND + _BETWEEN


def _draw_blocks(canvas: Canvas, blocks: tuple[Block, ...], y: float) -> float:
    for block in blocks:
        block.draw(canvas, y)
        y += block.height + _BETWEEN
    return y


def _first_blocks(canvas: Canvas, document: ArchivedInvoice, model: str) -> tuple[Block, ...]:
    invoice = document.invoice
    return (
        _issuer_block(canvas, invoice.issuer),
        _recipient_block(canvas, invoice),
        _document_block(canvas, document, model),
    )


def _issuer_block(canvas: Canvas, issuer: Issuer) -> Block:
    place = issuer.address
    rows = (
        row(
            canvas,
            Field("NOME / RAZÃO SOCIAL", issuer.name, CONTENT - 87, bold=True),
            Field("CNPJ / CPF", formats.tax_id(issuer.cnpj, issuer.cpf), 45),
            Field("INSCRIÇÃO ESTADUAL", issuer.state_registration or "", 42),
        ),
        row(
            canvas,
            Field("ENDEREÇO", street_of(place), CONTENT - 87),
            Field("BAIRRO / DISTRITO", place.district, 63),
            Field("CEP", formats.zipcode(place.zipcode), 24),
        ),
        row(
            canvas,
            Field("MUNICÍPIO", place.city, CONTENT - 52),
            Field("UF", place.state, 10),
            Field("FONE", formats.phone(place.phone), 42),
        ),
    )
    return Block("EMITENTE", rows)


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


def _draw_key(canvas: Canvas, access_key: str, y: float) -> float:
    """Go on below the document's row with its key, for machines and for people."""
    y -= _BETWEEN
    canvas.box(LEFT, y, CONTENT, _KEY_BAND)
    canvas.bitmap(bars(access_key), LEFT + 4, y + 2, _BARS - 8, _KEY_BAND - 4)
    x, width = LEFT + _BARS, CONTENT - _BARS
    canvas.rule(x, y, x, y + _KEY_BAND)
    canvas.text(x + 0.8, y + 2.1, "CHAVE DE ACESSO", form.TITLE_SIZE)
    canvas.text(x, y + 9.5, formats.key(access_key), 10.5, width=width, align=Align.CENTER, bold=True)
    return y + _KEY_BAND + _BETWEEN


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


def _texts(event: ArchivedEvent) -> Iterator[_Text]:
    if event.correction:
        yield _Text("CORREÇÃO", event.correction, 11)
    if event.conditions:
        yield _Text("CONDIÇÕES DE USO", event.conditions, 8)
    if event.reason:
        yield _Text("JUSTIFICATIVA", event.reason, 11)
    if event.replaced_by:
        yield _Text("CHAVE DE ACESSO DA NFC-e QUE A SUBSTITUI", formats.key(event.replaced_by), 11)


def _draw_text(canvas: Canvas, event: ArchivedEvent, text: _Text, y: float) -> float:
    lines = wrapped(canvas.face(), text.content, CONTENT - 2 * _MARGIN, text.size)
    caption, step = text.caption, text.size * _LEADING * POINT
    while lines:
        fitting = int((BOTTOM - y - CAPTION_HEIGHT - 2 * _MARGIN) / step)
        if fitting > 0:
            y = _draw_frame(canvas, lines[:fitting], text.size, draw_caption(canvas, caption, y))
            lines = lines[fitting:]
            caption = f"{text.caption} (CONTINUAÇÃO) - {formats.key(event.access_key)}"
        if lines:
            y = _begin_sheet(canvas, event)
    return y


def _draw_frame(canvas: Canvas, lines: tuple[str, ...], size: float, top: float) -> float:
    step = size * _LEADING * POINT
    height = 2 * _MARGIN + len(lines) * step
    canvas.box(LEFT, top, CONTENT, height)
    for number, line in enumerate(lines, 1):
        canvas.text(LEFT + _MARGIN, top + _MARGIN + number * step - size * 0.3 * POINT, line, size)
    return top + height + _BETWEEN
