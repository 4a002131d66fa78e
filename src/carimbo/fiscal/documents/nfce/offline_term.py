"""Until when an NFC-e that was issued offline has to reach the authority."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from carimbo.fiscal.tables.states import STATES

# Leis 662/1949, 6.802/1980, 10.607/2002 and 14.759/2023, as (month, day).
_NATIONAL_HOLIDAYS = frozenset(
    {(1, 1), (4, 21), (5, 1), (9, 7), (10, 12), (11, 2), (11, 15), (11, 20), (12, 25)}
)
# The church calendar's full moons that rule Easter, in days after 21 March, by the year's place in the cycle
# of 19; they hold from 1900 to 2199.
_FULL_MOONS = (24, 13, 2, 21, 10, 28, 18, 7, 26, 15, 4, 23, 12, 1, 20, 9, 27, 17, 6)
_ONE_DAY = timedelta(days=1)
_LAST_SECOND = time(23, 59, 59)
_SATURDAY = 5


def transmission_deadline(issued_at: datetime, state: str) -> datetime:
    """Find the end of the first business day after the day of issue (Ajuste SINIEF 19/2016, clause 11)."""
    zone = ZoneInfo(STATES[state].zone)
    day = issued_at.astimezone(zone).date() + _ONE_DAY
    while not _is_business_day(day):
        day += _ONE_DAY
    return datetime.combine(day, _LAST_SECOND, zone)


def _is_business_day(day: date) -> bool:
    """Holidays of states and cities are left out: they would only make the term longer."""
    is_holiday = (day.month, day.day) in _NATIONAL_HOLIDAYS or day == _good_friday(day.year)
    return day.weekday() < _SATURDAY and not is_holiday


def _good_friday(year: int) -> date:
    """Two days before Easter, which is the Sunday after the full moon."""
    full_moon = date(year, 3, 21) + timedelta(days=_FULL_MOONS[year % len(_FULL_MOONS)])
    easter = full_moon + timedelta(days=7 - full_moon.isoweekday() % 7)
    return easter - timedelta(days=2)
