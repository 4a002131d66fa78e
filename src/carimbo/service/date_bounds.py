"""The bounds of a list between two dates, each a day or a moment by the clock of a company."""

from datetime import UTC, date, datetime, timedelta

from carimbo.fiscal.local_time import beginning_of, local_day

# The clock of Brasília, for a company without an address.
_CAPITAL = "DF"
_SHORTEST = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


def first_moment(start: date | None, state: str | None) -> datetime | None:
    """Returns the first moment that a start date includes; None if there is no start date."""
    return None if start is None else _moment(start, state, timedelta(0))


def moment_after(end: date | None, state: str | None) -> datetime | None:
    """Returns the first moment after an end date; a day counts to its end. None if there is no end date."""
    if end is None:
        return None
    return _moment(end, state, _SHORTEST if isinstance(end, datetime) else timedelta(days=1))


def day_at(told: date | None, state: str | None) -> date | None:
    """Returns the day of a date, or of a moment by the clock of a state."""
    return None if told is None else local_day(told, state or _CAPITAL)


def _moment(day: date, state: str | None, later: timedelta) -> datetime:
    try:
        moved = day + later
        return beginning_of(moved, state or _CAPITAL).astimezone(UTC)
    except OverflowError:
        # Just beyond the calendar, in its first or last year.
        return _FIRST if day.year == 1 else _LAST
