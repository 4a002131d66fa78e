"""The status of a company: whether it can issue now, its authorities, and its documents in processing."""

import asyncio
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.authority import Authority
from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.issuance import Software
from carimbo.fiscal.outcome import Available, Cause, NotJudged, Throttled, Unavailable
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.authority_answers import CERTIFICATE_NOT_ACCEPTED, last_answer_of
from carimbo.service.companies.company_checks import all_missing_data
from carimbo.service.companies.snapshot import CompanySnapshot, CompanySnapshots, SigningIdentity
from carimbo.service.company_status.certificate_expiry import (
    WARNED_DAYS,
    CertificateState,
    certificate_state,
    days_left,
)
from carimbo.service.company_status.contingency import TypeContingencyRecord, contingency_of
from carimbo.service.company_status.open_documents import near_their_term
from carimbo.service.company_status.warnings import (
    CompanyWarningRecord,
    left_open,
    rates_missing_now,
    warnings_of,
)
from carimbo.service.outage_board import OutageBoard
from carimbo.service.receiving.sync import StreamRecord, streams_of
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from carimbo.storage.monitoring import backlog_of_company


class AuthorityState(StrEnum):
    """Whether an authority is in operation."""

    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"
    UNKNOWN = "unknown"


class AuthorityRecord(Record):
    """The answer of an authority about its service, or why there is none."""

    status: AuthorityState
    code: str | None = Field(description="Código da autoridade (cStat).", examples=["107"])
    message: str = Field(examples=["Serviço em Operação"])


class TypeStatusRecord(Record):
    """Whether a company can issue a document type."""

    type: str = Field(examples=["nfe"])
    environment: Environment
    ready: bool
    missing: list[str] = Field(description="O que falta para emitir.", examples=[["certificate"]])
    shortcut_ready: bool | None = Field(
        description=(
            "Se a forma simples pode ser emitida sem código do serviço nem alíquota no corpo; nulo nos tipos"
            " que não têm essa forma."
        )
    )
    shortcut_missing: list[str] | None = Field(
        description="As configurações que faltam só para a forma simples; nulo nos tipos que não a têm.",
        examples=[["nfse.federalServiceCode", "nfse.issRate"]],
    )
    authority: AuthorityRecord | None = Field(description="Nulo quando não se pode perguntar a ela.")
    contingency: TypeContingencyRecord | None = Field(
        description="Nulo quando o tipo não tem autoridade de contingência."
    )


class BacklogRecord(Record):
    """The numbers of a company's documents in processing."""

    processing: int
    overdue: int = Field(description="Em processamento há mais tempo do que o esperado.")
    parked: int = Field(description="Postos de lado, à espera de uma pessoa.")
    oldest_queued_at: datetime | None


class CertificateStatusRecord(Record):
    """Whether a company's certificate can be used, and when it expires."""

    expires_at: datetime
    days_left: int = Field(description="Dias até o vencimento; o último conta por inteiro.", examples=[300])
    status: CertificateState = Field(
        description=(
            "`expired`: venceu; `notAccepted`: não venceu, mas uma autoridade da empresa o recusa (veja"
            f" `types[].authority`); `expiring`: vence em {max(WARNED_DAYS)} dias ou menos; `valid`: nos"
            " demais casos."
        )
    )


class CompanyStatusRecord(Record):
    """The status of a company, for people and monitoring."""

    company_id: UUID
    ready: bool = Field(
        description=(
            "Se pode emitir todos os tipos que usa: os de módulo ativo e, dos que não se ativam, os que já"
            " têm documento ou configuração; se ainda não usa nenhum, se pode emitir ao menos um."
        )
    )
    certificate_expires_at: datetime | None
    certificate: CertificateStatusRecord | None = Field(description="Nulo quando não há certificado.")
    types: list[TypeStatusRecord]
    warnings: list[CompanyWarningRecord] = Field(
        description="O que pede atenção e não impede de emitir hoje, como a alíquota que falta para janeiro."
    )
    documents: BacklogRecord
    streams: list[StreamRecord] = Field(
        description="A distribuição dos documentos recebidos; vazia até o primeiro `sync`."
    )
    checked_at: datetime


@dataclass(frozen=True)
class StatusReader:
    """The dependencies of reading a company's status."""

    database: Database
    snapshots: CompanySnapshots
    authorities: Mapping[str, Authority]
    outages: OutageBoard
    overdue_after: timedelta
    software: Software
    clock: Callable[[], datetime]


async def read_status(
    reader: StatusReader, subscription_id: UUID, company: CompanyRow, *, asks_authorities: bool = True
) -> CompanyStatusRecord:
    """Returns the status of a company, with an answer of each authority unless they are not to be asked."""
    snapshot = await reader.snapshots.of(subscription_id, company.id, company.revision)
    identity = await reader.snapshots.signing_identity_of(snapshot) if asks_authorities else None
    types = await asyncio.gather(
        *(_type_status(reader, snapshot, identity, document_type) for document_type in DOCUMENT_TYPES)
    )
    async with reader.database.snapshot(subscription_id) as tenant:
        backlog = await backlog_of_company(
            tenant.connection, subscription_id, company.id, reader.overdue_after
        )
        with_documents = await tenant.documents.types_in_use(company.id)
        streams = await streams_of(
            tenant.connection,
            await tenant.receptions.of_company(company.id),
            snapshot,
            reader.clock(),
        )
    used = {
        document_type.name
        for document_type in DOCUMENT_TYPES
        if is_used(snapshot, document_type, with_documents)
    }
    if used:
        ready = all(status.ready for status in types if status.type in used)
    else:
        ready = any(status.ready for status in types)
    return CompanyStatusRecord(
        company_id=company.id,
        ready=ready,
        certificate_expires_at=snapshot.certificate and snapshot.certificate.expires_at,
        certificate=_certificate(snapshot, types, reader.clock()),
        types=types,
        warnings=[*warnings_of(snapshot, reader.clock()), *await _left_open(reader, snapshot)],
        documents=BacklogRecord.model_validate(backlog),
        streams=streams,
        checked_at=reader.clock(),
    )


