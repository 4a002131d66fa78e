"""Reading stored documents: one, lists of them, their requests and their histories."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import AS_STORED, Body, Record
from carimbo.fiscal.filing import UndoRequest
from carimbo.fiscal.identity.access_key import InvalidAccessKey
from carimbo.fiscal.identity.tax_ids import normalize
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.lifecycle import EMITTABLE, HistoryEntry, Status
from carimbo.fiscal.receiving import UnreadFile
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.xml_reading import UnreadableXml
from carimbo.service.actors import ActorRecord, actor_record
from carimbo.service.document_types import document_type_named, find_document_type, title_of
from carimbo.service.documents.record import DocumentRecord, number_of, record_of
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.json_values import read_exact_json
from carimbo.service.listing import Page, PageRequest, first_moment, moment_after
from carimbo.service.stored_records import UNREADABLE, log_unreadable, readable_record
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.document_search import DocumentFilter
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling

_UNREADABLE_BODY = "O corpo guardado deste documento não pôde ser lido: avise quem opera o serviço."
# Only for a document that was not issued. For an issued one, a new order would issue it a second time.
_UNREADABLE_DRAFT = (
    "O corpo guardado deste documento não pôde ser lido: crie outro documento ou avise quem opera o serviço."
)
_DAMAGED_KEY = "A chave de acesso guardada deste documento está danificada: avise quem opera o serviço."
_UNREADABLE_XML = "O XML guardado não pôde ser lido: avise quem opera o serviço."
# The Id of an XML is the access key after these letters; a key itself begins with the digits of a state.
_ID_PREFIX = re.compile("^(NFE|CTE|MDFE|NFS)")


if TYPE_CHECKING:
    HistoryType = str
else:
    _EVENT_NAMES = (event.name for document_type in DOCUMENT_TYPES for event in document_type.events)
    _TYPES = dict.fromkeys((*(entry.value for entry in HistoryEntry), *_EVENT_NAMES))
    HistoryType = StrEnum("Happening", {name.upper(): name for name in _TYPES})


class EventRecord(Record):
    """An entry in the history of a document."""

    id: UUID
    type: Annotated[HistoryType, AS_STORED]
    status: Annotated[Status, AS_STORED]
    sequence: int | None
    protocol: str | None
    authority_code: str | None
    authority_message: str | None
    undone_event_id: UUID | None = Field(
        default=None, description="O evento que este desfaz, como o comprovante de uma entrega cancelada."
    )
    actor: ActorRecord | None = Field(
        default=None, description="Quem o causou; nulo no que vem da autoridade ou da própria emissão."
    )
    created_at: datetime


@dataclass(frozen=True)
class DocumentReference:
    """Identifies a document of a subscription and, if given, of a company and a collection."""

    subscription_id: UUID
    document_id: UUID
    company_id: UUID | None = None
    collection: str | None = None


@dataclass(frozen=True, kw_only=True)
class DocumentQuery:
    """The filters of a list of documents, as a caller writes them."""

    status: Status | None = None
    start_date: date | None = None
    """A day or a moment; without an offset, in the company's time zone."""
    end_date: date | None = None
    """The same; a day is included to its end."""
    external_id: str | None = None
    sale_id: UUID | None = None
    recipient_tax_id: str | None = None
    access_key: str | None = None
    number: int | None = None
    series: int | None = None
    is_open: bool | None = None
    """Whether it is authorized and was not closed, for documents that are closed."""
    plate: str | None = None
    driver_tax_id: str | None = None
    search: str | None = None


async def list_documents(
    database: Database,
    subscription_id: UUID,
    company: CompanyRow,
    types: Sequence[str] | None,
    query: DocumentQuery,
    request: PageRequest,
) -> Page[DocumentRecord]:
    """Lists a company's documents, newest first; of all types if none are given."""
    filter_ = document_filter(company, types, query)
    async with database.autocommit(subscription_id) as tenant:
        documents, total = await tenant.documents.page(company.id, filter_, request.offset, request.page_size)
    return Page([record_of(document) for document in documents], total, request)


async def read_document(database: Database, reference: DocumentReference) -> DocumentRecord:
    """Returns a document."""
    async with database.autocommit(reference.subscription_id) as tenant:
        return record_of(await require_document(tenant, reference))


