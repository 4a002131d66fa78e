"""The files of statements that have legal force: what was signed, with its registration."""

from dataclasses import dataclass
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.lifecycle import FilingState
from carimbo.service import archived_files as files
from carimbo.service.archived_files import consulted_event_file
from carimbo.service.document_files import XmlFile, require_xml
from carimbo.service.documents import Reference, require_document
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.filing.inutilize import require_range
from carimbo.service.filing.numbers import voiding_of
from carimbo.service.filing.outcome import FilingStatus, status_of
from carimbo.service.kinds import kind_named
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling
from carimbo.storage.filings import Filing


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """An event of a document's history."""

    document: Document
    kind: EventKind
    filing: EventFiling | None
    """None for an event of another sender, which a consult returned."""

    @property
    def sequence(self) -> int:
        return self.filing.sequence if self.filing else 1


async def read_event_xml(database: Database, which: Reference, event_id: UUID) -> XmlFile:
    """The file of an event in a document's history."""
    async with database.autocommit(which.subscription_id) as tenant:
        event = await require_event(tenant, await require_document(tenant, which), event_id)
        return XmlFile(f"{event_id}.xml", await event_xml(tenant, event))


async def require_event(tenant: Tenant, document: Document, event_id: UUID) -> HistoryEvent:
    """Find an event that may have a file, or refuse as if it never existed."""
    filing = await tenant.event_filings.get(event_id)
    if filing and filing.document_id != document.id:
        raise _no_event()
    name = filing.type if filing else await _consulted_type(tenant, document, event_id)
    return HistoryEvent(document, kind_named(document.type).event_named(name), filing)


async def event_xml(tenant: Tenant, event: HistoryEvent) -> bytes:
    """What was signed, with its registration; refused where there is none."""
    if event.filing is None:
        return await _consulted_xml(tenant, event)
    signed, registration = await _registered(tenant, event.filing)
    require_xml(event.document, signed, registration)
    return event.kind.registered(signed, registration)


async def read_range_xml(
    database: Database, subscription_id: UUID, company_id: UUID, kind: DocumentType, range_id: UUID
) -> XmlFile:
    """The file of numbers that were given up."""
    async with database.autocommit(subscription_id) as tenant:
        filing = await require_range(tenant, company_id, kind, range_id)
        signed, registration = await _registered(tenant, filing)
    return XmlFile(f"{range_id}.xml", voiding_of(kind).registered(signed, registration))


async def _registered(tenant: Tenant, filing: Filing) -> tuple[bytes, bytes]:
    signed = await tenant.archive.get(filing.id, files.SIGNED)
    registration = await tenant.archive.get(filing.id, files.REGISTRATION)
    if signed is None or registration is None:
        sentence = (
            "A autoridade confirmou o registro sem devolver o recibo de que se faz o XML."
            if filing.state == FilingState.REGISTERED
            else "A autoridade não registrou este evento, ou ainda não se sabe se o registrou."
        )
        raise Refusal(
            Code.INVALID_STATE, sentence, currentStatus=status_of(filing), allowed=[FilingStatus.AUTHORIZED]
        )
    return signed, registration


async def _consulted_type(tenant: Tenant, document: Document, event_id: UUID) -> str:
    """Returns the name of the event of another sender that an entry of the history is about."""
    names = {event.name for event in kind_named(document.type).events}
    for entry in await tenant.document_events.all(document.id):
        if entry.id == event_id and entry.type in names:
            return entry.type
    raise _no_event()


async def _consulted_xml(tenant: Tenant, event: HistoryEvent) -> bytes:
    digest = event.document.emission and event.document.emission.digest
    xml = await tenant.archive.get(event.document.id, consulted_event_file(event.kind.name, digest or ""))
    if not xml:
        raise _no_event()
    return xml


def _no_event() -> Refusal:
    return not_found("O documento não tem um evento com este id e com XML.")
