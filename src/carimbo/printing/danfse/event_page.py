"""The page of an event of an NFS-e: a cancellation or a substitution."""

from collections.abc import Iterator

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.dps_v1.archived import (
    ArchivedServiceEvent,
    ArchivedServiceNote,
    read_archived_event,
    read_archived_note,
)
from carimbo.fiscal.layouts.dps_v1.issued_note import NoteIssuer
from carimbo.fiscal.layouts.dps_v1.parties import Taker
from carimbo.fiscal.printout import EventPrint
from carimbo.fiscal.tables.geography import municipality_of_ibge
from carimbo.printing import formats
from carimbo.printing.danfse.values import CANCELLATIONS, SUBSTITUTIONS, consult_address
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import qr_code
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.event_sheet import EventSheet, EventText, SizedBitmap, issuer_block
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row

_ABOUT = (
    "Representação impressa de um evento registrado no Sistema Nacional NFS-e.\n"
    "Consulte sua autenticidade pelo código QR ou, com a chave de acesso, no portal nacional da NFS-e."
)
_CODE = 20.0


def draw_service_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event of an NFS-e on A4."""
    event, document = read_archived_event(order.event), read_archived_note(order.document)
    title = event.detail.description.upper().replace("NFS-E", "NFS-e")
    canvas = Canvas(typeface, f"{title} - NFS-e nº {document.issued.number}")
    environment = event.heading.environment
    sheet = EventSheet(
        canvas,
        title,
        about=_ABOUT,
        is_test=environment == Environment.HOMOLOGATION.code,
        access_key=document.access_key,
        code=SizedBitmap(qr_code(consult_address(document.access_key, environment)), _CODE, _CODE),
        document=(
            _issuer_block(canvas, document.issued.issuer),
            _taker_block(canvas, document.note.taker),
            _note_block(canvas, document),
        ),
        event=_event_block(canvas, event),
        parts=tuple(_texts(event)),
    )
    return sheet.drawn(order.logo)


def _issuer_block(canvas: Canvas, issuer: NoteIssuer) -> Block:
    place = issuer.address
    named = row(
        canvas,
        PrintedField("NOME / NOME EMPRESARIAL", issuer.name, CONTENT - 87, bold=True),
        PrintedField("CNPJ / CPF", formats.tax_id(issuer.cnpj, issuer.cpf), 45),
        PrintedField("INSCRIÇÃO MUNICIPAL", issuer.municipal_registration or "", 42),
    )
    city = municipality_of_ibge(place.city_code)
    return issuer_block(canvas, named, place, city.name if city else "", issuer.phone)


def _taker_block(canvas: Canvas, taker: Taker | None) -> Block:
    name = taker.name if taker else "TOMADOR NÃO IDENTIFICADO"
    tax_id = formats.tax_id(taker.cnpj, taker.cpf) or taker.foreign_id if taker else None
    fields = (
        PrintedField("NOME / NOME EMPRESARIAL", name, CONTENT - 87),
        PrintedField("CNPJ / CPF / NIF", tax_id or "", 45),
        PrintedField("INSCRIÇÃO MUNICIPAL", (taker.municipal_registration if taker else None) or "", 42),
    )
    return Block("TOMADOR / ADQUIRENTE", (row(canvas, *fields),))


def _note_block(canvas: Canvas, document: ArchivedServiceNote) -> Block:
    issued, note = document.issued, document.note
    fields = (
        PrintedField("NÚMERO DA NFS-e", str(issued.number), 34),
        PrintedField("DATA E HORA DA EMISSÃO DA NFS-e", formats.day_and_hour(issued.processed_at), 44),
        PrintedField("COMPETÊNCIA", formats.day(note.competence), 28),
        PrintedField("SÉRIE DA DPS", str(note.series), 20),
        PrintedField("NÚMERO DA DPS", str(note.number), CONTENT - 164),
        PrintedField("VALOR DO SERVIÇO R$", formats.number(note.amounts.service.amount), 38, Align.RIGHT),
    )
    return Block("NFS-e A QUE O EVENTO SE REFERE", (row(canvas, *fields),))


def _event_block(canvas: Canvas, event: ArchivedServiceEvent) -> Block:
    heading, registration = event.heading, event.registration
    rows = (
        row(
            canvas,
            PrintedField("TIPO", f"{event.event_type} - {event.detail.description}", CONTENT - 104),
            PrintedField("SEQUÊNCIA", str(registration.sequence), 24),
            PrintedField("DATA E HORA DO EVENTO", formats.day_and_hour(heading.occurred_at), 80),
        ),
        row(
            canvas,
            PrintedField("IDENTIFICADOR DO REGISTRO", registration.id, CONTENT - 84),
            PrintedField("AUTOR", formats.tax_id(heading.cnpj, heading.cpf), 42),
            PrintedField("DATA E HORA DO REGISTRO", formats.day_and_hour(registration.processed_at), 42),
        ),
    )
    return Block("EVENTO", rows)


def _texts(event: ArchivedServiceEvent) -> Iterator[EventText]:
    detail = event.detail
    reasons = SUBSTITUTIONS if detail.replaced_by else CANCELLATIONS
    if code := detail.reason_code:
        yield EventText("MOTIVO", " - ".join(filter(None, (code, reasons.get(code)))), 11)
    if detail.reason:
        yield EventText("JUSTIFICATIVA", detail.reason, 11)
    if detail.replaced_by:
        yield EventText("CHAVE DE ACESSO DA NFS-e QUE A SUBSTITUI", formats.key(detail.replaced_by), 11)
