"""The general internal rate of ICMS by state: a default, as the rate depends on the good."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class IcmsRate:
    """The rates of a state, in percent; `fcp` is what its poverty fund adds to goods in general."""

    state: Annotated[str, "[A-Z]{2}"]
    rate: Decimal
    fcp: Decimal


ICMS_RATES: Table[str, IcmsRate] = Table("icms_rates", IcmsRate, lambda rate: rate.state)


def internal_icms(state: str) -> IcmsRate | None:
    """Find the general rate inside a state."""
    return ICMS_RATES.rows.get(state)
