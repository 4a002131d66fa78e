"""The fiscal calendar: rules with the period in which they are in force.

All fiscal dates are here. A new date is a row of `tables/calendar.csv`, which an operator may replace. The
simulator has its own calendar, so that it can disagree with this one.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import NamedTuple

from carimbo.fiscal.tables.table import Derived, Table

DOCUMENTS = frozenset({"nfe", "nfce", "nfse", "cte", "cteOs", "mdfe"})
"""The document types that a rule may apply to."""
_DAY = timedelta(days=1)


class DatedRule(StrEnum):
    """The rules that code refers to; the table has these, and others for information only."""

    IBS_CBS_GROUP = "ibs_cbs_group"
    IBS_CBS_GROUP_REQUIRED_IN_HOMOLOGATION = "ibs_cbs_group_required_in_homologation"
    IBS_CBS_GROUP_REQUIRED = "ibs_cbs_group_required"
    SIMPLES_USES_NATIONAL_EMITTER = "simples_uses_national_emitter"
    RETURNED_ITEM_REFERENCES = "returned_item_references"
    DANFE_SHOWS_IBS_CBS = "danfe_shows_ibs_cbs"
    MISSING_RATES_ARE_REPORTED = "missing_rates_are_reported"
    RECEIPTS_ARE_NOT_REFERENCED = "receipts_are_not_referenced"
    PRICE_HOLDS_IBS_CBS = "price_holds_ibs_cbs"
    TOTAL_ADDS_IBS_CBS = "total_adds_ibs_cbs"
    PIS_COFINS_ENDED = "pis_cofins_ended"
    PIS_COFINS_GROUPS_LEFT_OUT = "pis_cofins_groups_left_out"
    IPI_IS_MOSTLY_ZERO = "ipi_is_mostly_zero"
    CONDITIONAL_CBS_CREDIT = "conditional_cbs_credit"
    NFSE_GROUP_REQUIRED = "nfse_group_required"
    SIMPLES_INFORMS_IBS_CBS = "simples_informs_ibs_cbs"
    EXPECTED_ICMS_REQUIRED_IN_HOMOLOGATION = "expected_icms_required_in_homologation"
    EXPECTED_ICMS_REQUIRED = "expected_icms_required"
    CTE_NET_AMOUNT_FIELDS = "cte_net_amount_fields"
    CTE_AMOUNTS_CHECKED = "cte_amounts_checked"
    CTE_GROUP_REQUIRED = "cte_group_required"
    MDFE_CIOT_REQUIRED_IN_HOMOLOGATION = "mdfe_ciot_required_in_homologation"
    MDFE_CIOT_REQUIRED = "mdfe_ciot_required"


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """A rule with its first and last day, and the document types that it applies to."""

    name: str
    since: date | None
    """The first day in force; None while no date is set."""
    until: date | None
    """The last day in force; None if the rule has no end."""
    documents: tuple[str, ...]
    """Names of document types, such as `nfe`."""
    about: str
    """The change, in Portuguese."""
    source: str

    def __post_init__(self) -> None:
        """Refuses a row that would never be in force."""
        unknown = [name for name in self.documents if name not in DOCUMENTS]
        if unknown or not self.documents:
            names = ", ".join(sorted(DOCUMENTS))
            raise ValueError(f"“{' '.join(self.documents)}” não serve na coluna documents: {names}")
        if self.since and self.until and self.until < self.since:
            raise ValueError(f"“{self.until}” não serve na coluna until: é antes de since")

    def is_in_force(self, day: date) -> bool:
        """Returns whether the rule is in force on a day."""
        return self.since is not None and self.since <= day and (self.until is None or day <= self.until)


CALENDAR: Table[str, CalendarEntry] = Table(
    "calendar", CalendarEntry, lambda entry: entry.name, required=frozenset(DatedRule)
)

RulesInForce = frozenset[DatedRule]


def rules_on(day: date, document: str) -> RulesInForce:
    """Returns the rules that are in force for a document type on a day.

    For goods and transport that is the issue date in the document's own offset, for services the competence.
    """
    periods = _PERIODS.value.get(document)
    return periods.on(day) if periods else frozenset()


class _Periods(NamedTuple):
    """The rules of a document type, which stay the same between two days of change."""

    changes: list[date]
    rules: list[RulesInForce]
    """The rules before the first change, then those from each change on."""

    def on(self, day: date) -> RulesInForce:
        return self.rules[bisect_right(self.changes, day)]


def _periods_of(document: str) -> _Periods:
    entries = {rule: CALENDAR.rows[rule] for rule in DatedRule if document in CALENDAR.rows[rule].documents}
    begins = {entry.since for entry in entries.values() if entry.since}
    ends = {entry.until + _DAY for entry in entries.values() if entry.until}
    changes = sorted(begins | ends)
    in_force = [
        frozenset(rule for rule, entry in entries.items() if entry.is_in_force(day)) for day in changes
    ]
    return _Periods(changes, [frozenset(), *in_force])


_PERIODS = Derived(lambda: {document: _periods_of(document) for document in DOCUMENTS})
