"""Numbering: the next number of each series, unused numbers, and attempts whose outcome is unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from starlette.responses import Response

from carimbo.dashboard.csv_download import csv_response, wants_csv
from carimbo.dashboard.rendering import attachment, page
from carimbo.dashboard.routes import company_page
from carimbo.dashboard.shown import badges
from carimbo.dashboard.visit import CompanyVisit
from carimbo.service.companies.company_settings import stored_settings
from carimbo.service.document_types import find_document_type
from carimbo.service.errors import not_found
from carimbo.service.exports.lists import export_gaps, export_inutilizations
from carimbo.service.filing.gaps import GapReason
from carimbo.service.filing.inutilize import InutilizationRecord, list_ranges
from carimbo.service.filing.numbering import (
    INUTILIZED_TYPES,
    GapRecord,
    NumberingRecord,
    list_series,
    read_series,
)
from carimbo.service.filing.outcome import FilingStatus
from carimbo.service.filing.xml import read_range_xml
from carimbo.service.issuing.unsettled_attempts import UnsettledAttempts, list_unsettled_attempts
from carimbo.service.listing import Page, PageRequest
from carimbo.service.people.roles import Capability
from carimbo.service.words import GAP_REASONS, INUTILIZATION_STATUSES
from carimbo.storage.numbering import NumberSequence

_READ_GAPS = 100
"""How many gaps of a series are read, and shown on its page."""
_URGENT_GAPS = 20
_READ_NUMBERS = 200_000
"""How many numbers are read to find the gaps of all series; those of larger series are on their own page."""
_NEWEST = PageRequest(1, 5)
_STATUSES = badges(
    INUTILIZATION_STATUSES,
    {FilingStatus.PROCESSING: "busy", FilingStatus.AUTHORIZED: "good", FilingStatus.REJECTED: "bad"},
)
_WAIT: Mapping[str, str] = {
    GapReason.UNKNOWN_FATE: "Esperar: o carimbo pergunta até saber.",
    GapReason.AUTHORIZED_TWICE: "Ver no documento por que o cancelamento não foi aceito, e procurar a SEFAZ.",
}
_MAY_STILL_COME = "Esperar: um ponto de venda pode ter impresso o número e ainda enviá-lo."
_NO_ACTION = "Nada: este tipo de documento não tem inutilização."
_INUTILIZE = "Inutilizar."
_CORRECT = "Corrigir e emitir o documento de novo, ou inutilizar."


@dataclass(frozen=True)
class SeriesLine:
    """A series, and how many gaps it has."""

    sequence: NumberSequence
    next_number: int | None
    gaps: int | None
    """None for a series with so many numbers that they are read on its own page only."""
    deadline: datetime | None
    """The first deadline of a gap that can be inutilized."""


@dataclass(frozen=True)
class GapLine:
    """A gap in words, with its series."""

    series: NumberingRecord
    gap: GapRecord
    reason: str
    advice: str


@dataclass(frozen=True)
class NumberingOverview:
    """Everything that the page about the numbers of a company shows."""

    series: Sequence[SeriesLine]
    urgent: Sequence[GapLine]
    """The gaps to inutilize whose deadline comes first."""
    is_automatic: bool
    inutilizations: Page[InutilizationRecord]
    attempts: UnsettledAttempts


async def numbering(visit: CompanyVisit) -> Response:
    """Shows the series of a company and what is open about their numbers."""
    if wants_csv(visit):
        return csv_response(
            await export_gaps(visit.services.database, visit.subscription_id, visit.company, None, visit.now)
        )
    return page(visit, "numbering/overview.html", overview=await _overview(visit), statuses=_STATUSES)


async def series(visit: CompanyVisit) -> Response:
    """Shows the gaps of one series."""
    values = visit.request.path_params
    wanted = (values["type"], values["environment"], values["series"])
    for each in await _sequences(visit):
        if (each.document_type, each.environment, str(each.series)) == wanted:
            (record,) = await _read(visit, [each])
            lines = [_gap_line(record, gap) for gap in record.gaps]
            return page(visit, "numbering/series.html", series=record, lines=lines)
    raise not_found("Esta série não existe.")


async def inutilizations(visit: CompanyVisit) -> Response:
    """Lists the inutilizations of a company, newest first."""
    if wants_csv(visit):
        return csv_response(
            await export_inutilizations(visit.services.database, visit.subscription_id, visit.company)
        )
    listed = await _ranges(visit, visit.page_request)
    return page(visit, "numbering/inutilizations.html", ranges=listed, statuses=_STATUSES)


async def inutilization_xml(visit: CompanyVisit) -> Response:
    """Downloads the registered inutilization."""
    values = visit.request.path_params
    document_type = find_document_type(values["type"])
    if document_type is None or document_type not in INUTILIZED_TYPES:
        raise not_found("Inutilização não encontrada.")
    file = await read_range_xml(
        visit.services.database,
        visit.subscription_id,
        visit.company.id,
        document_type,
        UUID(values["range_id"]),
    )
    return attachment(file.xml, "application/xml", file.name)


async def _overview(visit: CompanyVisit) -> NumberingOverview:
    sequences = await _sequences(visit)
    small = _within(sequences, _READ_NUMBERS)
    records = dict(zip(small, await _read(visit, small), strict=True))
    urgent = [_gap_line(record, gap) for record in records.values() for gap in record.gaps if gap.voidable]
    return NumberingOverview(
        series=[_series_line(each, records.get(each)) for each in sequences],
        urgent=sorted(urgent, key=_urgency)[:_URGENT_GAPS],
        is_automatic=stored_settings(visit.company).model.numbering.inutilize_gaps == "automatic",
        inutilizations=await _ranges(visit, _NEWEST),
        attempts=await list_unsettled_attempts(
            visit.services.database, visit.subscription_id, visit.company.id
        ),
    )


async def _sequences(visit: CompanyVisit) -> list[NumberSequence]:
    """Returns the series of a company, those of production first."""
    listed = await list_series(visit.services.database, visit.subscription_id, visit.company.id)
    return sorted(listed, key=lambda each: each.environment != "production")


def _within(sequences: Sequence[NumberSequence], numbers: int) -> list[NumberSequence]:
    """Returns the smallest series that have at most so many numbers together."""
    chosen = []
    for each in sorted(sequences, key=lambda each: each.next_number):
        numbers -= each.next_number
        if numbers < 0:
            break
        chosen.append(each)
    return chosen


async def _read(visit: CompanyVisit, sequences: Sequence[NumberSequence]) -> list[NumberingRecord]:
    return await read_series(
        visit.services.database, visit.subscription_id, visit.company, sequences, visit.now, _READ_GAPS
    )


async def _ranges(visit: CompanyVisit, request: PageRequest) -> Page[InutilizationRecord]:
    return await list_ranges(
        visit.services.database, visit.subscription_id, visit.company.id, INUTILIZED_TYPES, request
    )


def _series_line(sequence: NumberSequence, record: NumberingRecord | None) -> SeriesLine:
    if record is None:
        return SeriesLine(sequence, sequence.next_number, None, None)
    deadlines = [gap.deadline for gap in record.gaps if gap.voidable and gap.deadline]
    gaps = len(record.gaps) + record.omitted
    return SeriesLine(sequence, record.next_number, gaps, min(deadlines, default=None))


def _urgency(line: GapLine) -> tuple[bool, float]:
    deadline = line.gap.deadline
    return line.series.environment != "production", deadline.timestamp() if deadline else 0.0


def _gap_line(record: NumberingRecord, gap: GapRecord) -> GapLine:
    return GapLine(record, gap, GAP_REASONS[gap.reason], _advice(gap))


def _advice(gap: GapRecord) -> str:
    if gap.voidable:
        return _CORRECT if gap.reason == GapReason.ABANDONED_REJECTION else _INUTILIZE
    if gap.reason in _WAIT:
        return _WAIT[gap.reason]
    return _MAY_STILL_COME if gap.deadline else _NO_ACTION


_SERIES = "/numeracao/{type}/{environment}/{series}"
_RANGES = "/numeracao/inutilizacoes"
ROUTES = (
    company_page("/numeracao", Capability.READ_DOCUMENTS, numbering),
    company_page(_RANGES, Capability.READ_DOCUMENTS, inutilizations),
    company_page(f"{_RANGES}/{{type}}/{{range_id:uuid}}/xml", Capability.READ_DOCUMENTS, inutilization_xml),
    company_page(_SERIES, Capability.READ_DOCUMENTS, series),
)
