"""IBS and CBS: tax situations (CST), classifications (cClassTrib) and rates (LC 214/2025, NT 2025.002)."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Table


class IbsCbsGroup(StrEnum):
    """What a tax situation wants written beside CST and cClassTrib."""

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
    """Percent that is taken off the rates of the IBS; None when the classification reduces none."""
    cbs_reduction: Decimal | None
    models: tuple[str, ...]
    """Models of the documents that take it, and `nfse`."""
    since: date
    until: date | None
    has_regular_taxation: bool
    """Whether the tax that would be due is told too (gTribRegular)."""
    has_presumed_credit: bool
    description: str


IBS_CBS_CLASSES: Table[str, IbsCbsClass] = Table("ibs_cbs_classes", IbsCbsClass, lambda found: found.code)


@dataclass(frozen=True, slots=True)
class IbsCbsRates:
    """The rates of a period, in percent: the IBS of the state and of the city, and the CBS."""

    since: date
    until: date | None
    state: Decimal
    city: Decimal
    cbs: Decimal


IBS_CBS_RATES: Table[date, IbsCbsRates] = Table("ibs_cbs_rates", IbsCbsRates, lambda rates: rates.since)


def ibs_cbs_rates_on(day: date) -> IbsCbsRates | None:
    """Find the rates in force on a day; None while the law has not set them."""
    last = None
    for since, rates in IBS_CBS_RATES.rows.items():
        if since <= day and (last is None or since > last.since):
            last = rates
    return last if last and (last.until is None or day <= last.until) else None
