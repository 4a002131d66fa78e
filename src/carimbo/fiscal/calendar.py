"""The fiscal calendar: named rules with the days on which they are in force.

No other module of the library has a fiscal date. A new date is a row of `tables/calendar.csv`, which an
operator may replace. The simulator has a calendar of its own, so that it can disagree with this one.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from carimbo.fiscal.tables.table import Table


class DatedRule(StrEnum):
    """The rules that code asks for; the table has these and others that operators only read."""

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


@dataclass(frozen=True, slots=True)
class CalendarEntry:
    """A rule, its first and last day, and the types of documents that it is for."""

    name: str
    since: date | None
    """The first day in force; None while no date is set."""
    until: date | None
    """The last day in force; None if the rule has no end."""
    documents: tuple[str, ...]
    """Names of document types, such as `nfe`."""
    about: str
    """What changes, in Portuguese."""
    source: str

    def is_in_force(self, day: date) -> bool:
        """Returns whether the rule holds on a day."""
        return self.since is not None and self.since <= day and (self.until is None or day <= self.until)


CALENDAR: Table[str, CalendarEntry] = Table(
    "calendar", CalendarEntry, lambda entry: entry.name, required=frozenset(DatedRule)
)

RulesInForce = frozenset[DatedRule]


def rules_on(day: date, document: str) -> RulesInForce:
    """Returns the rules that a type of document follows on a day.

    The day of goods and transport is that of the issue in the document's own offset, the day of a service its
    competence.
    """
    rows = CALENDAR.rows
    return frozenset(
        rule for rule in DatedRule if document in rows[rule].documents and rows[rule].is_in_force(day)
    )
