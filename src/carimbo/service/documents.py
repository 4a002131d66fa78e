"""Documents as callers find them: which is meant, lists of them, and what happened to one."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.fields import Body, Record
from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.fiscal.local_time import BRASILIA
from carimbo.service.document_record import DocumentRecord, record_of
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.exact_json import read
from carimbo.service.issuing.workshop import issuing_of
from carimbo.service.kinds import kind_named
from carimbo.service.pages import Page, PageRequest
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_filter import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling


class EventRecord(Record):
    """Something that happened to a document."""

    id: UUID
    type: Happening
    status: Status
    sequence: int | None
    protocol: str | None
    authority_code: str | None
    authority_message: str | None
    created_at: datetime


@dataclass(frozen=True)
class Reference:
    """Which document is meant: one of a subscription and, where these are told, of a company and a type."""

    subscription_id: UUID
    document_id: UUID
    company_id: UUID | None = None
    kind: DocumentType | None = None


class DocumentQuery(Body):
    """What a list of documents is narrowed down to."""

    status: Status | None = None
    start_date: date | None = None
    end_date: date | None = None
    external_id: str | None = None


async def list_documents(
    database: Database,
    subscription_id: UUID,
    company_id: UUID,
    kind: DocumentType | None,
    query: DocumentQuery,
    request: PageRequest,
) -> Page[DocumentRecord]:
    """List a company's documents, newest first; of one type, or of all."""
    wanted = DocumentFilter(
        type=kind.name if kind else None,
        status=query.status,
        created_from=_midnight(query.start_date),
        created_before=_midnight(_day_after(query.end_date)),
        external_id=query.external_id,
    )
    async with database.autocommit(subscription_id) as tenant:
        found = await tenant.documents.page(company_id, wanted, request.offset, request.page_size)
        total = await tenant.documents.count(company_id, wanted)
    return Page([record_of(document) for document in found], total, request)


async def read_document(database: Database, which: Reference) -> DocumentRecord:
    """Read a document."""
    async with database.autocommit(which.subscription_id) as tenant:
        return record_of(await require_document(tenant, which))


async def read_events(database: Database, which: Reference) -> list[EventRecord]:
    """Tell the whole history of a document, oldest first, and what is being told of it last."""
    async with database.autocommit(which.subscription_id) as tenant:
        await require_document(tenant, which)
        events = await tenant.document_events.all(which.document_id)
        under_way = await tenant.event_filings.under_way(which.document_id)
    return [*map(EventRecord.model_validate, events), *map(_under_way, under_way)]


async def require_document(tenant: Tenant, which: Reference) -> Document:
    """Find the document that is meant, or refuse as if it never existed."""
    document = await tenant.documents.get(which.document_id)
    if document is None or not _is(document, which):
        raise unknown_document()
    return document


def unknown_document() -> Refusal:
    """The refusal of a document that is not there."""
    return not_found("Documento não encontrado.")


def stored_request(document: Document) -> Body:
    """The request that a document is made of."""
    return issuing_of(kind_named(document.type)).request.model_validate(read(document.request))


def wrong_state(document: Document, *allowed: Status) -> Refusal:
    """Refuse what a document's status does not permit."""
    return Refusal(Code.INVALID_STATE, currentStatus=document.status, allowed=[*allowed])


def _is(document: Document, which: Reference) -> bool:
    of_company = which.company_id in (None, document.company_id)
    return of_company and (which.kind is None or which.kind.name == document.type)


def _under_way(filing: EventFiling) -> EventRecord:
    return EventRecord(
        id=filing.id,
        type=Happening(filing.type),
        status=Status.PROCESSING,
        sequence=filing.sequence,
        protocol=None,
        authority_code=None,
        authority_message=None,
        created_at=filing.created_at,
    )


def _day_after(day: date | None) -> date | None:
    """The next day; after the last one of the calendar nothing comes."""
    return None if day in (None, date.max) else day + timedelta(days=1)


def _midnight(day: date | None) -> datetime | None:
    """When a caller's day begins, which is Brasília's."""
    return None if day is None else datetime.combine(day, time(), BRASILIA)
