"""IBS and CBS: tax situations (CST), classifications (cClassTrib) and rates (LC 214/2025, NT 2025.002)."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, NamedTuple

from carimbo.fiscal.tables.table import Table


class IbsCbsGroup(StrEnum):
    """The group that a tax situation requires besides CST and cClassTrib."""

    RATE = "rate"
    SINGLE_PHASE = "single_phase"
    CREDIT_TRANSFER = "credit_transfer"
    PERIOD_ADJUSTMENT = "period_adjustment"
    FREE_ZONE_CREDIT = "free_zone_credit"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class IbsCbsSituation:
    """A tax situation of IBS and CBS."""

    code: Annotated[str, "[0-9]{3}"]
    name: str
    group: IbsCbsGroup
    has_reduction: bool
    """Whether the rates are reduced (gRed)."""
    has_deferral: bool
    """Whether a part of the tax is deferred (gDif)."""


IBS_CBS_SITUATIONS: Table[str, IbsCbsSituation] = Table(
    "ibs_cbs_situations", IbsCbsSituation, lambda situation: situation.code
)


@dataclass(frozen=True, slots=True)
class IbsCbsClass:
    """A classification; its first three digits are the tax situation."""

    code: Annotated[str, "[0-9]{6}"]
    cst: Annotated[str, "[0-9]{3}"]
    ibs_reduction: Decimal | None
    """Reduction of the IBS rates in percent; None if the classification reduces none."""
    cbs_reduction: Decimal | None
    models: tuple[str, ...]
    """Models of the documents that accept it, and `nfse`."""
    since: date
    until: date | None
    has_regular_taxation: bool
    """Whether the tax without the benefit is informed too (gTribRegular)."""
    has_presumed_credit: bool
    description: str


IBS_CBS_CLASSES: Table[str, IbsCbsClass] = Table("ibs_cbs_classes", IbsCbsClass, lambda row: row.code)


_HUNDRED, _STEP = Decimal(100), Decimal("0.0001")


class ReformTax(StrEnum):
    """The three shares of IBS and CBS, each with its own rate."""

    IBS_STATE = "ibs_state"
    IBS_CITY = "ibs_city"
    CBS = "cbs"


@dataclass(frozen=True, slots=True)
class IbsCbsRate:
    """The standard rate of a share in a period."""

    tax: ReformTax
    since: date
    until: date | None
    rate: Decimal | None
    """In percent; None while no act has fixed it, which is different from zero."""

    def __post_init__(self) -> None:
        """Refuses a rate that no document can have, such as one with a lost decimal point."""
        rate = self.rate
        if rate is not None and (rate > _HUNDRED or rate != rate.quantize(_STEP)):
            raise ValueError(f"“{rate}” não serve na coluna rate: de 0 a 100, com até 4 casas decimais")
        if self.until and self.until < self.since:
            raise ValueError(f"“{self.until}” não serve na coluna until: é antes de since")

    def is_in_force(self, day: date) -> bool:
        """Returns whether the period of the row includes a day."""
        return self.since <= day and (self.until is None or day <= self.until)


IBS_CBS_RATES: Table[tuple[ReformTax, date], IbsCbsRate] = Table(
    "ibs_cbs_rates", IbsCbsRate, lambda row: (row.tax, row.since)
)


class IbsCbsRates(NamedTuple):
    """The standard rates of a day, in percent; None for a share whose rate is unknown."""

    state: Decimal | None
    city: Decimal | None
    cbs: Decimal | None


def ibs_cbs_rates_on(day: date) -> IbsCbsRates:
    """Returns the rates in force on a day."""
    rows = [row for row in IBS_CBS_RATES.rows.values() if row.is_in_force(day)]
    # If rows overlap, the one that begins last counts.
    rates = {row.tax: row.rate for row in sorted(rows, key=lambda row: row.since)}
    return IbsCbsRates(
        rates.get(ReformTax.IBS_STATE), rates.get(ReformTax.IBS_CITY), rates.get(ReformTax.CBS)
    )


def ibs_cbs_rate_on(tax: ReformTax, day: date) -> Decimal | None:
    """Returns the rate of a share on a day; None if it is unknown."""
    row = ibs_cbs_rate_row_on(tax, day)
    return row.rate if row else None


def ibs_cbs_rate_row_on(tax: ReformTax, day: date) -> IbsCbsRate | None:
    """Returns the row of a share on a day; if rows overlap, the one that begins last."""
    rows = [row for row in IBS_CBS_RATES.rows.values() if row.tax is tax and row.is_in_force(day)]
    return max(rows, key=lambda row: row.since) if rows else None
