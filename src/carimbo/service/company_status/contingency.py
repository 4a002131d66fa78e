"""Contingency of a company: whether its documents go to contingency authorities, and how that is chosen."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import SingleLineText
from carimbo.fiscal.layouts.canonical import Unwritable, normalize
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.registration import audit_company, unknown_company
from carimbo.service.companies.snapshot import CompanySnapshot, CompanySnapshots
from carimbo.service.errors import invalid_field
from carimbo.service.issuing.routes import (
    AuthorityServices,
    ContingencyMode,
    authority_services_for,
    contingency_reason,
)
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database

_USUAL_REASON = "Contingência determinada pelo emitente"
# xJust of the NF-e (MOC 7.0, B29).
_MIN_REASON_LENGTH, _MAX_REASON_LENGTH = 15, 256


class ContingencyChange(Body):
    """The body that sets how contingency is chosen."""

    mode: ContingencyMode = Field(
        description="automatic (o padrão), forced (sempre em contingência) ou forbidden (nunca)."
    )
    reason: (
        Annotated[
            SingleLineText, StringConstraints(min_length=_MIN_REASON_LENGTH, max_length=_MAX_REASON_LENGTH)
        ]
        | None
    ) = Field(
        default=None,
        description="Justificativa de quem força a contingência, de 15 a 256 caracteres (xJust).",
        examples=["Autorizador da UF com lentidão extrema"],
    )


class TypeContingencyRecord(Record):
    """The current contingency of a document type."""

    type: str = Field(examples=["nfe"])
    active: bool = Field(
        description="Se os documentos vão agora à autoridade de contingência. Passado algum tempo sem"
        " falhas, o próximo tenta antes a normal."
    )
    authorizer: str = Field(description="Autoridade normal.", examples=["SP"])
    stand_in: str | None = Field(
        description="Autoridade de contingência; nula se o documento é emitido offline e enviado depois.",
        examples=["SVCAN"],
    )
    since: datetime | None = Field(
        description="Desde quando a normal não responde, ou a contingência é forçada."
    )
    begins_at: datetime | None = Field(description="Quando a contingência começa, se a normal não voltar.")
    reason: str | None


class CompanyContingencyRecord(Record):
    """How contingency is chosen for a company, and the current state of each type."""

    company_id: UUID
    mode: ContingencyMode
    reason: str | None
    since: datetime | None
    types: list[TypeContingencyRecord] = Field(description="Os tipos que são emitidos em contingência.")


async def change_contingency(
    database: Database, subscription_id: UUID, company: CompanyRow, change: ContingencyChange
) -> CompanyRow:
    """Sets how contingency is chosen, and wakes the documents that it may affect."""
    own_reason = change.reason and written_reason(change.reason)
    reason = (own_reason or _USUAL_REASON) if change.mode is ContingencyMode.FORCED else None
    async with database.tenant(subscription_id) as tenant:
        changed = await tenant.companies.set_contingency(company.id, change.mode, reason)
        await tenant.documents.wake(
            company.id,
            [document_type.name for document_type in DOCUMENT_TYPES if document_type.has_contingency],
        )
        if changed is None:
            raise unknown_company()
        details = {"previous": company.contingency_mode, "mode": change.mode}
        await audit_company(tenant, AuditAction.CONTINGENCY_CHANGED, changed, details)
    return changed


def written_reason(text: str) -> str:
    """Returns the reason as it is written in documents; refuses a text that would make documents invalid."""
    try:
        reason = normalize(text, _MAX_REASON_LENGTH)
    except Unwritable as problem:
        raise invalid_field("reason", f"O texto {problem}.") from None
    if len(reason) < _MIN_REASON_LENGTH:
        raise invalid_field("reason", f"Deve ter pelo menos {_MIN_REASON_LENGTH} caracteres.")
    return reason


async def read_contingency(
    snapshots: CompanySnapshots,
    outages: OutageBoard,
    subscription_id: UUID,
    company: CompanyRow,
    now: datetime,
) -> CompanyContingencyRecord:
    """Returns the contingency mode of a company and the current state of each document type."""
    snapshot = await snapshots.of(subscription_id, company.id, company.revision)
    records = [
        await contingency_of(outages, snapshot, document_type, snapshot.environment_of(document_type), now)
        for document_type in DOCUMENT_TYPES
    ]
    return CompanyContingencyRecord(
        company_id=company.id,
        mode=ContingencyMode(company.contingency_mode),
        reason=company.contingency_reason,
        since=company.contingency_since,
        types=[record for record in records if record is not None],
    )


async def contingency_of(
    outages: OutageBoard,
    snapshot: CompanySnapshot,
    document_type: DocumentType,
    environment: Environment,
    now: datetime,
    *,
    answers: bool = False,
) -> TypeContingencyRecord | None:
    """Returns the current contingency of a document type; None if the type has no contingency.

    `answers`: the normal authority was just asked and says that it is in operation.
    """
    services = authority_services_for(snapshot, document_type, environment)
    if services is None:
        return None
    outage = await outages.outage_of(services.normal)
    is_forced = snapshot.row.contingency_mode == ContingencyMode.FORCED
    forced = (snapshot.row.contingency_since, snapshot.row.contingency_reason)
    since, reason = forced if is_forced else (outage and outage.since, outage and contingency_reason(outage))
    return TypeContingencyRecord(
        type=document_type.name,
        active=await _is_active(outages, snapshot, services, now, answers=answers),
        authorizer=services.normal.authorizer,
        stand_in=services.contingency.authorizer if services.contingency else None,
        since=since,
        begins_at=await _begins_at(outages, snapshot, services, now),
        reason=reason,
    )


async def _is_active(
    outages: OutageBoard,
    snapshot: CompanySnapshot,
    services: AuthorityServices,
    now: datetime,
    *,
    answers: bool,
) -> bool:
    if services.contingency and await outages.is_closed(services.contingency):
        return False
    match ContingencyMode(snapshot.row.contingency_mode):
        case ContingencyMode.FORCED:
            return services.contingency is not None or await outages.outage_of(services.normal) is not None
        case ContingencyMode.FORBIDDEN:
            return False
        case ContingencyMode.AUTOMATIC:
            begins_at = await outages.contingency_at(services.normal)
            is_back = answers and not await outages.is_failing(services.normal)
            return begins_at is not None and begins_at <= now and not is_back


async def _begins_at(
    outages: OutageBoard, snapshot: CompanySnapshot, services: AuthorityServices, now: datetime
) -> datetime | None:
    if snapshot.row.contingency_mode != ContingencyMode.AUTOMATIC:
        return None
    begins_at = await outages.contingency_at(services.normal)
    return begins_at if begins_at and begins_at > now else None
