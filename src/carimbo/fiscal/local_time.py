"""Local days and moments: the time zone of a company is that of the capital of its state."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.geography import STATES

BRASILIA = ZoneInfo("America/Sao_Paulo")
"""The time zone where no state is known."""
CAPITAL = "DF"
"""The state with the time zone of Brasília."""


def local_day(value: date, state: str) -> date:
    """Returns the local day of a date or a moment.

    A moment without an offset, or too near to the ends of the calendar, has the day that is written in it.
    """
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        return value.date()
    try:
        return value.astimezone(_zone(state)).date()
    except OverflowError:
        return value.date()


def in_local_time(moment: datetime, state: str | None) -> datetime:
    """Returns a moment with the offset of a state, or of Brasília where no state is known."""
    return moment.astimezone(_zone(state) if state else BRASILIA)


def brasilia_day(moment: datetime) -> date:
    """Returns the day of a moment in Brasília."""
    return moment.astimezone(BRASILIA).date()


def beginning_of(value: date, state: str) -> datetime:
    """Returns the beginning of a local day; a moment as it is, with the local offset if it has none."""
    if not isinstance(value, datetime):
        return datetime.combine(value, time(), _zone(state))
    return value if value.tzinfo else value.replace(tzinfo=_zone(state))


def moment_of(value: date, state: str, now: datetime) -> datetime:
    """Returns the moment that a caller means by a moment or a day: a day that is today means now."""
    is_today = not isinstance(value, datetime) and value == local_day(now, state)
    return now if is_today else beginning_of(value, state)


def _zone(state: str) -> ZoneInfo:
    return ZoneInfo(STATES[state].zone)
