"""The page of an event of a CT-e or CT-e OS."""

from carimbo.fiscal.layouts.cte_v4.archived import read_archived_waybill
from carimbo.fiscal.layouts.cte_v4.dialect import CTE_DIALECT
from carimbo.fiscal.layouts.cteos_v4.archived import read_archived_os_waybill
from carimbo.fiscal.layouts.sefaz.archived import read_archived_event
from carimbo.fiscal.printout import EventPrint
from carimbo.printing import formats
from carimbo.printing.dacte.event_parts import event_parts, event_title
from carimbo.printing.dacte.header import Archived
from carimbo.printing.dacte.parties import Party, taker_of
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.sefaz_event import document_block, sefaz_event_sheet, sefaz_issuer_block
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row

_PORTAL = "www.cte.fazenda.gov.br/portal"


def draw_waybill_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event of a CT-e on A4."""
    document = read_archived_waybill(order.document)
    return _drawn(typeface, order, "CT-e", document, taker_of(document.waybill))


def draw_os_waybill_event(typeface: Typeface, order: EventPrint) -> bytes:
    """Draws an event of a CT-e OS on A4."""
    document = read_archived_os_waybill(order.document)
    return _drawn(typeface, order, "CT-e OS", document, document.waybill.taker)


def _drawn(
    typeface: Typeface, order: EventPrint, name: str, document: Archived, taker: Party | None
) -> bytes:
    event, waybill = read_archived_event(CTE_DIALECT, order.event), document.waybill
    ide = waybill.identification
    title = event_title(event, name)
    canvas = Canvas(typeface, f"{title} - {name} nº {ide.number} série {ide.series}")
    sheet = sefaz_event_sheet(
        canvas,
        title,
        event,
        address=_PORTAL,
        document=(
            sefaz_issuer_block(canvas, waybill.issuer),
            _taker_block(canvas, taker),
            document_block(canvas, name, ide, document.protocol, waybill.price.amount),
        ),
        parts=tuple(event_parts(event)),
    )
    return sheet.drawn(order.logo)


def _taker_block(canvas: Canvas, taker: Party | None) -> Block:
    fields = (
        PrintedField("NOME / RAZÃO SOCIAL", taker.name if taker else "", CONTENT - 87),
        PrintedField("CNPJ / CPF", formats.tax_id(taker.cnpj, taker.cpf) if taker else "", 45),
        PrintedField("INSCRIÇÃO ESTADUAL", (taker.state_registration if taker else None) or "", 42),
    )
    return Block("TOMADOR DO SERVIÇO", (row(canvas, *fields),))