async def read_document_and_company(
    database: Database, reference: DocumentReference
) -> tuple[DocumentRecord, UUID]:
    """Returns a document and the id of its company."""
    async with database.autocommit(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
    return record_of(document), document.company_id


async def read_document_and_request(
    database: Database, reference: DocumentReference
) -> tuple[DocumentRecord, Any]:
    """Returns a document and its request body, with corrections and with exact numbers."""
    async with database.autocommit(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
    record = record_of(document)
    try:
        return record, read_exact_json(document.posted)
    except ValueError as error:
        log_unreadable("documents", document.id, error)
    warnings = dict.fromkeys((*record.warnings, UNREADABLE))
    return record.model_copy(update={"warnings": [*warnings]}), None


async def read_events(database: Database, reference: DocumentReference) -> list[EventRecord]:
    """Returns the history of a document, oldest first, followed by the events in processing."""
    async with database.autocommit(reference.subscription_id) as tenant:
        document = await require_document(tenant, reference)
        events = await tenant.document_events.all(reference.document_id)
        filings = await tenant.event_filings.under_way(reference.document_id)
        undone = await _undone_events(tenant, document)
    history = [
        readable_record(
            "document_events",
            event.id,
            EventRecord,
            asdict(event) | {"undone_event_id": undone.get(event.id), "actor": actor_record(event.actor)},
        )
        for event in events
    ]
    pending = [
        readable_record(
            "event_filings",
            filing.id,
            EventRecord,
            asdict(filing)
            | {
                "status": Status.PROCESSING,
                "protocol": None,
                "undone_event_id": undone.get(filing.id),
                "actor": actor_record(filing.created_by),
            },
        )
        for filing in filings
    ]
    return [*history, *pending]


async def _undone_events(tenant: Tenant, document: Document) -> dict[UUID, UUID | None]:
    """Returns the events that others undo, by the ids of these others."""
    kinds = [event.name for event in document_type_named(document.type).events if event.undoes]
    if not kinds or document.emission is None:
        return {}
    undoings = await tenant.event_filings.of_document(document.id, document.emission.ordinal, *kinds)
    return {filing.id: undone_id(filing) for filing in undoings}


def undone_id(undoing: EventFiling) -> UUID | None:
    """Returns the id of the event that a stored event undoes."""
    return UndoRequest.model_validate(read_exact_json(undoing.request)).event_id


async def require_document(tenant: Tenant, reference: DocumentReference) -> Document:
    """Returns the document of a reference, or refuses as if it never existed."""
    document = await tenant.documents.get(reference.document_id)
    if document is None or reference.company_id not in (None, document.company_id):
        raise unknown_document()
    document_type = find_document_type(document.type)
    collection = document_type and document_type.read_collection
    if reference.collection not in (None, collection):
        raise unknown_document()
    return document


async def audit_document(
    tenant: Tenant, action: AuditAction, document: Document, details: Mapping[str, Any] | None = None
) -> None:
    """Stores in the audit what somebody did with a document, if its history does not say it."""
    emission = document.emission
    number = emission and number_of(document.type, emission.number, emission.assigned_number)
    reference = number or document.external_id or "sem número"
    await tenant.audit.add(
        action,
        company_id=document.company_id,
        subject_id=document.id,
        subject_name=f"{title_of(document.type)} {reference}",
        details=details,
    )


def unknown_document() -> Refusal:
    """Returns the refusal of a document that does not exist."""
    return not_found("Documento não encontrado.")


def read_request(document: Document) -> Body:
    """Returns the request of a document; raises ValueError if it can't be read."""
    return document_type_named(document.type).issuing.request.model_validate(
        read_exact_json(document.request)
    )


def stored_request(document: Document) -> Body:
    """Returns the request of a document, or refuses if it can't be read."""
    with _refusing_unreadable_body(document):
        return read_request(document)


def posted_body(document: Document) -> Any:
    """Returns the JSON as the caller sent it, or refuses if it can't be read."""
    with _refusing_unreadable_body(document):
        return read_exact_json(document.posted)


def posted_request(document: Document) -> Body:
    """Returns the request as the caller sent it, before it was filled from the catalog, or refuses."""
    with _refusing_unreadable_body(document):
        return document_type_named(document.type).issuing.request.model_validate(
            read_exact_json(document.posted)
        )


def wrong_state(document: Document, *allowed: Status) -> Refusal:
    """Returns the refusal of an operation that the document's status does not allow."""
    return Refusal(ErrorCode.INVALID_STATE, currentStatus=document.status, allowed=[*allowed])


def refusing_damaged_key(document: Document) -> AbstractContextManager[None]:
    """Returns a context manager that refuses a document whose stored access key is invalid."""
    return _refusing(document, InvalidAccessKey, _DAMAGED_KEY)


def refusing_unreadable_xml(document: Document) -> AbstractContextManager[None]:
    """Returns a context manager that refuses a document whose stored XML can't be read."""
    return _refusing(document, (UnreadableDocument, UnreadableXml, UnreadFile), _UNREADABLE_XML)


def missing_xml_refusal(document: Document) -> Refusal:
    """Returns the refusal of a document without authorized XML: it is not issued, or the file was lost."""
    issued = (Status.AUTHORIZED, Status.CANCELED)
    if document.status not in issued:
        return wrong_state(document, *issued)
    return Refusal(ErrorCode.INVALID_STATE, _UNREADABLE_XML, currentStatus=document.status, allowed=[])


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
        raise Refusal(ErrorCode.INVALID_STATE, sentence, currentStatus=document.status, allowed=[]) from error


def document_filter(company: CompanyRow, types: Sequence[str] | None, query: DocumentQuery) -> DocumentFilter:
    """Returns the filter of a list of a company's documents."""
    state = company.state
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
        is_open=query.is_open,
        plate=query.plate and normalize(query.plate),
        driver=query.driver_tax_id and normalize(query.driver_tax_id),
        search=(query.search or "").strip() or None,
    )
