"""Unused numbers of last month, which must be inutilized until the tenth of this month."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter

from carimbo.fiscal.emission import local_moment
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.local_time import CAPITAL, local_day
from carimbo.service.document_types import document_type_named
from carimbo.service.exports.month import month_before
from carimbo.service.filing.gaps import Gap, gap_of
from carimbo.service.filing.numbering import INUTILIZED_TYPES
from carimbo.service.listing import month_moments
from carimbo.service.overview.items import GapItem, NamedCompany
from carimbo.storage.companies import CompanyRow
from carimbo.storage.overview import Overview, UnusedNumberRow

_MAX_EXAMINED = 5_000
_SERIES = attrgetter("company_id", "document_type", "series")
# The states have other time zones than Brasília, where the months are cut: none by more than two hours.
_ANY_ZONE = timedelta(hours=6)


async def read_gaps(
    overview: Overview, companies: Sequence[CompanyRow], now: datetime, clock_offset: timedelta
) -> list[GapItem]:
    """Returns the unused numbers of last month by series, the nearest deadline first.

    These are the numbers of documents that were rejected and of attempts that another one replaced. Numbers
    that were skipped are only in the numbering of a company. `clock_offset`: how far our clock is ahead of
    the database's.
    """
    since, before = month_moments(month_before(local_day(now, CAPITAL)), CAPITAL)
    rows = await overview.unused_numbers(
        [document_type.name for document_type in INUTILIZED_TYPES],
        Environment.PRODUCTION,
        since - _ANY_ZONE,
        before + _ANY_ZONE,
        since - _ANY_ZONE - clock_offset,
        _MAX_EXAMINED,
    )
    by_id = {company.id: company for company in companies}
    items = [
        item
        for (company_id, type_name, series), unused in groupby(rows, _SERIES)
        if (item := _item(by_id[company_id], type_name, series, unused, now))
    ]
    return sorted(items, key=lambda item: (item.deadline, -item.numbers))


def _item(
    company: CompanyRow, type_name: str, series: int, unused: Iterable[UnusedNumberRow], now: datetime
) -> GapItem | None:
    """Returns the unused numbers of a series, or None if there is nothing to inutilize."""
    document_type, state = document_type_named(type_name), company.local_state
    month = local_moment(now, state)
    gaps = [gap_of(row, document_type, state, now) for row in unused]
    gaps = [gap for gap in gaps if gap.can_be_inutilized and _ends_in(gap, month)]
    if not gaps:
        return None
    deadline = min(gap.deadline for gap in gaps)
    return GapItem(
        company=NamedCompany.of(company),
        type=type_name,
        series=series,
        numbers=len(gaps),
        deadline=deadline,
        state=state,
        is_overdue=deadline < now,
        was_refused=any(gap.was_refused for gap in gaps),
    )


def _ends_in(gap: Gap, month: datetime) -> bool:
    return (gap.deadline.year, gap.deadline.month) == (month.year, month.month)
