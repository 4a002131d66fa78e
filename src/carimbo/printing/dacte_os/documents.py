"""The tables of a CT-e OS: insurance of the trip, and all documents that it refers to."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cteos_v4.service import (
    GtveComponent,
    OsService,
    ReferencedGtve,
    ReferencedTicket,
    TripInsurance,
)
from carimbo.fiscal.layouts.cteos_v4.waybill import OsWaybill
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.entry_table import HALF, EntryColumn, EntryTable, PrintedEntry, entry_table
from carimbo.printing.key_table import KEYED, key_table, keyed_entry

_NAME = "CT-e OS"
_REFERENCED = "DOCUMENTOS REFERENCIADOS"
_INSURANCE = (
    EntryColumn("RESPONSÁVEL", 16),
    EntryColumn("SEGURADORA", 50),
    EntryColumn("NÚMERO DA APÓLICE", HALF - 66),
)
_TICKETS = (
    EntryColumn("NÚMERO", 34),
    EntryColumn("SÉRIE", 12),
    EntryColumn("SUBSÉRIE", 12),
    EntryColumn("EMISSÃO", 16),
    EntryColumn("VALOR", HALF - 74),
)
_RESPONSIBLE = {"4": "EMITENTE", "5": "TOMADOR"}
_COMPONENTS = {
    "1": "Custódia",
    "2": "Embarque",
    "3": "Tempo de espera",
    "4": "Malote",
    "5": "Ad valorem",
    "6": "Outros",
}


def insurance_table(canvas: Canvas, service: OsService | None) -> Iterator[EntryTable]:
    """Yields the insurance of the trip, if the document has some."""
    if service and service.insurance:
        caption = "INFORMAÇÕES DO SEGURO DA VIAGEM"
        yield entry_table(canvas, caption, _INSURANCE, map(_insurance, service.insurance))


def referenced_tables(canvas: Canvas, waybill: OsWaybill) -> Iterator[EntryTable]:
    """Yields at least one table, which may be empty."""
    service = waybill.service
    if service is None:
        keys = (item.access_key for item in waybill.complemented)
        yield key_table(canvas, f"{_NAME} COMPLEMENTADO", _NAME, keys)
        return
    tables = list(_tables(canvas, service))
    yield from tables or [entry_table(canvas, _REFERENCED, KEYED, ())]


def _tables(canvas: Canvas, service: OsService) -> Iterator[EntryTable]:
    """Yields the documents by type: electronic tickets, tickets on paper, guides, other CT-e OS."""
    tickets = service.referenced_documents
    keys = [ticket.bpe_access_key for ticket in tickets if ticket.bpe_access_key]
    if keys:
        yield key_table(canvas, f"{_REFERENCED} - BP-e", "BP-e", keys)
    papers = [ticket for ticket in tickets if not ticket.bpe_access_key]
    if papers:
        yield entry_table(canvas, _REFERENCED, _TICKETS, map(_ticket, papers))
    if service.gtves:
        yield entry_table(canvas, f"{_REFERENCED} - GTV-e", KEYED, map(_guide, service.gtves))
    if service.substitution:
        yield key_table(canvas, f"{_NAME} SUBSTITUÍDO", _NAME, (service.substitution.access_key,))
    if service.canceled_access_key:
        yield key_table(canvas, f"{_NAME} CANCELADO", _NAME, (service.canceled_access_key,))


def _insurance(insurance: TripInsurance) -> PrintedEntry:
    responsible = _RESPONSIBLE.get(insurance.responsible, insurance.responsible)
    return PrintedEntry((responsible, insurance.insurer_name or "", insurance.policy_number or ""))


def _ticket(ticket: ReferencedTicket) -> PrintedEntry:
    return PrintedEntry(
        (
            ticket.number or "",
            ticket.series or "",
            ticket.subseries or "",
            formats.day(ticket.issue_date),
            formats.optional(ticket.amount),
        )
    )


def _guide(guide: ReferencedGtve) -> PrintedEntry:
    """Returns a guide with its part of the price below."""
    return keyed_entry("GTV-e", guide.access_key, "; ".join(map(_component, guide.components)))


def _component(component: GtveComponent) -> str:
    name = _COMPONENTS.get(component.type, component.type)
    described = f"{name} ({component.description})" if component.description else name
    return f"{described} R$ {formats.number(component.amount)}"
