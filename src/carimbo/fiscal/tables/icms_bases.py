"""Whether the base of the ICMS holds IBS and CBS, by state and period: no law has settled it for all."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class IcmsBase:
    """What a state says of the base."""

    state: Annotated[str, "[A-Z]{2}"]
    since: date
    until: date | None
    holds_ibs_cbs: bool
    source: str | None
    """The act of the state; None where none is known."""


ICMS_BASES: Table[tuple[str, date], IcmsBase] = Table(
    "icms_bases", IcmsBase, lambda row: (row.state, row.since)
)


def icms_base_on(day: date, state: str) -> IcmsBase:
    """Returns the row of a state on a day; a state without one has IBS and CBS in its base."""
    rows = [
        row
        for row in ICMS_BASES.rows.values()
        if row.state == state and row.since <= day and (row.until is None or day <= row.until)
    ]
    usual = IcmsBase(state=state, since=day, until=None, holds_ibs_cbs=True, source=None)
    return max(rows, key=lambda row: row.since, default=usual)
