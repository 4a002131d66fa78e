"""Documents as callers read them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import EmissionType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Number, Record
from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.cancellation_terms import cancelable_until
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.exact_json import read
from carimbo.service.issuing.files import authorization_file, refusal_file, signed_file
from carimbo.service.issuing.workshop import issuing_of
from carimbo.service.pages import Page, PageRequest
from carimbo.storage.database import Database, Tenant
from carimbo.storage.documents import Document, DocumentFilter
from carimbo.storage.emissions import Emission
from carimbo.storage.event_filings import EventFiling

_BY_NAME: Mapping[str, DocumentType] = {kind.name: kind for kind in DOCUMENT_TYPES}


class Rejection(Record):
    """Why a document was refused, and what to do about it."""

    code: str = Field(description="Código da autoridade (cStat), ou um nosso.", examples=["778"])
    message: str = Field(examples=["Rejeição: Informado NCM inexistente"])
    field: str | None = Field(
        description="Caminho do campo no corpo enviado, se conhecido.", examples=["items[0].ncm"]
    )
    hint: str | None = Field(description="O que mudar.", examples=["Confira o NCM na tabela vigente."])
    retryable: bool = Field(
        description="Se o mesmo corpo pode ser emitido de novo sem mudança, resolvido o que está fora dele."
    )


class ContingencyRecord(Record):
    """Why a document does not go the normal way."""

    type: str = Field(description="Tipo de emissão (tpEmis).", examples=["6"])
    started_at: datetime | None
    reason: str | None


class RequestNumber(Record):
    """Under which number a document was asked for, where the authority numbers what it authorises."""

    series: int
    number: int


class DocumentRecord(Record):
    """A document as callers see it."""

    id: UUID
    sale_id: UUID | None
    status: Status
    type: str = Field(examples=["nfe"])
    external_id: str | None = Field(examples=["pedido-1001"])
    amount: Number = Field(examples=[199.9])
    number: int | None
    series: int | None
    dps: RequestNumber | None = Field(description="NFS-e: a série e o número da DPS, que são nossos.")
    access_key: str | None
    protocol: str | None
    environment: Environment
    version: int
    issued_at: datetime | None
    authorized_at: datetime | None
    cancelable_until: datetime | None
    contingency: ContingencyRecord | None
    rejection: Rejection | None
    warnings: list[str]
    replaced_by_id: UUID | None = Field(description="O documento que substituiu este, e o cancelou.")
    created_at: datetime


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
class XmlFile:
    """A file to be downloaded."""

    name: str
    xml: bytes


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


def kind_named(name: str) -> DocumentType:
    """The document type of a stored row."""
    return _BY_NAME[name]


def number_of(type_name: str, own: int | None, assigned: int | None) -> int | None:
    """The number that a document is known by: ours, or the one that the authority gave it."""
    return assigned if kind_named(type_name).is_numbered_by_authority else own


def record_of(document: Document) -> DocumentRecord:
    """Show a document."""
    emission = document.emission
    named = _name_of(document)
    return DocumentRecord(
        id=document.id,
        sale_id=document.sale_id,
        status=Status(document.status),
        type=document.type,
        external_id=document.external_id,
        amount=document.amount,
        number=named.number,
        series=named.series,
        dps=named.request,
        access_key=named.access_key,
        protocol=emission and emission.protocol,
        environment=Environment(document.environment),
        version=document.version,
        issued_at=emission and emission.issued_at,
        authorized_at=emission and emission.authorized_at,
        cancelable_until=_cancelable_until(document),
        contingency=_contingency(emission),
        rejection=document.rejection and Rejection.model_validate(document.rejection),
        warnings=document.warnings,
        replaced_by_id=document.replaced_by,
        created_at=document.created_at,
    )


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


async def read_xml(database: Database, which: Reference) -> XmlFile:
    """The file that has legal force: the signed document with its authorization."""
    async with database.autocommit(which.subscription_id) as tenant:
        return await xml_of(tenant, await require_document(tenant, which))


async def xml_of(tenant: Tenant, document: Document) -> XmlFile:
    """The file of a document that was authorized."""
    xml = await authorized_xml(tenant, document, document.emission)
    if xml is None:
        raise wrong_state(document, Status.AUTHORIZED, Status.CANCELED)
    return XmlFile(f"{_file_stem(document)}.xml", xml)


async def read_rejection_xml(database: Database, which: Reference) -> XmlFile:
    """What was sent, with what came back."""
    async with database.autocommit(which.subscription_id) as tenant:
        document = await require_document(tenant, which)
        signed, answer = await _files(tenant, document, document.emission, refusal_file)
    if signed is None or answer is None:
        raise _without_rejection_file(document)
    xml = issuing_of(kind_named(document.type)).refused(signed, answer or None)
    return XmlFile(f"{_file_stem(document)}-rejection.xml", xml)


async def authorized_xml(tenant: Tenant, document: Document, emission: Emission | None) -> bytes | None:
    """An attempt of a document with its authorization; None while there is none."""
    signed, protocol = await _files(tenant, document, emission, authorization_file)
    if signed is None or protocol is None:
        return None
    return issuing_of(kind_named(document.type)).archived(signed, protocol)


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


def _without_rejection_file(document: Document) -> Refusal:
    if document.status == Status.REJECTED:
        return not_found("O documento foi recusado antes de ser enviado à autoridade: não há XML.")
    return wrong_state(document, Status.REJECTED)


def _is(document: Document, which: Reference) -> bool:
    of_company = which.company_id in (None, document.company_id)
    return of_company and (which.kind is None or which.kind.name == document.type)


async def _files(
    tenant: Tenant, document: Document, emission: Emission | None, other: Callable[[str], str]
) -> tuple[bytes | None, bytes | None]:
    if emission is None or emission.digest is None:
        return None, None
    signed = await tenant.archive.get(document.id, signed_file(emission.digest))
    return signed, await tenant.archive.get(document.id, other(emission.digest))


def _file_stem(document: Document) -> str:
    return (document.emission and document.emission.document_key) or str(document.id)


@dataclass(frozen=True)
class _Name:
    """What tells a document from others; what is not known yet is None."""

    number: int | None = None
    series: int | None = None
    access_key: str | None = None
    request: RequestNumber | None = None


def _name_of(document: Document) -> _Name:
    emission = document.emission
    if emission is None:
        return _Name()
    number = number_of(document.type, emission.number, emission.assigned_number)
    if not kind_named(document.type).is_numbered_by_authority:
        return _Name(number, emission.series, emission.access_key)
    asked = RequestNumber(series=emission.series, number=emission.number)
    return _Name(number, None, emission.assigned_key, asked)


def _cancelable_until(document: Document) -> datetime | None:
    """Until when it may be canceled in time; of one that can't be at all nothing is told."""
    if document.status != Status.AUTHORIZED or document.emission is None:
        return None
    return cancelable_until(kind_named(document.type), document.emission)


def _contingency(emission: Emission | None) -> ContingencyRecord | None:
    if emission is None or emission.emission_type == EmissionType.NORMAL:
        return None
    return ContingencyRecord(
        type=emission.emission_type,
        started_at=emission.contingency_started_at,
        reason=emission.contingency_reason,
    )


def _day_after(day: date | None) -> date | None:
    """The next day; after the last one of the calendar nothing comes."""
    return None if day in (None, date.max) else day + timedelta(days=1)


def _midnight(day: date | None) -> datetime | None:
    """When a caller's day begins, which is Brasília's."""
    return None if day is None else datetime.combine(day, time(), BRASILIA)
