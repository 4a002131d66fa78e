"""Whether a company's documents go to authorities that stand in for the normal ones, and who decides it."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import Body, Record
from carimbo.fiscal.filing import Line
from carimbo.fiscal.layouts.canonical import Unwritable, normalize
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies import unknown_company
from carimbo.service.dossier import Dossier, Dossiers
from carimbo.service.errors import invalid_field
from carimbo.service.issuing.way import ContingencyMode, Ways, reason_of, ways_of
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.companies import Company
from carimbo.storage.database import Database

_USUAL_REASON = "Contingência determinada pelo emitente"
# xJust of the NF-e (MOC 7.0, B29).
_SHORTEST_REASON, _LONGEST_REASON = 15, 256


class ContingencyChange(Body):
    """What decides about contingency from now on."""

    mode: ContingencyMode = Field(
        description="automatic (o padrão), forced (sempre em contingência) ou forbidden (nunca)."
    )
    reason: (
        Annotated[Line, StringConstraints(min_length=_SHORTEST_REASON, max_length=_LONGEST_REASON)] | None
    ) = Field(
        default=None,
        description="Justificativa de quem força a contingência, de 15 a 256 caracteres (xJust).",
        examples=["Autorizador da UF com lentidão extrema"],
    )


class TypeContingencyRecord(Record):
    """Which way the documents of a type go now."""

    type: str = Field(examples=["nfe"])
    active: bool = Field(
        description="Se os documentos vão agora à autoridade de contingência. Passado algum tempo sem"
        " falhas, o próximo tenta antes a normal."
    )
    authorizer: str = Field(description="Autoridade normal.", examples=["SP"])
    stand_in: str = Field(description="Autoridade de contingência.", examples=["SVCAN"])
    since: datetime | None = Field(
        description="Desde quando a normal não responde, ou a contingência é forçada."
    )
    begins_at: datetime | None = Field(description="Quando a contingência começa, se a normal não voltar.")
    reason: str | None


class CompanyContingencyRecord(Record):
    """What decides about contingency, and what that means now."""

    company_id: UUID
    mode: ContingencyMode
    reason: str | None
    since: datetime | None
    types: list[TypeContingencyRecord] = Field(description="Os tipos que têm autoridade de contingência.")


async def change_contingency(
    database: Database, subscription_id: UUID, company: Company, change: ContingencyChange
) -> Company:
    """Write what decides about contingency from now on."""
    given = change.reason and written_reason(change.reason)
    reason = (given or _USUAL_REASON) if change.mode is ContingencyMode.FORCED else None
    async with database.tenant(subscription_id) as tenant:
        changed = await tenant.companies.set_contingency(company.id, change.mode, reason)
        await tenant.documents.wake(company.id, [kind.name for kind in DOCUMENT_TYPES if kind.contingencies])
    if changed is None:
        raise unknown_company()
    return changed


def written_reason(text: str) -> str:
    """The reason as documents hold it, or a refusal: what is forced must not keep them from being made."""
    try:
        reason = normalize(text, _LONGEST_REASON)
    except Unwritable as problem:
        raise invalid_field("reason", f"O texto {problem}.") from None
    if len(reason) < _SHORTEST_REASON:
        raise invalid_field("reason", f"Deve ter pelo menos {_SHORTEST_REASON} caracteres.")
    return reason


async def read_contingency(
    dossiers: Dossiers, outages: OutageBoard, subscription_id: UUID, company: Company, now: datetime
) -> CompanyContingencyRecord:
    """Tell which way a company's documents go now."""
    dossier = await dossiers.of(subscription_id, company.id, company.revision)
    told = [
        await contingency_of(outages, dossier, kind, dossier.environment_of(kind), now)
        for kind in DOCUMENT_TYPES
    ]
    return CompanyContingencyRecord(
        company_id=company.id,
        mode=ContingencyMode(company.contingency_mode),
        reason=company.contingency_reason,
        since=company.contingency_since,
        types=[one for one in told if one is not None],
    )


async def contingency_of(
    outages: OutageBoard,
    dossier: Dossier,
    kind: DocumentType,
    environment: Environment,
    now: datetime,
    *,
    answers: bool = False,
) -> TypeContingencyRecord | None:
    """Tell which way documents of a type go now; None where there is only one.

    `answers`: the normal authority was just asked, and says that it is at work.
    """
    ways = ways_of(dossier, kind, environment)
    if ways is None:
        return None
    outage = await outages.outage_of(ways.normal)
    is_forced = dossier.row.contingency_mode == ContingencyMode.FORCED
    forced = (dossier.row.contingency_since, dossier.row.contingency_reason)
    since, reason = forced if is_forced else (outage and outage.since, outage and reason_of(outage))
    return TypeContingencyRecord(
        type=kind.name,
        active=await _is_active(outages, dossier, ways, now, answers=answers),
        authorizer=ways.normal.authorizer,
        stand_in=ways.contingency.authorizer,
        since=since,
        begins_at=await _begins_at(outages, dossier, ways, now),
        reason=reason,
    )


async def _is_active(
    outages: OutageBoard, dossier: Dossier, ways: Ways, now: datetime, *, answers: bool
) -> bool:
    if await outages.is_closed(ways.contingency):
        return False
    match ContingencyMode(dossier.row.contingency_mode):
        case ContingencyMode.FORCED:
            return True
        case ContingencyMode.FORBIDDEN:
            return False
        case ContingencyMode.AUTOMATIC:
            begins_at = await outages.contingency_at(ways.normal)
            is_back = answers and not await outages.is_failing(ways.normal)
            return begins_at is not None and begins_at <= now and not is_back


async def _begins_at(outages: OutageBoard, dossier: Dossier, ways: Ways, now: datetime) -> datetime | None:
    if dossier.row.contingency_mode != ContingencyMode.AUTOMATIC:
        return None
    begins_at = await outages.contingency_at(ways.normal)
    return begins_at if begins_at and begins_at > now else None
