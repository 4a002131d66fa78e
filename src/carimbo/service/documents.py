"""Documents as callers find them: which is meant, lists of them, and what happened to one."""

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from carimbo.fiscal.access_key import InvalidAccessKey
from carimbo.fiscal.fields import AS_STORED, Body, Record
from carimbo.fiscal.layouts.reading import Unreadable
from carimbo.fiscal.lifecycle import EMITTABLE, Happening, Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.taxpayer import normalize
from carimbo.fiscal.xml_reading import UnreadableXml
from carimbo.service.date_bounds import first_moment, moment_after
from carimbo.service.document_record import DocumentRecord, record_of
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.exact_json import read
from carimbo.service.kinds import find_kind, kind_named
from carimbo.service.pages import Page, PageRequest
from carimbo.service.readable import UNREADABLE, log_unreadable, readable_record
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_filter import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling

_UNREADABLE_BODY = "O corpo guardado deste documento não pôde ser lido: avise quem opera o serviço."
# Only of a document that was not issued: another one in its place would be issued twice.
_UNREADABLE_DRAFT = (
    "O corpo guardado deste documento não pôde ser lido: crie outro documento ou avise quem opera o serviço."
)
_DAMAGED_KEY = "A chave de acesso guardada deste documento está danificada: avise quem opera o serviço."
_UNREADABLE_XML = "O XML guardado não pôde ser lido: avise quem opera o serviço."
# The Id of an XML is its access key after these letters; a key itself begins with the digits of a state.
_ID_PREFIX = re.compile("^(NFE|CTE|MDFE|NFS)")


if TYPE_CHECKING:
    HistoryType = str
else:
    _EVENT_NAMES = (event.name for kind in DOCUMENT_TYPES for event in kind.events)
    _TYPES = dict.fromkeys((*(entry.value for entry in Happening), *_EVENT_NAMES))
    HistoryType = StrEnum("Happening", {name.upper(): name for name in _TYPES})


class EventRecord(Record):
    """Something that happened to a document."""

    id: UUID
    type: Annotated[HistoryType, AS_STORED]
    status: Annotated[Status, AS_STORED]
    sequence: int | None
    protocol: str | None
    authority_code: str | None
    authority_message: str | None
    created_at: datetime


@dataclass(frozen=True)
class Reference:
    """Which document is meant: one of a subscription and, if given, of a company and a collection."""

    subscription_id: UUID
    document_id: UUID
    company_id: UUID | None = None
    collection: str | None = None


@dataclass(frozen=True, kw_only=True)
class DocumentQuery:
    """The filters of a list of documents, as a caller writes them."""

    status: Status | None = None
    start_date: date | None = None
    """A day or a moment; without an offset, by the company's clock."""
    end_date: date | None = None
    """The same; a day counts to its end."""
    external_id: str | None = None
    sale_id: UUID | None = None
    recipient_tax_id: str | None = None
    access_key: str | None = None
    number: int | None = None
    series: int | None = None
    search: str | None = None


async def list_documents(
    database: Database,
    subscription_id: UUID,
    company: Company,
    types: Sequence[str] | None,
    query: DocumentQuery,
    request: PageRequest,
) -> Page[DocumentRecord]:
    """Lists a company's documents, newest first; of some types, or of all."""
    wanted = _filter(company, types, query)
    async with database.autocommit(subscription_id) as tenant:
        documents, total = await tenant.documents.page(company.id, wanted, request.offset, request.page_size)
    return Page([record_of(document) for document in documents], total, request)


async def read_document(database: Database, which: Reference) -> DocumentRecord:
    """Read a document."""
    async with database.autocommit(which.subscription_id) as tenant:
        return record_of(await require_document(tenant, which))


async def read_document_and_request(database: Database, which: Reference) -> tuple[DocumentRecord, Any]:
    """Returns a document and the body that it is made of, corrections included, with exact numbers."""
    async with database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
    record = record_of(document)
    try:
        return record, read(document.posted)
    except ValueError as error:
        log_unreadable("documents", document.id, error)
    warnings = dict.fromkeys((*record.warnings, UNREADABLE))
    return record.model_copy(update={"warnings": [*warnings]}), None


