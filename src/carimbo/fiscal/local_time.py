"""Days and moments by the clock of a state's capital, which is that of its companies."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.states import STATES

BRASILIA = ZoneInfo("America/Sao_Paulo")
"""The clock of whoever belongs to no state."""


def local_day(told: date, state: str) -> date:
    """The day of a date, or of a moment; at the ends of the calendar there is but its own."""
    if not isinstance(told, datetime):
        return told
    if told.tzinfo is None:
        return told.date()
    try:
        return told.astimezone(_zone(state)).date()
    except OverflowError:
        return told.date()


def brasilia_day(moment: datetime) -> date:
    """Returns the day of a moment in Brasília."""
    return moment.astimezone(BRASILIA).date()


def beginning_of(told: date, state: str) -> datetime:
    """When a day begins; a moment is itself, and one without an offset is by the local clock."""
    if not isinstance(told, datetime):
        return datetime.combine(told, time(), _zone(state))
    return told if told.tzinfo else told.replace(tzinfo=_zone(state))


def moment_of(value: date, state: str, now: datetime) -> datetime:
    """Returns the moment that a caller means by a moment or a day: a day that is today means now."""
    is_today = not isinstance(value, datetime) and value == local_day(now, state)
    return now if is_today else beginning_of(value, state)


def _zone(state: str) -> ZoneInfo:
    return ZoneInfo(STATES[state].zone)
