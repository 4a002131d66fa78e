"""The numbering ledger: which numbers did not become documents and why, and how they are given up."""

from collections.abc import Callable
from dataclasses import astuple
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.fields import AS_STORED, Body, Record
from carimbo.fiscal.filing import Justification
from carimbo.fiscal.module_settings import Series
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.dossier import Dossier
from carimbo.service.errors import Code, Refusal
from carimbo.service.filing.desk import Desk
from carimbo.service.filing.inutilize import (
    InutilizationRecord,
    file_range,
    record_of_range,
    try_range,
)
from carimbo.service.gaps import CAPITAL, Gap, GapReason, Stretch, gap_of, stretches_of
from carimbo.service.kinds import find_kind, kind_named, last_number_of
from carimbo.service.readable import as_far_as_readable, readable
from carimbo.storage.companies import Company
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import NewInutilization
from carimbo.storage.numbering import Numbering, UnusedPage

MOST_TOLD = 1_000
"""How many gaps of a series are told."""
# Beyond what any company leaves in a month; the rest comes at the next request.
_MOST_LOOKED_AT = 10_000
_MOST_FILED = 1_000

_VOIDED = tuple(kind for kind in DOCUMENT_TYPES if kind.numbering.voiding)
_JUSTIFICATION = "Números não utilizados por quebra na sequência da numeração"

if TYPE_CHECKING:
    VoidableType = str
else:
    VoidableType = Literal[tuple(kind.name for kind in _VOIDED)]


class GapRecord(Record):
    """Numbers that did not become documents."""

    number_start: int
    number_end: int
    reason: GapReason
    document_id: UUID | None = Field(description="Documento que recebeu o número, se algum recebeu.")
    voidable: bool = Field(description="Se pode ser inutilizado.")
    deadline: datetime | None = Field(description="Prazo legal; nulo onde números não são inutilizados.")
    overdue: bool = Field(description="Se o prazo passou: a autoridade ainda pode aceitar.")


class NumberingRecord(Record):
    """A series: its next number, and those that are missing in it."""

    type: str = Field(examples=["nfe"])
    environment: Annotated[Environment, AS_STORED]
    series: int
    next_number: int | None = Field(description="Nulo depois do último número da série.")
    gaps: list[GapRecord]
    omitted: int = Field(description=f"Quantas lacunas há além das {MOST_TOLD} primeiras.")


class GapsRequest(Body):
    """Which gaps are to be voided, and why."""

    type: VoidableType | None = Field(default=None, description="Só as deste tipo de documento.")
    series: Series | None = Field(default=None, description="Só as desta série.")
    justification: Justification = Field(
        default=_JUSTIFICATION, description="Justificativa, de 15 a 255 caracteres (xJust)."
    )


async def read_ledger(
    database: Database, subscription_id: UUID, company: Company, type_name: str | None, now: datetime
) -> list[NumberingRecord]:
    """Show every series of a company with its gaps."""
    async with database.snapshot(subscription_id) as tenant:
        numberings = await tenant.numberings.all(company.id)
        meant = [one for one in numberings if type_name in (None, one.document_type)]
        return [await _numbering_record(tenant, company, one, now) for one in meant]


async def inutilize_gaps(
    desk: Desk, subscription_id: UUID, company: Company, request: GapsRequest
) -> list[InutilizationRecord]:
    """Give up all numbers that may be given up, where the company issues now."""
    return await _give_up(desk, subscription_id, company, request, lambda _: True)


async def inutilize_due_gaps(
    desk: Desk, subscription_id: UUID, company: Company
) -> list[InutilizationRecord]:
    """Give up those of them whose term ends in these days."""
    now = desk.counter.workshop.clock()
    return await _give_up(desk, subscription_id, company, GapsRequest(), lambda gap: gap.is_due(now))


async def _numbering_record(
    tenant: Tenant, company: Company, numbering: Numbering, now: datetime
) -> NumberingRecord:
    page = await tenant.numberings.unused(numbering, MOST_TOLD)
    columns = {
        "type": numbering.document_type,
        "environment": numbering.environment,
        "series": numbering.series,
        "next_number": numbering.next_number,
        "omitted": page.total,
    }
    place = "/".join(map(str, astuple(numbering)[:-1]))
    return readable(
        "number_sequences",
        place,
        lambda: NumberingRecord.model_validate(columns | _gaps_of(company, numbering, page, now)),
        lambda: as_far_as_readable(NumberingRecord, columns),
    )


