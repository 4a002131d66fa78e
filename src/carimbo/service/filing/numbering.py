"""The numbering ledger: unused numbers of each series, why they are unused, and their inutilization."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import AS_STORED, Body, Record
from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.filing import Justification
from carimbo.fiscal.module_settings import Series
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.companies.snapshot import CompanySnapshot
from carimbo.service.document_types import document_type_named, find_document_type, last_number_of
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.filing.context import FilingContext
from carimbo.service.filing.gaps import Gap, GapReason, NumberRange, gap_of, number_ranges
from carimbo.service.filing.inutilize import InutilizationRecord, check_range, file_range, record_of_range
from carimbo.service.stored_records import partial_record, record_or_partial
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import new_id
from carimbo.storage.inutilizations import NewInutilization
from carimbo.storage.numbering import NumberSequence, UnusedPage

MAX_LISTED = 1_000
"""How many gaps of a series are listed."""
# More than any company leaves in a month; the next request handles the rest.
_MAX_EXAMINED = 10_000
_MAX_FILED = 1_000

INUTILIZED_TYPES = tuple(
    document_type for document_type in DOCUMENT_TYPES if document_type.numbering.inutilization
)
"""The types whose unused numbers are inutilized."""
_JUSTIFICATION = "Números não utilizados por quebra na sequência da numeração"

if TYPE_CHECKING:
    InutilizableType = str
else:
    InutilizableType = Literal[tuple(document_type.name for document_type in INUTILIZED_TYPES)]


class GapRecord(Record):
    """Consecutive unused numbers."""

    number_start: int
    number_end: int
    reason: GapReason
    document_id: UUID | None = Field(description="Documento que recebeu o número, se algum recebeu.")
    voidable: bool = Field(
        description=(
            "Se pode ser inutilizado. CT-e não têm inutilização: um número que não virou documento não pede"
            " providência."
        )
    )
    deadline: datetime | None = Field(description="Prazo legal; nulo onde números não são inutilizados.")
    overdue: bool = Field(description="Se o prazo passou: a autoridade ainda pode aceitar.")


class NumberingRecord(Record):
    """A series: its next number and its gaps."""

    type: str = Field(examples=["nfe"])
    environment: Annotated[Environment, AS_STORED]
    series: int
    next_number: int | None = Field(description="Nulo depois do último número da série.")
    gaps: list[GapRecord]
    omitted: int = Field(description=f"Quantas lacunas há além das {MAX_LISTED} primeiras.")


class GapsRequest(Body):
    """The body that inutilizes gaps."""

    type: InutilizableType | None = Field(default=None, description="Só as deste tipo de documento.")
    series: Series | None = Field(default=None, description="Só as desta série.")
    justification: Justification = Field(
        default=_JUSTIFICATION, description="Justificativa, de 15 a 255 caracteres (xJust)."
    )


async def read_ledger(
    database: Database,
    subscription_id: UUID,
    company: CompanyRow,
    type_name: str | None,
    now: datetime,
    limit: int | None = None,
) -> list[NumberingRecord]:
    """Returns every series of a company with its first gaps, up to a limit."""
    async with database.snapshot(subscription_id) as tenant:
        numberings = await tenant.numberings.all(company.id)
        chosen = [numbering for numbering in numberings if type_name in (None, numbering.document_type)]
        limit = limit or MAX_LISTED
        return [await _numbering_record(tenant, company, numbering, now, limit) for numbering in chosen]


async def list_series(database: Database, subscription_id: UUID, company_id: UUID) -> list[NumberSequence]:
    """Returns every series of a company that is in use."""
    async with database.autocommit(subscription_id) as tenant:
        return await tenant.numberings.all(company_id)


async def read_series(
    database: Database,
    subscription_id: UUID,
    company: CompanyRow,
    numberings: Iterable[NumberSequence],
    now: datetime,
    limit: int,
) -> list[NumberingRecord]:
    """Returns some series of a company with their first gaps. Reads all numbers of these series."""
    async with database.snapshot(subscription_id) as tenant:
        return [await _numbering_record(tenant, company, numbering, now, limit) for numbering in numberings]


async def inutilize_gaps(
    context: FilingContext, subscription_id: UUID, company: CompanyRow, request: GapsRequest
) -> list[InutilizationRecord]:
    """Inutilizes all gaps that can be, in the environment in which the company issues now."""
    plan = await plan_inutilizations(context, subscription_id, company, request)
    return await inutilize_planned(context, plan)


async def inutilize_due_gaps(
    context: FilingContext, subscription_id: UUID, company: CompanyRow
) -> list[InutilizationRecord]:
    """Inutilizes the gaps whose deadline is within three days."""
    now = context.issuing.builder.clock()
    plan = await plan_inutilizations(
        context, subscription_id, company, GapsRequest(), lambda gap: gap.is_due(now)
    )
    return await inutilize_planned(context, plan)


@dataclass(frozen=True)
class InutilizationPlan:
    """The ranges of unused numbers that would be inutilized. Nothing is stored yet."""

    snapshot: CompanySnapshot
    ranges: Sequence[NewInutilization]


async def plan_inutilizations(
    context: FilingContext,
    subscription_id: UUID,
    company: CompanyRow,
    request: GapsRequest,
    is_wanted: Callable[[Gap], bool] = lambda _: True,
) -> InutilizationPlan:
    """Returns the gaps that can be inutilized, in ranges. Raises Refusal if the company can't file."""
    snapshot = await context.snapshot_of(subscription_id, company, *INUTILIZED_TYPES)
    return InutilizationPlan(snapshot, await _ranges(context, snapshot, request, is_wanted))


