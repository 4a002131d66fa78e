"""The XML files of filings that have legal force: the signed request with its registration."""

from dataclasses import dataclass
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.filing import EventKind
from carimbo.fiscal.lifecycle import FilingState
from carimbo.service.document_types import document_type_named
from carimbo.service.documents import files
from carimbo.service.documents.files import XmlFile, consulted_event_file, require_xml
from carimbo.service.documents.queries import DocumentReference, require_document
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.filing.in_progress import inutilization_rules_of
from carimbo.service.filing.inutilize import require_range
from carimbo.service.filing.outcome import FilingStatus, status_of
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling
from carimbo.storage.filings import Filing


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """An event in the history of a document."""

    document: Document
    kind: EventKind
    filing: EventFiling | None
    """None for an event that another program filed and that a consult returned."""

    @property
    def sequence(self) -> int:
        return self.filing.sequence if self.filing else 1


async def read_event_xml(database: Database, which: DocumentReference, event_id: UUID) -> XmlFile:
    """Returns the XML file of an event in the history of a document."""
    async with database.autocommit(which.subscription_id) as tenant:
        event = await require_event(tenant, await require_document(tenant, which), event_id)
        return XmlFile(f"{event_id}.xml", await event_xml(tenant, event))


async def require_event(tenant: Tenant, document: Document, event_id: UUID) -> HistoryEvent:
    """Returns an event of a document that may have a file. Raises Refusal."""
    filing = await tenant.event_filings.get(event_id)
    if filing and filing.document_id != document.id:
        raise _no_event()
    name = filing.type if filing else await _consulted_type(tenant, document, event_id)
    return HistoryEvent(document, document_type_named(document.type).event_named(name), filing)


async def printed_events(tenant: Tenant, document: Document) -> tuple[bytes, ...]:
    """Returns the files of the registered events of a document, for types that print them, in order."""
    document_type = document_type_named(document.type)
    if not document_type.prints_events or not document.facts:
        return ()
    names = {event.name for event in document_type.events}
    history = [entry for entry in await tenant.document_events.all(document.id) if entry.type in names]
    files: list[bytes] = []
    for entry in history:
        try:
            files.append(await event_xml(tenant, await require_event(tenant, document, entry.id)))
        except Refusal:
            # An event that was refused, or whose receipt the authority did not return, has no file.
            continue
    return tuple(files)


async def event_xml(tenant: Tenant, event: HistoryEvent) -> bytes:
    """Returns the signed event with its registration. Raises Refusal if it was not registered."""
    if event.filing is None:
        return await _consulted_xml(tenant, event)
    signed, registration = await registered_files(tenant, event.filing)
    require_xml(event.document, signed, registration)
    return event.kind.registered(signed, registration)


async def read_range_xml(
    database: Database, subscription_id: UUID, company_id: UUID, document_type: DocumentType, range_id: UUID
) -> XmlFile:
    """Returns the XML file of an inutilization."""
    async with database.autocommit(subscription_id) as tenant:
        filing = await require_range(tenant, company_id, document_type, range_id)
        signed, registration = await registered_files(tenant, filing)
    return XmlFile(f"{range_id}.xml", inutilization_rules_of(document_type).registered(signed, registration))


async def registered_files(tenant: Tenant, filing: Filing) -> tuple[bytes, bytes]:
    """Returns a signed request and its registration. Raises Refusal if there is none."""
    signed = await tenant.archive.get(filing.id, files.SIGNED)
    registration = await tenant.archive.get(filing.id, files.REGISTRATION)
    if signed is None or registration is None:
        is_registered = filing.state == FilingState.REGISTERED
        sentence = (
            "A autoridade confirmou o registro sem devolver o recibo de que se faz o XML."
            if is_registered
            else "A autoridade não registrou este evento, ou ainda não se sabe se o registrou."
        )
        allowed = [] if is_registered else [FilingStatus.AUTHORIZED]
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=status_of(filing), allowed=allowed)
    return signed, registration


async def _consulted_type(tenant: Tenant, document: Document, event_id: UUID) -> str:
    """Returns the type of an event that another program filed, from its entry in the history."""
    names = {event.name for event in document_type_named(document.type).events}
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