async def read_events(database: Database, which: Reference) -> list[EventRecord]:
    """Returns the history of a document, oldest first, and after it the events that are under way."""
    async with database.autocommit(which.subscription_id) as tenant:
        await require_document(tenant, which)
        events = await tenant.document_events.all(which.document_id)
        under_way = await tenant.event_filings.under_way(which.document_id)
    history = [readable_record("document_events", event.id, EventRecord, asdict(event)) for event in events]
    return [*history, *map(_under_way, under_way)]


async def require_document(tenant: Tenant, which: Reference) -> Document:
    """Find the document that is meant, or refuse as if it never existed."""
    document = await tenant.documents.get(which.document_id)
    if document is None or not _is(document, which):
        raise unknown_document()
    return document


def unknown_document() -> Refusal:
    """The refusal of a document that is not there."""
    return not_found("Documento não encontrado.")


def read_request(document: Document) -> Body:
    """Returns the request that a document is made of; raises ValueError if it can't be read."""
    return kind_named(document.type).issuing.request.model_validate(read(document.request))


def stored_request(document: Document) -> Body:
    """Returns the request that a document is made of, or refuses if it can't be read."""
    with _refusing_unreadable_body(document):
        return read_request(document)


def posted_body(document: Document) -> Any:
    """Returns the JSON as the caller sent it, or refuses if it can't be read."""
    with _refusing_unreadable_body(document):
        return read(document.posted)


def posted_request(document: Document) -> Body:
    """Returns the request as the caller sent it, before it was filled, or refuses if it can't be read."""
    with _refusing_unreadable_body(document):
        return kind_named(document.type).issuing.request.model_validate(read(document.posted))


def wrong_state(document: Document, *allowed: Status) -> Refusal:
    """Refuse what a document's status does not permit."""
    return Refusal(Code.INVALID_STATE, currentStatus=document.status, allowed=[*allowed])


def refusing_damaged_key(document: Document) -> AbstractContextManager[None]:
    """Refuses work on a document whose stored access key is none."""
    return _refusing(document, InvalidAccessKey, _DAMAGED_KEY)


def refusing_unreadable_xml(document: Document) -> AbstractContextManager[None]:
    """Refuses work on a document whose stored XML can't be read."""
    return _refusing(document, (Unreadable, UnreadableXml), _UNREADABLE_XML)


def without_xml(document: Document) -> Refusal:
    """Returns the refusal of a document that has no XML with legal force: not yet, or it was lost."""
    issued = (Status.AUTHORIZED, Status.CANCELED)
    if document.status not in issued:
        return wrong_state(document, *issued)
    return Refusal(Code.INVALID_STATE, _UNREADABLE_XML, currentStatus=document.status, allowed=[])


def _refusing_unreadable_body(document: Document) -> AbstractContextManager[None]:
    sentence = _UNREADABLE_DRAFT if document.status in EMITTABLE else _UNREADABLE_BODY
    return _refusing(document, ValueError, sentence)


@contextmanager
def _refusing(
    document: Document, errors: type[ValueError] | tuple[type[ValueError], ...], sentence: str
) -> Iterator[None]:
    try:
        yield
    except errors as error:
        log_unreadable("documents", document.id, error)
        raise Refusal(Code.INVALID_STATE, sentence, currentStatus=document.status, allowed=[]) from error


def _is(document: Document, which: Reference) -> bool:
    of_company = which.company_id in (None, document.company_id)
    kind = find_kind(document.type)
    return of_company and (which.collection is None or (kind and kind.read_collection) == which.collection)


def _under_way(filing: EventFiling) -> EventRecord:
    values = asdict(filing) | {"status": Status.PROCESSING, "protocol": None}
    return readable_record("event_filings", filing.id, EventRecord, values)


def _filter(company: Company, types: Sequence[str] | None, query: DocumentQuery) -> DocumentFilter:
    state = (company.address or {}).get("state")
    return DocumentFilter(
        types=types,
        status=query.status,
        created_from=first_moment(query.start_date, state),
        created_before=moment_after(query.end_date, state),
        external_id=query.external_id,
        sale_id=query.sale_id,
        recipient_tax_id=query.recipient_tax_id and normalize(query.recipient_tax_id),
        access_key=query.access_key and _ID_PREFIX.sub("", normalize(query.access_key)),
        number=query.number,
        series=query.series,
        search=(query.search or "").strip() or None,
    )
