"""Whether a company can issue now: what it lacks, whether its authorities answer, and what is under way."""

import asyncio
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Record
from carimbo.fiscal.outcome import Available, Cause, NotJudged, Throttled, Unavailable
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.software import Software
from carimbo.service.certificate_expiry import WARNED_DAYS, CertificateState, days_left, state_of
from carimbo.service.company_contingency import TypeContingencyRecord, contingency_of
from carimbo.service.company_warnings import CompanyWarningRecord, rates_missing_now, warnings_of
from carimbo.service.dossier import Dossier, Dossiers, Seal
from carimbo.service.last_answer import CERTIFICATE_NOT_ACCEPTED, last_answer_of
from carimbo.service.outage_board import OutageBoard
from carimbo.service.ports import Authority
from carimbo.service.readiness import missing_in_all
from carimbo.storage.backlog import backlog_of_company
from carimbo.storage.companies import Company
from carimbo.storage.database import Database


class AuthorityState(StrEnum):
    """Whether an authority is at work."""

    AVAILABLE = "available"
    UNAVAILABLE = "unavailable"
    UNKNOWN = "unknown"


class AuthorityRecord(Record):
    """What an authority says of itself, or why that is not known."""

    status: AuthorityState
    code: str | None = Field(description="Código da autoridade (cStat).", examples=["107"])
    message: str = Field(examples=["Serviço em Operação"])


class TypeStatusRecord(Record):
    """Whether a company can issue one type of document."""

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
    """The company's documents on their way."""

    processing: int
    overdue: int = Field(description="Em processamento há mais tempo do que o esperado.")
    parked: int = Field(description="Postos de lado, à espera de uma pessoa.")
    oldest_queued_at: datetime | None


class CertificateStatusRecord(Record):
    """Whether a company's certificate can be used, and how near its end is."""

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
    """A company's state, for people and monitors."""

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
    checked_at: datetime


@dataclass(frozen=True)
class Watch:
    """What a company's state is read with."""

    database: Database
    dossiers: Dossiers
    authorities: Mapping[str, Authority]
    outages: OutageBoard
    overdue_after: timedelta
    software: Software
    clock: Callable[[], datetime]


async def read_status(watch: Watch, subscription_id: UUID, company: Company) -> CompanyStatusRecord:
    """Look at everything that a company needs in order to issue."""
    dossier = await watch.dossiers.of(subscription_id, company.id, company.revision)
    seal = await watch.dossiers.seal_of(dossier)
    types = await asyncio.gather(*(_type_status(watch, dossier, seal, kind) for kind in DOCUMENT_TYPES))
    async with watch.database.snapshot(subscription_id) as tenant:
        backlog = await backlog_of_company(
            tenant.connection, subscription_id, company.id, watch.overdue_after
        )
        used = await tenant.documents.types_in_use(company.id)
    return CompanyStatusRecord(
        company_id=company.id,
        ready=_is_ready(types, {kind.name for kind in DOCUMENT_TYPES if _counts(dossier, kind, used)}),
        certificate_expires_at=dossier.certificate and dossier.certificate.expires_at,
        certificate=_certificate(dossier, types, watch.clock()),
        types=types,
        warnings=warnings_of(dossier, watch.clock()),
        documents=BacklogRecord.model_validate(backlog),
        checked_at=watch.clock(),
    )


def _is_ready(types: Sequence[TypeStatusRecord], counted: Set[str]) -> bool:
    """Returns whether all types that count are ready; while none counts, whether any type is."""
    if not counted:
        return any(one.ready for one in types)
    return all(one.ready for one in types if one.type in counted)


def _counts(dossier: Dossier, kind: DocumentType, used: Set[str]) -> bool:
    """Returns whether a company issues a type: its module is on or, without a switch, used or configured.

    Settings that equal the defaults are no configuration: a client may write back what it read.
    """
    settings = dossier.settings_of(kind)
    if settings.switch is not None:
        return settings.switch
    return kind.name in used or settings.model_dump() != kind.settings().model_dump()


def _certificate(
    dossier: Dossier, types: Sequence[TypeStatusRecord], now: datetime
) -> CertificateStatusRecord | None:
    if dossier.certificate is None:
        return None
    expires_at = dossier.certificate.expires_at
    status = state_of(expires_at, now)
    # The end of a certificate is the better reason: authorities refuse an expired one too.
    if status is not CertificateState.EXPIRED and any(_refuses_certificate(one.authority) for one in types):
        status = CertificateState.NOT_ACCEPTED
    return CertificateStatusRecord(expires_at=expires_at, days_left=days_left(expires_at, now), status=status)


def _refuses_certificate(authority: AuthorityRecord | None) -> bool:
    return authority is not None and authority.code == CERTIFICATE_NOT_ACCEPTED


async def _type_status(
    watch: Watch, dossier: Dossier, seal: Seal | None, kind: DocumentType
) -> TypeStatusRecord:
    environment = dossier.environment_of(kind)
    authority = await _authority(watch, dossier, seal, kind, environment)
    now = watch.clock()
    missing = (
        *missing_in_all(dossier, kind, environment, watch.software, now),
        *rates_missing_now(dossier, kind, now),
    )
    if _refuses_certificate(authority):
        missing = tuple(dict.fromkeys((*missing, "certificate")))
    answers = authority is not None and authority.status is AuthorityState.AVAILABLE
    lacking = kind.requirements.shortcut
    shortcut = list(lacking(dossier.settings_of(kind))) if lacking else None
    return TypeStatusRecord(
        type=kind.name,
        environment=environment,
        ready=not missing,
        missing=list(missing),
        shortcut_ready=None if shortcut is None else not missing and not shortcut,
        shortcut_missing=shortcut,
        authority=authority,
        contingency=await contingency_of(
            watch.outages, dossier, kind, environment, watch.clock(), answers=answers
        ),
    )


async def _authority(
    watch: Watch, dossier: Dossier, seal: Seal | None, kind: DocumentType, environment: Environment
) -> AuthorityRecord | None:
    """Ask the authority of the company's state; without a certificate or an address nobody can be asked."""
    state = (dossier.row.address or {}).get("state")
    if seal is None or state is None or kind.name not in watch.authorities:
        return None
    sender = seal.sender(dossier.row.tax_id, environment)
    return _shown(await watch.authorities[kind.name].status(sender, kind.model, state))


def _shown(condition: Available | Unavailable | Throttled | NotJudged) -> AuthorityRecord:
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
