"""Unknown standard rates of IBS and CBS: which ones are missing, and the messages about them."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from carimbo.fiscal.calendar import CALENDAR, DatedRule
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, ReformTax, ibs_cbs_rate_on

RATES_FILE = f"{IBS_CBS_RATES.name}.csv"
RATE_COLUMN = "rate"
"""The column of the file for the rate."""

_LOOKED_AHEAD = timedelta(days=60)
_DAY = timedelta(days=1)
_POSITION = re.compile(r"\[[0-9]+\]")
RATE_UNKNOWN = "RATE_UNKNOWN"
"""The code of a problem with an unknown rate."""
_NAMES = {
    ReformTax.IBS_STATE: "do IBS do estado",
    ReformTax.IBS_CITY: "do IBS do município",
    ReformTax.CBS: "da CBS",
}


@dataclass(frozen=True, slots=True)
class MissingRate:
    """A rate that no act has fixed, or that the operator has not entered."""

    tax: ReformTax
    since: date
    """The first day without a rate."""

    @property
    def tax_name(self) -> str:
        """The tax in Portuguese, after the word "alíquota"."""
        return tax_name(self.tax)

    @property
    def place(self) -> str:
        """The place for the rate: file, tax and column."""
        return _place(self.tax)


def _place(tax: ReformTax) -> str:
    return f"{RATES_FILE}:{tax}.{RATE_COLUMN}"


RATE_PLACES = frozenset(_place(tax) for tax in ReformTax)
"""The places of all rates."""


def tax_name(tax: ReformTax) -> str:
    """Returns a tax in Portuguese, as it is written after the word "alíquota"."""
    return _NAMES[tax]


def reported_missing_rates(today: date) -> tuple[MissingRate, ...]:
    """Returns the missing rates to report to operators on a day; none before the calendar begins it."""
    if not CALENDAR[DatedRule.MISSING_RATES_ARE_REPORTED].is_in_force(today):
        return ()
    return missing_rates(today, today + _LOOKED_AHEAD)


def missing_rates(first: date, last: date) -> tuple[MissingRate, ...]:
    """Returns every tax whose rate is unknown on a day of a period, with the first such day.

    If the rate is unknown on the first day already, it is the day on which its row begins.
    """
    begins = {tax: _unknown_since(tax, first, last) for tax in ReformTax}
    return tuple(MissingRate(tax, since) for tax, since in begins.items() if since)


def needs_rates(document: str) -> bool:
    """Returns whether documents of a type need these rates."""
    return document in CALENDAR[DatedRule.MISSING_RATES_ARE_REPORTED].documents


def unknown_rate(tax: ReformTax, day: date, path: str) -> Problem:
    """Returns the problem of a document without a rate, with the operator's file and column."""
    return Problem(
        RATE_UNKNOWN,
        path,
        f"A alíquota {_NAMES[tax]} em {day:%d/%m/%Y} não é conhecida: falta na tabela {RATES_FILE}, linha"
        f" {tax}, coluna {RATE_COLUMN}.",
        f"Peça a quem opera o carimbo que preencha a coluna {RATE_COLUMN} de {RATES_FILE} na pasta"
        f" CARIMBO_TABLES_FOLDER, ou informe {path}.",
        "LC 214/2025, art. 349",
        facts=(("file", RATES_FILE), ("row", str(tax)), ("column", RATE_COLUMN)),
    )


def informed_rate(tax: ReformTax, path: str) -> str:
    """Returns the warning about a rate that only the caller has given, for its items together."""
    where = _POSITION.sub("[]", path)
    return (
        f"{where}: A alíquota {_NAMES[tax]} é a informada, porque a tabela {RATES_FILE} ainda não a tem."
        " Confira com o ato que a fixou."
    )


def _unknown_since(tax: ReformTax, first: date, last: date) -> date | None:
    rows = [row for row in IBS_CBS_RATES.rows.values() if row.tax is tax]
    changes = {row.since for row in rows} | {row.until + _DAY for row in rows if row.until}
    begun = max((day for day in changes if day <= first), default=first)
    days = [begun, *sorted(day for day in changes if first < day <= last)]
    return next((day for day in days if ibs_cbs_rate_on(tax, day) is None), None)
