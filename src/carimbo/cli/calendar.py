"""`carimbo calendar`: the fiscal rules and rates that are in force, to come, or still unknown."""

import textwrap
from datetime import date, datetime
from typing import Annotated, NamedTuple

import typer

from carimbo.cli.console import loaded_settings, say
from carimbo.cli.tables import apply_tables, say_file
from carimbo.fiscal.calendar import CALENDAR, CalendarEntry
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, IbsCbsRate
from carimbo.fiscal.tables.table import TableInfo
from carimbo.main.process import clock_of
from carimbo.service.fiscal_calendar import UnknownRate, fiscal_calendar_on

_WIDTH = 100
_INDENT = " " * len("2027-01-01  ")
_NO_DATE = "sem data"
_BY_OPERATOR = " [do operador]"


class _Entry(NamedTuple):
    """An entry of a list: a day, a title, and a text that may be empty."""

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
    apply_tables(settings)
    day = on.date() if on else clock_of(settings)().astimezone(BRASILIA).date()
    say(f"Calendário fiscal em {day}, conforme as tabelas:")
    for about in (CALENDAR.about, IBS_CBS_RATES.about):
        _say_wrapped(f"{about.date!s:<{len(_INDENT)}}{about.name}.csv: {about.source}")
        say_file(about, len(_INDENT) - 2)

    calendar = fiscal_calendar_on(day)
    in_force = [_rule_entry(rule, _until(rule.until)) for rule in calendar.rules_in_force]
    in_force += [_rate_entry(row, "") for row in calendar.rates_in_force]
    _say_list("Em vigor", in_force)

    coming = [
        _rule_entry(rule, f"{_until(rule.until)}, {_days_to(rule.since, day)}")
        for rule in calendar.coming_rules
        if rule.since
    ]
    coming += [_rate_entry(row, f", {_days_to(row.since, day)}") for row in calendar.coming_rates]
    _say_list("A seguir", coming)

    undated = [
        _rule_entry(rule, f": coluna since vazia em {CALENDAR.name}.csv") for rule in calendar.undated_rules
    ]
    _say_list("Ainda sem definição", [*map(_unknown_entry, calendar.unknown_rates), *undated])


def _say_list(heading: str, entries: list[_Entry]) -> None:
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


def _rule_entry(rule: CalendarEntry, when: str) -> _Entry:
    title = f"{rule.name} ({' '.join(rule.documents)}){when}{_mark(CALENDAR.about)}"
    return _Entry(rule.since, title, f"{rule.about} Fonte: {rule.source}.")


def _rate_entry(row: IbsCbsRate, when: str) -> _Entry:
    percent = f"{row.rate:f}".replace(".", ",")
    title = f"alíquota de {row.tax}: {percent}%{_until(row.until)}{when}{_mark(IBS_CBS_RATES.about)}"
    return _Entry(row.since, title)


def _unknown_entry(unknown: UnknownRate) -> _Entry:
    lack = "coluna rate vazia" if unknown.has_row else "falta a linha"
    where = f"{IBS_CBS_RATES.name}.csv{_mark(IBS_CBS_RATES.about)}"
    return _Entry(unknown.since, f"alíquota de {unknown.tax}: {lack} em {where}")


def _until(last: date | None) -> str:
    return f" até {last}" if last else ""


def _days_to(since: date, day: date) -> str:
    days = (since - day).days
    return f"em {days} dia{'s' if days > 1 else ''}"


def _mark(about: TableInfo) -> str:
    return _BY_OPERATOR if about.file else ""
