"""The overview of a company's numbering: each series, and the gaps with the nearest deadlines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.fiscal.environment import Environment
from carimbo.service.companies.company_settings import stored_settings
from carimbo.service.filing.gaps import GapReason, year_of_numbers
from carimbo.service.filing.inutilize import InutilizationRecord, list_ranges
from carimbo.service.filing.numbering import (
    INUTILIZED_TYPES,
    GapRecord,
    NumberingRecord,
    list_series,
    read_series,
)
from carimbo.service.issuing.unsettled_attempts import UnsettledAttempts, list_unsettled_attempts
from carimbo.service.listing import Page, PageRequest
from carimbo.service.words import GAP_REASONS
from carimbo.storage.companies import CompanyRow
from carimbo.storage.database import Database
from carimbo.storage.numbering import NumberSequence

_READ_GAPS = 100
"""How many gaps of a series are read."""
_URGENT_GAPS = 20
_READ_NUMBERS = 200_000
"""How many numbers are read to find the gaps of all series; larger series are read one by one."""
_NEWEST = PageRequest(1, 5)
_WAIT: Mapping[str, str] = {
    GapReason.UNKNOWN_FATE: "Esperar: o carimbo pergunta até saber.",
    GapReason.AUTHORIZED_TWICE: "Ver no documento por que o cancelamento não foi aceito, e procurar a SEFAZ.",
}
_MAY_STILL_COME = "Esperar: um ponto de venda pode ter impresso o número e ainda enviá-lo."
_NO_ACTION = "Nada: este tipo de documento não tem inutilização."
_CORRECT = "Corrigir e emitir o documento de novo, ou inutilizar."


@dataclass(frozen=True)
class SeriesLine:
    """A series, and how many gaps it has."""

    sequence: NumberSequence
    next_number: int | None
    gaps: int | None
    """None for a series with so many numbers that its gaps are only read on demand."""
    deadline: datetime | None
    """The first deadline of a gap that can be inutilized."""


@dataclass(frozen=True)
class GapLine:
    """A gap in words, with its series."""

    series: NumberingRecord
    gap: GapRecord
    reason: str
    advice: str
    """What else can be done than inutilizing; empty if nothing."""

    @property
    def year(self) -> int | None:
        """The year of its numbers; None where numbers are not inutilized."""
        return year_of_numbers(self.gap.deadline) if self.gap.deadline else None


@dataclass(frozen=True)
class NumberingOverview:
    """The series of a company, the most urgent gaps, and everything that is open about its numbers."""

    series: Sequence[SeriesLine]
    urgent: Sequence[GapLine]
    """The gaps to inutilize whose deadline comes first."""
    is_automatic: bool
    inutilizations: Page[InutilizationRecord]
    attempts: UnsettledAttempts


async def read_numbering_overview(
    database: Database, subscription_id: UUID, company: CompanyRow, now: datetime
) -> NumberingOverview:
    """Returns the overview. Series with very many numbers have no gaps in it."""
    sequences = await _sequences(database, subscription_id, company)
    small = _within(sequences, _READ_NUMBERS)
    read = await read_series(database, subscription_id, company, small, now, _READ_GAPS)
    records = dict(zip(small, read, strict=True))
    urgent = [line for record in read for line in gap_lines(record) if line.gap.voidable]
    return NumberingOverview(
        series=[_series_line(each, records.get(each)) for each in sequences],
        urgent=sorted(urgent, key=_urgency)[:_URGENT_GAPS],
        is_automatic=stored_settings(company).model.numbering.inutilize_gaps == "automatic",
        inutilizations=await list_ranges(database, subscription_id, company.id, INUTILIZED_TYPES, _NEWEST),
        attempts=await list_unsettled_attempts(database, subscription_id, company.id),
    )


async def read_one_series(
    database: Database,
    subscription_id: UUID,
    company: CompanyRow,
    key: tuple[str, str, str],
    now: datetime,
) -> NumberingRecord | None:
    """Returns a series by its type, environment and number, with its first gaps; None if it is not in use."""
    for each in await _sequences(database, subscription_id, company):
        if (each.document_type, each.environment, str(each.series)) == key:
            (record,) = await read_series(database, subscription_id, company, [each], now, _READ_GAPS)
            return record
    return None


def gap_lines(record: NumberingRecord) -> list[GapLine]:
    """Returns the gaps of a series in words."""
    return [GapLine(record, gap, GAP_REASONS[gap.reason], _advice(gap)) for gap in record.gaps]


async def _sequences(database: Database, subscription_id: UUID, company: CompanyRow) -> list[NumberSequence]:
    """Returns the series of a company, those of production first."""
    listed = await list_series(database, subscription_id, company.id)
    return sorted(listed, key=lambda each: each.environment != Environment.PRODUCTION)


def _within(sequences: Sequence[NumberSequence], numbers: int) -> list[NumberSequence]:
    """Returns the smallest series that have at most so many numbers together."""
    chosen = []
    for each in sorted(sequences, key=lambda each: each.next_number):
        numbers -= each.next_number
        if numbers < 0:
            break
        chosen.append(each)
    return chosen


def _series_line(sequence: NumberSequence, record: NumberingRecord | None) -> SeriesLine:
    if record is None:
        return SeriesLine(sequence, sequence.next_number, None, None)
    deadlines = [gap.deadline for gap in record.gaps if gap.voidable and gap.deadline]
    gaps = len(record.gaps) + record.omitted
    return SeriesLine(sequence, record.next_number, gaps, min(deadlines, default=None))


def _urgency(line: GapLine) -> tuple[bool, float]:
    deadline = line.gap.deadline
    return line.series.environment != Environment.PRODUCTION, deadline.timestamp() if deadline else 0.0


def _advice(gap: GapRecord) -> str:
    if gap.voidable:
        return _CORRECT if gap.reason == GapReason.ABANDONED_REJECTION else ""
    if gap.reason in _WAIT:
        return _WAIT[gap.reason]
    return _MAY_STILL_COME if gap.deadline else _NO_ACTION
