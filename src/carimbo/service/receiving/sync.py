"""Follows the distribution of documents for a company, stops it, and returns how far it has come."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.service.companies.registration import hold_company, unknown_company
from carimbo.service.companies.snapshot import CompanySnapshot, require_valid_certificate
from carimbo.service.contexts import IssuingContext
from carimbo.service.document_types import distributed_type, receiving_of_type
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.receiving.decision import REST
from carimbo.storage.companies import CompanyRow
from carimbo.storage.connection import Connection
from carimbo.storage.receptions import REFUSED_FOR, Reception
from carimbo.storage.streams import StreamGap, StreamRow, gaps_of, open_stream, read_stream, unread_files_of

_STATE_REGISTRATION = "stateRegistration"
_UNANSWERED = (
    "A última consulta não trouxe resposta da autoridade: {failure}. A próxima será em scheduledFor."
)
_RESTART = "Peça /sync para tentar de novo; se não bastar, avise quem opera o serviço."
STOPPED, WAITING, REFUSED, PARKED, BLOCKED = "stopped", "waiting", "refused", "parked", "blocked"


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
    warnings: list[str]


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
    return SyncStopped(service=service, environment=environment, status=STOPPED)


async def streams_of(
    connection: Connection, receptions: list[Reception], snapshot: CompanySnapshot, now: datetime
) -> list[StreamRecord]:
    """Returns how far each distribution of a company has come."""
    return [await _stream_record(connection, reception, snapshot, now) for reception in receptions]


async def _stream_record(
    connection: Connection, reception: Reception, snapshot: CompanySnapshot, now: datetime
) -> StreamRecord:
    stream = await read_stream(connection, reception.stream_id)
    status = _status(stream, reception, snapshot, now)
    is_asked = status not in (STOPPED, WAITING, REFUSED, PARKED)
    scheduled_for = stream.allowed_at if is_asked else None
    if status == REFUSED and reception.refused_at:
        scheduled_for = reception.refused_at + REFUSED_FOR
    heading = {"service": stream.service, "environment": stream.environment, "status": status}
    if reception.proved_fingerprint is None:
        # What others with the same CNPJ have received is none of its business yet.
        return StreamRecord.model_validate(
            {
                **heading,
                "scheduled_for": scheduled_for,
                "warnings": _own_warnings(reception, snapshot, status),
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
        warnings=[
            *_own_warnings(reception, snapshot, status),
            *(_state_warnings(stream) if is_asked or status == PARKED else ()),
            *_gap_warnings(stream, gaps, is_asked=is_asked),
        ],
    )


def _status(stream: StreamRow, reception: Reception, snapshot: CompanySnapshot, now: datetime) -> str:
    document_type, _ = distributed_type(reception.service)
    certificate = snapshot.certificate
    if not reception.is_active:
        return STOPPED
    is_current = snapshot.environment_of(document_type) == reception.environment
    if not is_current or certificate is None or not snapshot.has_valid_certificate(now):
        return WAITING
    if reception.refused_fingerprint == certificate.fingerprint:
        return REFUSED
    if stream.parked_reason or reception.parked_reason:
        return PARKED
    return BLOCKED if stream.is_blocked else "active"


def _own_warnings(reception: Reception, snapshot: CompanySnapshot, status: str) -> list[str]:
    """Returns what concerns the company alone, whatever the others with its CNPJ do."""
    if status == REFUSED:
        return [f"A autoridade recusou a consulta em nome da empresa: {reception.failure}"]
    if status == WAITING:
        is_current = snapshot.environment_of(distributed_type(reception.service)[0]) == reception.environment
        cause = "falta um certificado em vigor" if is_current else "a empresa está no outro ambiente"
        return [
            f"Ninguém consulta por esta empresa: {cause}. Depois de 60 dias sem consulta a autoridade deixa"
            " de numerar documentos."
        ]
    if reception.parked_reason and reception.is_active:
        return [f"A leitura do que já veio parou: o serviço falhou repetidas vezes. {_RESTART}"]
    if reception.proved_fingerprint is None and reception.failure:
        return [_UNANSWERED.format(failure=reception.failure)]
    return []


def _state_warnings(stream: StreamRow) -> list[str]:
    """Returns why a stream is not asked now, or not answered."""
    if stream.parked_reason:
        # Only what a decision wrote is for tenants; another reason may speak of another subscription.
        is_decision = stream.failure == stream.parked_reason
        reason = stream.parked_reason if is_decision else "o serviço falhou repetidas vezes."
        return [f"As consultas pararam: {reason} {_RESTART}"]
    if stream.is_blocked:
        return [
            f"A autoridade bloqueou as consultas deste CNPJ por cerca de uma hora ({stream.last_code}"
            f" {stream.last_message}). Elas seguem sozinhas em scheduledFor."
        ]
    return [_UNANSWERED.format(failure=stream.failure)] if stream.failure else []


def _gap_warnings(stream: StreamRow, gaps: list[StreamGap], *, is_asked: bool) -> list[str]:
    """Returns what documents may be missing, and why."""
    warnings = []
    if stream.has_other_reader and is_asked:
        warnings.append(
            "Outro programa consulta os documentos deste CNPJ, e os dois se atrapalham: deixe só um. O que"
            " ele recebeu é pedido nota por nota, até 18 por hora."
        )
    if any(gap.filled_at is None for gap in gaps):
        warnings.append("Há NSU que ainda não vieram: veja gaps.")
    if missing := sum(gap.missing for gap in gaps):
        warnings.append(
            f"Para {missing} NSU que outro programa recebeu a autoridade não tem documento, ou não o tem"
            " mais: importe os que faltarem."
        )
    if stream.lapsed_until and stream.lapsed_from:
        warnings.append(
            f"De {stream.lapsed_from:%d/%m/%Y} a {stream.lapsed_until:%d/%m/%Y} ninguém consultou por mais de"
            " 60 dias, e a autoridade deixou de numerar documentos: importe os que faltarem."
        )
    return warnings
