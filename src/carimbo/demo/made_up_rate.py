"""A made-up CBS rate: with it the demo issues every document while no act has fixed the real rate."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, IbsCbsRate, ReformTax

MADE_UP_RATE = Decimal("11.11")
"""In percent; no proposal is near it, so nobody takes it for a real one."""
_SOURCE = "demonstração do carimbo: a alíquota desconhecida da CBS é inventada e não vale fora dela"


def write_made_up_rate(tables_folder: Path) -> Path | None:
    """Writes the table of rates with the made-up rate wherever that of the CBS is unknown.

    Returns the file. If the rates of the CBS are known it returns None, and removes the file of an earlier
    version.
    """
    file = tables_folder / f"{IBS_CBS_RATES.name}.csv"
    rates = IBS_CBS_RATES.rows.values()
    if not any(map(_is_unknown, rates)):
        file.unlink(missing_ok=True)
        return None
    # Of two files the one with the later date is in force.
    day = IBS_CBS_RATES.about.date + timedelta(days=1)
    filled = [replace(rate, rate=MADE_UP_RATE) if _is_unknown(rate) else rate for rate in rates]
    tables_folder.mkdir(exist_ok=True)
    file.write_text(IBS_CBS_RATES.text_of(_SOURCE, day, filled), encoding="utf-8")
    return file


def _is_unknown(rate: IbsCbsRate) -> bool:
    return rate.tax is ReformTax.CBS and rate.rate is None
