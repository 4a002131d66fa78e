"""What the event pages of all SEFAZ documents share: issuer, document, event, bar code of the key."""

from collections.abc import Sequence
from decimal import Decimal

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.layouts.cte_v4.identification import WaybillIdentification
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.mdfe_v3.identification import ManifestIdentification
from carimbo.fiscal.layouts.nfe_v4.identification import Identification
from carimbo.fiscal.layouts.nfe_v4.parties import Issuer
from carimbo.fiscal.layouts.sefaz.archived import ArchivedEvent, ArchivedProtocol
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.engine.images import code_128
from carimbo.printing.event_sheet import EventPart, EventSheet, SizedBitmap, issuer_block
from carimbo.printing.issuer_box import TransportIssuer, issuer_tax_id
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row

_ABOUT = (
    "Representação impressa de um evento registrado pela Sefaz autorizadora.\n"
    "Consulte sua autenticidade em {address} ou no site da Sefaz autorizadora."
)
_BARS, _BARS_HEIGHT = 87.0, 11.0


def sefaz_event_sheet(
    canvas: Canvas,
    title: str,
    event: ArchivedEvent,
    *,
    address: str,
    document: Sequence[Block],
    parts: Sequence[EventPart],
) -> EventSheet:
    """Returns the page of an event that can be checked at an address."""
    return EventSheet(
        canvas,
        title,
        about=_ABOUT.format(address=address),
        is_test=event.environment == Environment.HOMOLOGATION.code,
        access_key=event.access_key,
        code=SizedBitmap(code_128(event.access_key), _BARS, _BARS_HEIGHT),
        document=document,
        event=_event_block(canvas, event),
        parts=parts,
    )


def sefaz_issuer_block(canvas: Canvas, issuer: Issuer | TransportIssuer) -> Block:
    """Returns the block of the issuer."""
    place = issuer.address
    named = row(
        canvas,
        PrintedField("NOME / RAZÃO SOCIAL", issuer.name, CONTENT - 87, bold=True),
        PrintedField("CNPJ / CPF", issuer_tax_id(issuer), 45),
        PrintedField("INSCRIÇÃO ESTADUAL", issuer.state_registration or "", 42),
    )
    return issuer_block(canvas, named, place, place.city, place.phone)


def document_block(
    canvas: Canvas,
    name: str,
    ide: Identification | WaybillIdentification | OsIdentification | ManifestIdentification,
    protocol: ArchivedProtocol | None,
    amount: Decimal,
) -> Block:
    """Returns the block of the document, with the name of its type."""
    fields = (
        PrintedField("MODELO", f"{ide.model} - {name}", 28),
        PrintedField("SÉRIE", f"{ide.series:03}", 16),
        PrintedField("NÚMERO", formats.invoice_number(ide.number), 32),
        PrintedField("DATA E HORA DA EMISSÃO", formats.day_and_hour(ide.issued_at), 42),
        PrintedField("PROTOCOLO DE AUTORIZAÇÃO", (protocol and protocol.number) or "", CONTENT - 154),
        PrintedField("VALOR TOTAL R$", formats.number(amount), 36, Align.RIGHT),
    )
    return Block(f"{name} A QUE O EVENTO SE REFERE", (row(canvas, *fields),))


def _event_block(canvas: Canvas, event: ArchivedEvent) -> Block:
    protocol = event.protocol
    rows = (
        row(
            canvas,
            PrintedField("TIPO", f"{event.event_type} - {event.description}", CONTENT - 104),
            PrintedField("SEQUÊNCIA", str(event.sequence), 24),
            PrintedField("DATA E HORA DO EVENTO", formats.day_and_hour(event.occurred_at), 80),
        ),
        row(
            canvas,
            PrintedField("SITUAÇÃO", f"{protocol.code} - {protocol.message}", CONTENT - 104),
            PrintedField("PROTOCOLO", protocol.number or "", 50, bold=True),
            PrintedField("DATA E HORA DO REGISTRO", formats.day_and_hour(protocol.at), 54),
        ),
    )
    return Block("EVENTO", rows)