async def inutilize_planned(context: FilingContext, plan: InutilizationPlan) -> list[InutilizationRecord]:
    """Inutilizes the ranges of a plan, except those with a number that was used meanwhile."""
    for new in plan.ranges[:1]:
        # Errors of the company's data or of the justification are the same for all ranges.
        check_range(context, plan.snapshot, document_type_named(new.document_type), new)
    database, owner = context.issuing.database, plan.snapshot.subscription_id
    filed = [await _file(database, owner, new) for new in plan.ranges]
    return [record for record in filed if record]


async def _numbering_record(
    tenant: Tenant, company: CompanyRow, numbering: NumberSequence, now: datetime, limit: int
) -> NumberingRecord:
    page = await tenant.numberings.unused(numbering, limit)
    columns = {
        "type": numbering.document_type,
        "environment": numbering.environment,
        "series": numbering.series,
        "next_number": numbering.next_number,
        "omitted": page.total,
    }
    series_key = "/".join(map(str, astuple(numbering)[:-1]))
    return record_or_partial(
        "number_sequences",
        series_key,
        lambda: NumberingRecord.model_validate(columns | _gaps_of(company, numbering, page, now)),
        lambda: partial_record(NumberingRecord, columns),
    )


def _gaps_of(
    company: CompanyRow, numbering: NumberSequence, page: UnusedPage, now: datetime
) -> dict[str, Any]:
    document_type, state = find_document_type(numbering.document_type), company.local_state
    has_next = numbering.next_number <= last_number_of(numbering.document_type)
    gaps = []
    # A type that can't be issued yet may have a next number, but has no gaps.
    if document_type:
        for unused in page.numbers:
            gap = gap_of(unused, document_type, state, now)
            gaps.append(_gap_record(gap, document_type, now))
    return {
        "next_number": numbering.next_number if has_next else None,
        "gaps": gaps,
        "omitted": page.total - len(page.numbers),
    }


def _gap_record(gap: Gap, document_type: DocumentType, now: datetime) -> GapRecord:
    deadline = gap.deadline.astimezone(UTC) if document_type.numbering.inutilization else None
    return GapRecord(
        number_start=gap.first_number,
        number_end=gap.last_number,
        reason=gap.reason,
        document_id=gap.document_id,
        voidable=gap.can_be_inutilized,
        deadline=deadline,
        overdue=deadline is not None and deadline < now,
    )


async def _ranges(
    context: FilingContext, snapshot: CompanySnapshot, request: GapsRequest, is_wanted: Callable[[Gap], bool]
) -> list[NewInutilization]:
    """Returns the ranges to file, at most as many as a caller can wait for."""
    now, state = context.issuing.builder.clock(), snapshot.row.local_state
    ranges: list[NewInutilization] = []
    async with context.issuing.database.snapshot(snapshot.subscription_id) as tenant:
        for numbering in await tenant.numberings.all(snapshot.row.id):
            document_type = find_document_type(numbering.document_type)
            if document_type is None or not _is_requested(numbering, document_type, snapshot, request):
                continue
            page = await tenant.numberings.unused(numbering, _MAX_EXAMINED)
            gaps = (gap_of(unused, document_type, state, now) for unused in page.numbers)
            unused_ranges = number_ranges(gap for gap in gaps if gap.can_be_inutilized and is_wanted(gap))
            ranges += [
                _new_inutilization(numbering, number_range, request.justification)
                for number_range in islice(unused_ranges, _MAX_FILED - len(ranges))
            ]
    return ranges


def _is_requested(
    numbering: NumberSequence, document_type: DocumentType, snapshot: CompanySnapshot, request: GapsRequest
) -> bool:
    return (
        numbering.environment == snapshot.environment_of(document_type)
        and request.type in (None, document_type.name)
        and request.series in (None, numbering.series)
    )


def _new_inutilization(
    numbering: NumberSequence, number_range: NumberRange, justification: str
) -> NewInutilization:
    return NewInutilization(
        id=new_id(),
        company_id=numbering.company_id,
        document_type=numbering.document_type,
        environment=numbering.environment,
        series=numbering.series,
        first_number=number_range.first_number,
        last_number=number_range.last_number,
        year=number_range.year,
        justification=justification,
    )


async def _file(
    database: Database, subscription_id: UUID, new: NewInutilization
) -> InutilizationRecord | None:
    """Stores a range; returns None if one of its numbers was used meanwhile."""
    try:
        async with database.tenant(subscription_id) as tenant:
            return record_of_range(await file_range(tenant, new))
    except Refusal as refusal:
        if refusal.code is ErrorCode.NUMBER_ALREADY_USED:
            return None
        raise
