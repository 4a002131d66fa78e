"""The command that lists the fiscal calendar: rules and rates in force, to come, and still unknown."""

import textwrap
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, NamedTuple

import typer

from carimbo.cli.console import loaded_settings, say
from carimbo.cli.tables import put_in_force, say_file
from carimbo.fiscal.calendar import CALENDAR, CalendarEntry
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, IbsCbsRate, ReformTax, ibs_cbs_rate_row_on
from carimbo.fiscal.tables.table import About
from carimbo.main.clock import clock_of

_WIDTH = 100
_INDENT = " " * len("2027-01-01  ")
_NO_DATE = "sem data"
_BY_OPERATOR = " [do operador]"
_DAY = timedelta(days=1)


class _Listed(NamedTuple):
    """One entry of a list: a day, a title, and a text that may be empty."""

    since: date | None
    title: str
    text: str = ""


def show_calendar(
    on: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="Dia das listas, como 2027-01-01; por omissão, hoje."),
    ] = None,
) -> None:
    """Lista as regras e alíquotas em vigor, as próximas e o que ainda não se sabe. Não usa o banco."""
    settings = loaded_settings(needs_database=False)
    put_in_force(settings)
    day = on.date() if on else clock_of(settings)().astimezone(BRASILIA).date()
    say(f"Calendário fiscal em {day}, conforme as tabelas:")
    for about in (CALENDAR.about, IBS_CBS_RATES.about):
        _say_wrapped(f"{about.date!s:<{len(_INDENT)}}{about.name}.csv: {about.source}")
        say_file(about, len(_INDENT) - 2)
    _say_list("Em vigor", [*_rules_in_force(day), *_rates_in_force(day)])
    _say_list("A seguir", [*_coming_rules(day), *_coming_rates(day)])
    _say_list("Ainda sem definição", [*_unknown_rates(day), *_rules_without_a_date()])


def _say_list(heading: str, entries: list[_Listed]) -> None:
    """Prints a list by day; entries of one day keep their order, and those without a day come last."""
    say(f"\n{heading}:")
    for entry in sorted(entries, key=lambda entry: entry.since or date.max):
        first = f"{entry.since or _NO_DATE!s:<{len(_INDENT)}}{entry.title}"
        _say_wrapped(first)
        if entry.text:
            _say_wrapped(_INDENT + entry.text)
    if not entries:
        say("nada")


def _say_wrapped(text: str) -> None:
    """Prints a text whose lines after the first begin under the titles; codes stay in one piece."""
    lines = textwrap.wrap(
        text, _WIDTH, subsequent_indent=_INDENT, break_on_hyphens=False, break_long_words=False
    )
    say("\n".join(lines))


def _rules_in_force(day: date) -> Iterator[_Listed]:
    for rule in CALENDAR.values():
        if rule.is_in_force(day):
            yield _listed_rule(rule, _until(rule.until))


def _coming_rules(day: date) -> Iterator[_Listed]:
    for rule in CALENDAR.values():
        if rule.since and rule.since > day:
            yield _listed_rule(rule, f"{_until(rule.until)}, {_days_to(rule.since, day)}")


def _rules_without_a_date() -> Iterator[_Listed]:
    for rule in CALENDAR.values():
        if rule.since is None:
            yield _listed_rule(rule, f": coluna since vazia em {CALENDAR.name}.csv")


def _listed_rule(rule: CalendarEntry, when: str) -> _Listed:
    title = f"{rule.name} ({' '.join(rule.documents)}){when}{_mark(CALENDAR.about)}"
    return _Listed(rule.since, title, f"{rule.about} Fonte: {rule.source}.")


def _rates_in_force(day: date) -> Iterator[_Listed]:
    for tax in ReformTax:
        row = ibs_cbs_rate_row_on(tax, day)
        if row and row.rate is not None:
            yield _listed_rate(row, row.rate, "")


def _coming_rates(day: date) -> Iterator[_Listed]:
    for row in IBS_CBS_RATES.values():
        if row.since > day and row.rate is not None:
            yield _listed_rate(row, row.rate, f", {_days_to(row.since, day)}")


def _listed_rate(row: IbsCbsRate, rate: Decimal, when: str) -> _Listed:
    percent = f"{rate:f}".replace(".", ",")
    title = f"alíquota de {row.tax}: {percent}%{_until(row.until)}{when}{_mark(IBS_CBS_RATES.about)}"
    return _Listed(row.since, title)


def _unknown_rates(day: date) -> Iterator[_Listed]:
    """Yields the periods without a rate from a day on: a row without a value, or no row at all."""
    rows = IBS_CBS_RATES.values()
    begins = {row.since for row in rows} | {row.until + _DAY for row in rows if row.until}
    seen: set[tuple[ReformTax, date]] = set()
    for begin in sorted({day, *(begin for begin in begins if begin > day)}):
        for tax in ReformTax:
            row = ibs_cbs_rate_row_on(tax, begin)
            since = row.since if row else begin
            if (row is None or row.rate is None) and (tax, since) not in seen:
                seen.add((tax, since))
                lack = "coluna rate vazia" if row else "falta a linha"
                where = f"{IBS_CBS_RATES.name}.csv{_mark(IBS_CBS_RATES.about)}"
                yield _Listed(since, f"alíquota de {tax}: {lack} em {where}")


def _until(last: date | None) -> str:
    return f" até {last}" if last else ""


def _days_to(since: date, day: date) -> str:
    days = (since - day).days
    return f"em {days} dia{'s' if days > 1 else ''}"


def _mark(about: About) -> str:
    return _BY_OPERATOR if about.file else ""
