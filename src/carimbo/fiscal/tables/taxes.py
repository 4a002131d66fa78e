"""Tax situations (CST and CSOSN), and the rates and bases of ICMS by state."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Table


class Tax(StrEnum):
    """A tax with its own codes; companies of Simples Nacional have other codes for ICMS (CSOSN)."""

    ICMS = "icms"
    ICMS_SIMPLES = "icmssn"
    IPI = "ipi"
    PIS_COFINS = "pis_cofins"


@dataclass(frozen=True, slots=True)
class TaxSituation:
    """A tax situation."""

    tax: Tax
    code: Annotated[str, "[0-9]{2,3}"]
    name: str


TAX_SITUATIONS: Table[tuple[str, str], TaxSituation] = Table(
    "tax_situations", TaxSituation, lambda situation: (situation.tax, situation.code)
)


@dataclass(frozen=True, slots=True)
class IcmsRate:
    """The general internal ICMS rates of a state, in percent; `fcp` is the addition for its poverty fund."""

    state: Annotated[str, "[A-Z]{2}"]
    rate: Decimal
    fcp: Decimal


ICMS_RATES: Table[str, IcmsRate] = Table("icms_rates", IcmsRate, lambda rate: rate.state)


def internal_icms(state: str) -> IcmsRate | None:
    """Returns the general rate in a state; a default, because the rate depends on the product."""
    return ICMS_RATES.rows.get(state)


@dataclass(frozen=True, slots=True)
class IcmsBase:
    """Whether the ICMS base of a state includes IBS and CBS in a period; no law has settled it for all."""

    state: Annotated[str, "[A-Z]{2}"]
    since: date
    until: date | None
    holds_ibs_cbs: bool
    source: str | None
    """The act of the state; None if none is known."""


ICMS_BASES: Table[tuple[str, date], IcmsBase] = Table(
    "icms_bases", IcmsBase, lambda row: (row.state, row.since)
)


def icms_base_on(day: date, state: str) -> IcmsBase:
    """Returns the row of a state on a day; a state without one includes IBS and CBS in the base."""
    rows = [
        row
        for row in ICMS_BASES.rows.values()
        if row.state == state and row.since <= day and (row.until is None or day <= row.until)
    ]
    usual = IcmsBase(state=state, since=day, until=None, holds_ibs_cbs=True, source=None)
    return max(rows, key=lambda row: row.since, default=usual)
