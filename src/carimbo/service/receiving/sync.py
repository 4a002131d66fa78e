"""Follows the distribution of documents for a company, stops it, and returns how far it has come."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.service.companies.company_checks import require_valid_certificate
from carimbo.service.companies.registration import hold_company, unknown_company
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import distributed_type, receiving_of_type
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.receiving.decision import REST
from carimbo.service.receiving.stream_warnings import (
    ACTIVE,
    BLOCKED,
    PARKED,
    REFUSED,
    STOPPED,
    WAITING,
    StreamWarning,
    stream_warnings,
)
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.connection import Connection
from carimbo.storage.database import Tenant
from carimbo.storage.receptions import REFUSED_FOR, Reception
from carimbo.storage.streams import StreamRow, gaps_of, open_stream, read_stream, unread_files_of

_STATE_REGISTRATION = "stateRegistration"


class NsuGapRecord(Record):
    """Numbers of the sequence whose documents did not come with a page."""

    first_nsu: int
    last_nsu: int
    next_nsu: int = Field(description="O próximo a ser pedido; os maiores já foram.")
    missing: int = Field(description="Números para os quais a autoridade não tem documento.")
    reason: str = Field(
        description="`otherReader`: outro programa os recebeu; `lostAnswer`: a resposta se perdeu.",
        examples=["otherReader"],
    )
    created_at: datetime
    filled_at: datetime | None


class StreamRecord(Record):
    """How far the distribution of documents to a company has come."""

    service: str = Field(examples=["nfe"])
    environment: Environment
    status: str = Field(
        description=(
            "`active`: acompanha; `stopped`: não acompanha; `waiting`: falta certificado em vigor, ou a"
            " empresa está no outro ambiente; `blocked`: a autoridade bloqueou as consultas até"
            " `scheduledFor`; `refused`: a autoridade recusou o certificado; `parked`: espera por uma pessoa."
        ),
        examples=["active"],
    )
    scheduled_for: datetime | None = Field(
        description="Quando será a próxima consulta; nulo quando não acompanha."
    )
    last_synced_at: datetime | None = Field(
        default=None,
        description="Quando a autoridade respondeu por último; nulo até responder a esta empresa.",
    )
    last_nsu: int = 0
    max_nsu: int = Field(default=0, description="O maior NSU que a autoridade anunciou.")
    is_behind: bool = Field(default=False, description="Se ainda há documentos a buscar.")
    last_code: str | None = None
    last_message: str | None = None
    gaps: list[NsuGapRecord] = Field(default_factory=list)
    unread_files: int = Field(
        default=0, description="Arquivos que não puderam ser lidos, guardados como vieram."
    )
    warnings: list[StreamWarning] = Field(
        description="O que impede as consultas, ou que documentos podem faltar."
    )


class QueuedSync(StreamRecord):
    """A query that was queued."""

    status: str = Field(description="Sempre `queued`.", examples=["queued"])


class SyncStopped(Record):
    """A distribution that is not followed any more."""

    service: str
    environment: Environment
    status: str = Field(examples=["stopped"])


def require_able_to_receive(snapshot: CompanySnapshot, document_type: DocumentType, now: datetime) -> None:
    """Refuses a company that can't ask for its documents, or make statements about them."""
    if snapshot.row.deleted_at is not None:
        raise unknown_company()
    missing = missing_to_receive(snapshot, document_type)
    if missing:
        raise Refusal(ErrorCode.COMPANY_NOT_READY, missing=list(missing))
    require_valid_certificate(snapshot, now)


def missing_to_receive(snapshot: CompanySnapshot, document_type: DocumentType) -> tuple[str, ...]:
    """Returns what a company lacks, except its certificate.

    Only for NF-e it must be able to issue them itself; who takes a service needs no state registration.
    """
    missing = snapshot.missing_registration(document_type)
    needs_registration = document_type.receiving is not None and document_type.receiving.needs_registration
    return tuple(name for name in missing if needs_registration or name != _STATE_REGISTRATION)


def can_ask(snapshot: CompanySnapshot, document_type: DocumentType, environment: str, now: datetime) -> bool:
    """Returns whether a company is in an environment now, and has a valid certificate."""
    return snapshot.environment_of(document_type) == environment and snapshot.has_valid_certificate(now)


async def sync(
    context: IssuingContext, subscription_id: UUID, company: CompanyRow, document_type: DocumentType
) -> QueuedSync:
    """Makes a company follow the distribution, and has it asked as soon as the authority allows it."""
    receiving = receiving_of_type(document_type)
    snapshot = await context.snapshots.of(subscription_id, company.id, company.revision)
    require_able_to_receive(snapshot, document_type, context.builder.clock())
    environment = snapshot.environment_of(document_type)
    async with context.database.tenant(subscription_id) as tenant:
        await hold_company(tenant, company.id)
        stream_id = await open_stream(tenant.connection, receiving.service, environment, company.tax_id, REST)
        reception = await tenant.receptions.start(company.id, receiving.service, environment, stream_id)
        record = await _stream_record(tenant.connection, reception, snapshot, context.builder.clock())
        await _audit(tenant, AuditAction.RECEPTION_STARTED, company, document_type, environment)
    return QueuedSync.model_validate({**dict(record), "status": "queued"})