def _gaps_of(company: Company, numbering: Numbering, page: UnusedPage, now: datetime) -> dict[str, Any]:
    # A module that can't be issued yet may have a next number, and has no gaps.
    kind, state = find_kind(numbering.document_type), _state_of(company)
    is_left = numbering.next_number <= last_number_of(numbering.document_type)
    return {
        "next_number": numbering.next_number if is_left else None,
        "gaps": [_gap_record(gap_of(unused, kind, state, now), kind, now) for unused in page.found if kind],
        "omitted": page.total - len(page.found),
    }


def _gap_record(gap: Gap, kind: DocumentType, now: datetime) -> GapRecord:
    deadline = gap.deadline.astimezone(UTC) if kind.numbering.voiding else None
    return GapRecord(
        number_start=gap.first_number,
        number_end=gap.last_number,
        reason=gap.reason,
        document_id=gap.document_id,
        voidable=gap.is_voidable,
        deadline=deadline,
        overdue=deadline is not None and deadline < now,
    )


async def _give_up(
    desk: Desk, subscription_id: UUID, company: Company, request: GapsRequest, wanted: Callable[[Gap], bool]
) -> list[InutilizationRecord]:
    dossier = await desk.dossier_of(subscription_id, company, *_VOIDED)
    ranges = await _ranges(desk, dossier, request, wanted)
    for new in ranges[:1]:
        # What is wrong with one, by the company's data or the justification, is wrong with all.
        try_range(desk, dossier, kind_named(new.document_type), new)
    filed = [await _file(desk.counter.database, subscription_id, new) for new in ranges]
    return [record for record in filed if record]


async def _ranges(
    desk: Desk, dossier: Dossier, request: GapsRequest, wanted: Callable[[Gap], bool]
) -> list[NewInutilization]:
    """What is to be filed, at most so much that a caller may wait for it."""
    now, state = desk.counter.workshop.clock(), _state_of(dossier.row)
    ranges: list[NewInutilization] = []
    async with desk.counter.database.snapshot(dossier.subscription_id) as tenant:
        for numbering in await tenant.numberings.all(dossier.row.id):
            kind = find_kind(numbering.document_type)
            if kind is None or not _is_meant(numbering, kind, dossier, request):
                continue
            page = await tenant.numberings.unused(numbering, _MOST_LOOKED_AT)
            gaps = (gap_of(unused, kind, state, now) for unused in page.found)
            stretches = stretches_of(gap for gap in gaps if gap.is_voidable and wanted(gap))
            room = _MOST_FILED - len(ranges)
            ranges += [_new(numbering, one, request.justification) for one in islice(stretches, room)]
    return ranges


def _is_meant(numbering: Numbering, kind: DocumentType, dossier: Dossier, request: GapsRequest) -> bool:
    return (
        numbering.environment == dossier.environment_of(kind)
        and request.type in (None, kind.name)
        and request.series in (None, numbering.series)
    )


def _new(numbering: Numbering, stretch: Stretch, justification: str) -> NewInutilization:
    return NewInutilization(
        id=new_id(),
        company_id=numbering.company_id,
        document_type=numbering.document_type,
        environment=numbering.environment,
        series=numbering.series,
        first_number=stretch.first_number,
        last_number=stretch.last_number,
        year=stretch.year,
        justification=justification,
    )


async def _file(
    database: Database, subscription_id: UUID, new: NewInutilization
) -> InutilizationRecord | None:
    """Store a range, unless one of its numbers has come into use since it was looked at."""
    try:
        async with database.tenant(subscription_id) as tenant:
            return record_of_range(await file_range(tenant, new))
    except Refusal as refusal:
        if refusal.code is Code.NUMBER_ALREADY_USED:
            return None
        raise


def _state_of(company: Company) -> str:
    """Whose clock tells the months; a company that lost its address has the capital's."""
    return (company.address or {}).get("state") or CAPITAL