async def _left_open(reader: StatusReader, snapshot: CompanySnapshot) -> list[CompanyWarningRecord]:
    rows = await near_their_term(reader.database, snapshot, reader.clock())
    state = snapshot.row.state
    return left_open(rows, state, reader.clock()) if rows and state else []


def is_used(snapshot: CompanySnapshot, document_type: DocumentType, with_documents: Set[str]) -> bool:
    """Returns whether a company uses a type: it is active or, if it has no switch, has documents or settings.

    Settings that equal the defaults do not count, because a client may send back settings that it read.
    """
    settings = snapshot.settings_of(document_type)
    if settings.switch is not None:
        return settings.switch
    has_settings = settings.model_dump() != document_type.settings().model_dump()
    return document_type.name in with_documents or has_settings


def missing_to_issue(
    reader: StatusReader, snapshot: CompanySnapshot, document_type: DocumentType
) -> tuple[str, ...]:
    """Returns everything that a company lacks to issue a type today; no authority is asked."""
    environment, now = snapshot.environment_of(document_type), reader.clock()
    return (
        *all_missing_data(snapshot, document_type, environment, reader.software, now),
        *rates_missing_now(snapshot, document_type, now),
    )


def _certificate(
    snapshot: CompanySnapshot, types: Sequence[TypeStatusRecord], now: datetime
) -> CertificateStatusRecord | None:
    if snapshot.certificate is None:
        return None
    expires_at = snapshot.certificate.expires_at
    status = certificate_state(expires_at, now)
    is_refused = any(_refuses_certificate(type_status.authority) for type_status in types)
    # "Expired" is the better reason: authorities refuse an expired certificate too.
    if is_refused and status is not CertificateState.EXPIRED:
        status = CertificateState.NOT_ACCEPTED
    return CertificateStatusRecord(expires_at=expires_at, days_left=days_left(expires_at, now), status=status)


def _refuses_certificate(authority: AuthorityRecord | None) -> bool:
    return authority is not None and authority.code == CERTIFICATE_NOT_ACCEPTED


async def _type_status(
    reader: StatusReader,
    snapshot: CompanySnapshot,
    identity: SigningIdentity | None,
    document_type: DocumentType,
) -> TypeStatusRecord:
    environment = snapshot.environment_of(document_type)
    authority = await _authority(reader, snapshot, identity, document_type, environment)
    missing = missing_to_issue(reader, snapshot, document_type)
    if _refuses_certificate(authority):
        missing = tuple(dict.fromkeys((*missing, "certificate")))
    answers = authority is not None and authority.status is AuthorityState.AVAILABLE
    lacking = document_type.requirements.shortcut
    shortcut = list(lacking(snapshot.settings_of(document_type))) if lacking else None
    return TypeStatusRecord(
        type=document_type.name,
        environment=environment,
        ready=not missing,
        missing=list(missing),
        shortcut_ready=None if shortcut is None else not missing and not shortcut,
        shortcut_missing=shortcut,
        authority=authority,
        contingency=await contingency_of(
            reader.outages,
            snapshot,
            document_type,
            environment,
            reader.clock(),
            answers=answers,
        ),
    )


async def _authority(
    reader: StatusReader,
    snapshot: CompanySnapshot,
    identity: SigningIdentity | None,
    document_type: DocumentType,
    environment: Environment,
) -> AuthorityRecord | None:
    """Asks the authority of the company's state; impossible without a certificate or an address."""
    state = snapshot.row.state
    if identity is None or state is None or document_type.name not in reader.authorities:
        return None
    sender = identity.sender(snapshot.row.tax_id, environment)
    return _authority_record(
        await reader.authorities[document_type.name].status(sender, document_type.model, state)
    )


def _authority_record(condition: Available | Unavailable | Throttled | NotJudged) -> AuthorityRecord:
    match condition:
        case Available():
            return AuthorityRecord(
                status=AuthorityState.AVAILABLE, code=condition.code or None, message=condition.message
            )
        case Unavailable():
            return AuthorityRecord(
                status=AuthorityState.UNAVAILABLE, code=condition.code, message=condition.message
            )
        case Throttled():
            return AuthorityRecord(
                status=AuthorityState.UNKNOWN, code=condition.code, message=condition.message
            )
        case NotJudged(cause=Cause.CERTIFICATE_NOT_ACCEPTED):
            answer = last_answer_of(condition)
            return AuthorityRecord(status=AuthorityState.UNKNOWN, code=answer.code, message=answer.message)
        case NotJudged():
            return AuthorityRecord(
                status=AuthorityState.UNKNOWN, code=condition.code, message=condition.detail
            )
