"""The fiscal calendar of a day: rules and rates that are in force, to come, or still unknown."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from carimbo.fiscal.calendar import CALENDAR, CalendarEntry
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, IbsCbsRate, ReformTax, ibs_cbs_rate_row_on

_DAY = timedelta(days=1)


@dataclass(frozen=True)
class UnknownRate:
    """A period without a rate: its row has no value, or there is no row."""

    tax: ReformTax
    since: date
    has_row: bool


@dataclass(frozen=True, kw_only=True)
class FiscalCalendar:
    """The rules and the rates as seen from a day."""

    day: date
    rules_in_force: tuple[CalendarEntry, ...]
    rates_in_force: tuple[IbsCbsRate, ...]
    coming_rules: tuple[CalendarEntry, ...]
    coming_rates: tuple[IbsCbsRate, ...]
    undated_rules: tuple[CalendarEntry, ...]
    """Rules whose first day no act has set."""
    unknown_rates: tuple[UnknownRate, ...]


def fiscal_calendar_on(day: date) -> FiscalCalendar:
    """Returns the calendar of a day, from the tables of this process."""
    rules = CALENDAR.values()
    current_rates = [ibs_cbs_rate_row_on(tax, day) for tax in ReformTax]
    return FiscalCalendar(
        day=day,
        rules_in_force=tuple(rule for rule in rules if rule.is_in_force(day)),
        rates_in_force=tuple(row for row in current_rates if row and row.rate is not None),
        coming_rules=tuple(rule for rule in rules if rule.since and rule.since > day),
        coming_rates=tuple(row for row in IBS_CBS_RATES.values() if row.since > day and row.rate is not None),
        undated_rules=tuple(rule for rule in rules if rule.since is None),
        unknown_rates=tuple(_unknown_rates(day)),
    )


def _unknown_rates(day: date) -> Iterator[UnknownRate]:
    """Yields the periods without a rate, from a day on."""
    rows = IBS_CBS_RATES.values()
    begins = {row.since for row in rows} | {row.until + _DAY for row in rows if row.until}
    seen: set[tuple[ReformTax, date]] = set()
    for begin in sorted({day, *(begin for begin in begins if begin > day)}):
        for tax in ReformTax:
            row = ibs_cbs_rate_row_on(tax, begin)
            since = row.since if row else begin
            if (row is None or row.rate is None) and (tax, since) not in seen:
                seen.add((tax, since))
                yield UnknownRate(tax, since, has_row=row is not None)
