"""The page of an event of a CT-e or CT-e OS: a cancellation or a correction letter."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cte_v4.archived import read_archived_waybill
from carimbo.fiscal.layouts.cte_v4.dialect import CANCELLATION, CORRECTION, CTE_DIALECT
from carimbo.fiscal.layouts.cte_v4.events import CorrectedField, WaybillCorrection
from carimbo.fiscal.layouts.cteos_v4.archived import read_archived_os_waybill
from carimbo.fiscal.layouts.reading import read_group
from carimbo.fiscal.layouts.sefaz.archived import ArchivedEvent, read_archived_event
from carimbo.fiscal.printout import EventPrint
from carimbo.printing import formats
from carimbo.printing.dacte.header import Archived
from carimbo.printing.dacte.parties import Party, taker_of
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.engine.typeface import Typeface
from carimbo.printing.event_sheet import EventPart, EventTable, EventText
from carimbo.printing.sefaz_event import document_block, sefaz_event_sheet, sefaz_issuer_block
from carimbo.printing.sheet import CONTENT, Block, FormField, row

_PORTAL = "www.cte.fazenda.gov.br/portal"
_COLUMNS = {"GRUPO": 36.0, "CAMPO": 36.0, "ITEM": 14.0, "VALOR CORRIGIDO": CONTENT - 86}


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
    titles = {CORRECTION: "CARTA DE CORREÇÃO ELETRÔNICA", CANCELLATION: f"CANCELAMENTO DE {name}"}
    title = titles.get(event.event_type, event.description)
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
        parts=tuple(_parts(event)),
    )
    return sheet.drawn(order.logo)


def _taker_block(canvas: Canvas, taker: Party | None) -> Block:
    fields = (
        FormField("NOME / RAZÃO SOCIAL", taker.name if taker else "", CONTENT - 87),
        FormField("CNPJ / CPF", formats.tax_id(taker.cnpj, taker.cpf) if taker else "", 45),
        FormField("INSCRIÇÃO ESTADUAL", (taker.state_registration if taker else None) or "", 42),
    )
    return Block("TOMADOR DO SERVIÇO", (row(canvas, *fields),))


def _parts(event: ArchivedEvent) -> Iterator[EventPart]:
    if content := event.detail.part("evCCeCTe"):
        correction = read_group(WaybillCorrection, content.element)
        yield EventTable("CORREÇÕES", _COLUMNS, [_cells(change) for change in correction.corrections])
        yield EventText("CONDIÇÕES DE USO", correction.conditions, 8)
    if reason := event.detail.text("xJust"):
        yield EventText("JUSTIFICATIVA", reason, 11)


def _cells(change: CorrectedField) -> tuple[str, ...]:
    item = "" if change.item_number is None else str(change.item_number)
    return change.group, change.field, item, change.value