async def stop_sync(
    context: IssuingContext, subscription_id: UUID, company: CompanyRow, document_type: DocumentType
) -> SyncStopped:
    """Stops following the distribution for a company in its environment; what it has received stays.

    As `sync`, it leaves the distribution of the other environment as it is: a company that comes back to
    production is followed again by itself.
    """
    service = receiving_of_type(document_type).service
    snapshot = await context.snapshots.of(subscription_id, company.id, company.revision)
    environment = snapshot.environment_of(document_type)
    async with context.database.tenant(subscription_id) as tenant:
        await tenant.receptions.stop(company.id, service, environment)
        await _audit(tenant, AuditAction.RECEPTION_STOPPED, company, document_type, environment)
    return SyncStopped(service=service, environment=environment, status=STOPPED)


async def _audit(
    tenant: Tenant,
    action: AuditAction,
    company: CompanyRow,
    document_type: DocumentType,
    environment: Environment,
) -> None:
    await tenant.audit.add(
        action,
        company_id=company.id,
        subject_id=receiving_of_type(document_type).collection,
        subject_name=document_type.title,
        details={"environment": environment},
    )


async def read_streams_of_type(
    context: IssuingContext, subscription_id: UUID, company: CompanyRow, document_type: DocumentType
) -> list[StreamRecord]:
    """Returns how far the distributions of a type to a company have come: one in each environment."""
    service = receiving_of_type(document_type).service
    snapshot = await context.snapshots.of(subscription_id, company.id, company.revision)
    async with context.database.snapshot(subscription_id) as tenant:
        receptions = await tenant.receptions.of_company(company.id)
        wanted = [reception for reception in receptions if reception.service == service]
        return await streams_of(tenant.connection, wanted, snapshot, context.builder.clock())


async def streams_of(
    connection: Connection, receptions: list[Reception], snapshot: CompanySnapshot, now: datetime
) -> list[StreamRecord]:
    """Returns how far each distribution of a company has come."""
    return [await _stream_record(connection, reception, snapshot, now) for reception in receptions]


async def _stream_record(
    connection: Connection, reception: Reception, snapshot: CompanySnapshot, now: datetime
) -> StreamRecord:
    stream = await read_stream(connection, reception.stream_id)
    current = is_current(reception, snapshot)
    status = stream_status(stream, reception, snapshot, now)
    scheduled_for = stream.allowed_at if status in (ACTIVE, BLOCKED) else None
    if status == REFUSED and reception.refused_at:
        scheduled_for = reception.refused_at + REFUSED_FOR
    heading = {"service": stream.service, "environment": stream.environment, "status": status}
    if reception.proved_fingerprint is None:
        # What others with the same CNPJ have received is none of its business yet.
        return StreamRecord.model_validate(
            {
                **heading,
                "scheduled_for": scheduled_for,
                "warnings": stream_warnings(stream, reception, (), status, is_current=current),
            }
        )
    gaps = await gaps_of(connection, stream.id)
    return StreamRecord(
        **heading,
        scheduled_for=scheduled_for,
        last_synced_at=stream.answered_at,
        last_nsu=stream.last_nsu,
        max_nsu=stream.max_nsu,
        is_behind=stream.last_nsu < stream.max_nsu
        or reception.pages_read < stream.pages
        or any(gap.filled_at is None for gap in gaps),
        last_code=stream.last_code,
        last_message=stream.last_message,
        gaps=[NsuGapRecord.model_validate(gap) for gap in gaps],
        unread_files=await unread_files_of(connection, stream.id),
        warnings=stream_warnings(stream, reception, gaps, status, is_current=current),
    )


def is_current(reception: Reception, snapshot: CompanySnapshot) -> bool:
    """Returns whether a company is now in the environment of a distribution that it follows."""
    document_type, _ = distributed_type(reception.service)
    return snapshot.environment_of(document_type) == reception.environment


def stream_status(stream: StreamRow, reception: Reception, snapshot: CompanySnapshot, now: datetime) -> str:
    """Returns the status of a distribution for a company, as in `StreamRecord`."""
    document_type, _ = distributed_type(reception.service)
    certificate = snapshot.certificate
    if not reception.is_active:
        return STOPPED
    if certificate is None or not can_ask(snapshot, document_type, reception.environment, now):
        return WAITING
    if reception.refused_fingerprint == certificate.fingerprint:
        return REFUSED
    if stream.parked_reason or reception.parked_reason:
        return PARKED
    return BLOCKED if stream.is_blocked else ACTIVE
