"""Gaps in a number series: why numbers are unused, and whether and until when to inutilize them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import EmissionType, local_moment
from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.local_time import CAPITAL
from carimbo.service.filing.inutilize import MAX_NUMBERS
from carimbo.storage.numbering import UnusedNumbers

# Ajuste SINIEF 7/2005, cláusula décima quarta: until the tenth day of the next month.
_DEADLINE_DAY = 10
_LAST_DAYS = timedelta(days=3)
# Documents that a point of sale sends after its deadline are accepted too, unless the number was inutilized.
_GRACE = timedelta(days=3)
_DECEMBER = 12


class GapReason(StrEnum):
    """Why a number has no document."""

    NEVER_SENT = "neverSent"
    UNKNOWN_TO_AUTHORITY = "unknownToAuthority"
    ABANDONED_REJECTION = "abandonedRejection"
    UNKNOWN_FATE = "unknownFate"
    """The authority may have a document with this number."""
    AUTHORIZED_TWICE = "authorizedTwice"
    """The authority authorized both this attempt and the one that replaced it, and canceled neither."""


_REASONS = {
    EmissionState.NUMBERED: GapReason.NEVER_SENT,
    EmissionState.SIGNED: GapReason.UNKNOWN_TO_AUTHORITY,
    EmissionState.SENT: GapReason.UNKNOWN_FATE,
    EmissionState.REJECTED: GapReason.ABANDONED_REJECTION,
    EmissionState.AUTHORIZED: GapReason.AUTHORIZED_TWICE,
}
_NEVER_INUTILIZED = frozenset({GapReason.UNKNOWN_FATE, GapReason.AUTHORIZED_TWICE})


@dataclass(frozen=True, slots=True)
class Gap:
    """Consecutive unused numbers, and what can be done about them."""

    first_number: int
    last_number: int
    reason: GapReason
    document_id: UUID | None
    year: int
    deadline: datetime
    can_be_inutilized: bool
    was_refused: bool

    def is_due(self, now: datetime) -> bool:
        """Returns whether the deadline is within three days. After a refusal, False: a person must decide."""
        return timedelta(0) <= self.deadline - now < _LAST_DAYS and not self.was_refused


@dataclass(frozen=True, slots=True)
class NumberRange:
    """Consecutive numbers of one year."""

    year: int
    first_number: int
    last_number: int


def deadline_of(issued_at: datetime) -> datetime:
    """Returns until when a number of that month can be inutilized, in the time zone of `issued_at`."""
    is_last_month = issued_at.month == _DECEMBER
    year, month = (issued_at.year + 1, 1) if is_last_month else (issued_at.year, issued_at.month + 1)
    return datetime(year, month, _DEADLINE_DAY, 23, 59, 59, tzinfo=issued_at.tzinfo)


def year_of_numbers(deadline: datetime) -> int:
    """Returns the year of the numbers with a deadline, which is in the month after theirs."""
    return deadline.year - 1 if deadline.month == 1 else deadline.year


def is_inutilization_day(now: datetime) -> bool:
    """Returns whether gaps are inutilized automatically today: in the last three days before the deadline."""
    return _DEADLINE_DAY - _LAST_DAYS.days < local_moment(now, CAPITAL).day <= _DEADLINE_DAY


def gap_of(unused: UnusedNumbers, document_type: DocumentType, state: str, now: datetime) -> Gap:
    """Returns the gap of unused numbers of a company in a state."""
    issued_at = local_moment(unused.dated_at, state)
    reason = _REASONS[EmissionState(unused.state)] if unused.state else GapReason.NEVER_SENT
    must_keep = (
        reason in _NEVER_INUTILIZED
        or unused.emission_type == EmissionType.OFFLINE
        or _may_be_on_paper(unused, document_type, state, now)
    )
    return Gap(
        first_number=unused.first_number,
        last_number=unused.last_number,
        reason=reason,
        document_id=unused.document_id,
        year=issued_at.year,
        deadline=deadline_of(issued_at),
        can_be_inutilized=document_type.numbering.inutilization is not None and not must_keep,
        was_refused=unused.was_refused,
    )


def number_ranges(gaps: Iterable[Gap]) -> Iterator[NumberRange]:
    """Yields ranges: joins adjacent gaps of a year, and splits ranges beyond the authority's limit."""
    joined: list[NumberRange] = []
    for gap in gaps:
        last = joined[-1] if joined else None
        if last and (last.year, last.last_number + 1) == (gap.year, gap.first_number):
            joined[-1] = replace(last, last_number=gap.last_number)
        else:
            joined.append(NumberRange(gap.year, gap.first_number, gap.last_number))
    for joint in joined:
        for first in range(joint.first_number, joint.last_number + 1, MAX_NUMBERS):
            yield NumberRange(joint.year, first, min(first + MAX_NUMBERS - 1, joint.last_number))


def _may_be_on_paper(unused: UnusedNumbers, document_type: DocumentType, state: str, now: datetime) -> bool:
    """Returns whether a point of sale, which printed the next number, may still send the skipped ones."""
    is_skipped = unused.state is None and unused.emission_type_above == EmissionType.OFFLINE
    if not is_skipped or document_type.point_of_sale is None:
        return False
    return now <= document_type.point_of_sale.transmission_deadline(unused.dated_at, state) + _GRACE
