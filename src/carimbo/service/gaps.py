"""Gaps of a numbering: why a number did not become a document, until when it is given up, and whether."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.emission import EmissionType, local_moment
from carimbo.fiscal.lifecycle import EmissionState
from carimbo.service.filing.inutilize import MOST_NUMBERS
from carimbo.storage.numbering import UnusedNumbers

CAPITAL = "DF"
"""The state whose clock is that of Brasília."""
# Ajuste SINIEF 7/2005, cláusula décima quarta: until the tenth of the month that follows.
_DEADLINE_DAY = 10
_LAST_DAYS = timedelta(days=3)
# What a point of sale hands over after its term is taken too, and a number that is void could not be.
_GRACE = timedelta(days=3)
_DECEMBER = 12


class GapReason(StrEnum):
    """Why a number did not become a document."""

    NEVER_SENT = "neverSent"
    UNKNOWN_TO_AUTHORITY = "unknownToAuthority"
    ABANDONED_REJECTION = "abandonedRejection"
    UNKNOWN_FATE = "unknownFate"
    """The authority may have it after all."""
    AUTHORIZED_TWICE = "authorizedTwice"
    """The authority has it besides the attempt that took its place, and it is not canceled."""


_REASONS = {
    EmissionState.NUMBERED: GapReason.NEVER_SENT,
    EmissionState.SIGNED: GapReason.UNKNOWN_TO_AUTHORITY,
    EmissionState.SENT: GapReason.UNKNOWN_FATE,
    EmissionState.REJECTED: GapReason.ABANDONED_REJECTION,
    EmissionState.AUTHORIZED: GapReason.AUTHORIZED_TWICE,
}
_NEVER_VOIDED = frozenset({GapReason.UNKNOWN_FATE, GapReason.AUTHORIZED_TWICE})


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers that did not become documents, and what may be done about them."""

    first_number: int
    last_number: int
    reason: GapReason
    document_id: UUID | None
    year: int
    deadline: datetime
    is_voidable: bool
    was_refused: bool

    def is_due(self, now: datetime) -> bool:
        """Tell whether its term ends in these days; what an authority would not have is a person's to see."""
        return timedelta(0) <= self.deadline - now < _LAST_DAYS and not self.was_refused


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive numbers of one year."""

    year: int
    first_number: int
    last_number: int


def deadline_of(issued_at: datetime) -> datetime:
    """Until when a number of a month is to be given up, by the same clock."""
    is_last_month = issued_at.month == _DECEMBER
    year, month = (issued_at.year + 1, 1) if is_last_month else (issued_at.year, issued_at.month + 1)
    return datetime(year, month, _DEADLINE_DAY, 23, 59, 59, tzinfo=issued_at.tzinfo)


def is_voiding_day(now: datetime) -> bool:
    """Tell whether gaps are given up without being asked for: in the last three days of the term."""
    return _DEADLINE_DAY - _LAST_DAYS.days < local_moment(now, CAPITAL).day <= _DEADLINE_DAY


def gap_of(unused: UnusedNumbers, kind: DocumentType, state: str, now: datetime) -> Gap:
    """What is to be said of numbers that nobody uses, of a company in a state."""
    issued_at = local_moment(unused.dated_at, state)
    reason = _REASONS[EmissionState(unused.state)] if unused.state else GapReason.NEVER_SENT
    keeps_it = (
        reason in _NEVER_VOIDED
        or unused.emission_type == EmissionType.OFFLINE
        or _may_be_on_paper(unused, kind, state, now)
    )
    return Gap(
        first_number=unused.first_number,
        last_number=unused.last_number,
        reason=reason,
        document_id=unused.document_id,
        year=issued_at.year,
        deadline=deadline_of(issued_at),
        is_voidable=kind.numbering.voiding is not None and not keeps_it,
        was_refused=unused.was_refused,
    )


def stretches_of(gaps: Iterable[Gap]) -> Iterator[Stretch]:
    """Join neighbours of a year, and cut what is more than an authority takes at once."""
    joined: list[Stretch] = []
    for gap in gaps:
        before = joined[-1] if joined else None
        if before and (before.year, before.last_number + 1) == (gap.year, gap.first_number):
            joined[-1] = replace(before, last_number=gap.last_number)
        else:
            joined.append(Stretch(gap.year, gap.first_number, gap.last_number))
    for whole in joined:
        for first in range(whole.first_number, whole.last_number + 1, MOST_NUMBERS):
            yield Stretch(whole.year, first, min(first + MOST_NUMBERS - 1, whole.last_number))


def _may_be_on_paper(unused: UnusedNumbers, kind: DocumentType, state: str, now: datetime) -> bool:
    """Tell whether a point of sale, which printed what comes next, may still hand over what it skipped."""
    is_skipped = unused.state is None and unused.emission_type_above == EmissionType.OFFLINE
    if not is_skipped or kind.point_of_sale is None:
        return False
    return now <= kind.point_of_sale.transmission_deadline(unused.dated_at, state) + _GRACE
