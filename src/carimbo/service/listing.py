"""Lists: pages, and filters by dates."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Generic, TypeVar

from carimbo.fiscal.local_time import CAPITAL, beginning_of, local_day

T = TypeVar("T")


@dataclass(frozen=True)
class PageRequest:
    """The number of a page, counted from 1, and its size."""

    page: int = 1
    page_size: int = 20

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.page_size


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a list and the total number of items."""

    items: list[T]
    total: int
    request: PageRequest


_ONE_MICROSECOND = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def first_moment(start: date | None, state: str | None) -> datetime | None:
    """Returns the first moment that a start date includes; None if there is no start date."""
    return None if start is None else moment_from(start, state)


def moment_from(start: date, state: str | None) -> datetime:
    """Returns the first moment that a start date includes: a moment itself, or the beginning of a day."""
    return _moment(start, state, timedelta(0))


def moment_after(end: date | None, state: str | None) -> datetime | None:
    """Returns the first moment after an end date; a day counts to its end. None if there is no end date."""
    if end is None:
        return None
    return _moment(end, state, _ONE_MICROSECOND if isinstance(end, datetime) else timedelta(days=1))


def month_moments(month: date, state: str | None) -> tuple[datetime, datetime]:
    """Returns the first moment of a month in the time zone of a state, and the first moment after it."""
    first, (_, days) = month.replace(day=1), monthrange(month.year, month.month)
    return _moment(first, state, timedelta(0)), _moment(first, state, timedelta(days=days))


def day_at(day: date | None, state: str | None) -> date | None:
    """Returns the day of a date, or of a moment in the time zone of a state."""
    return None if day is None else local_day(day, state or CAPITAL)


def _moment(day: date, state: str | None, later: timedelta) -> datetime:
    try:
        return beginning_of(day + later, state or CAPITAL).astimezone(UTC)
    except OverflowError:
        # Beyond the calendar: the day is in its first or last year.
        return _FIRST if day.year == 1 else _LAST
