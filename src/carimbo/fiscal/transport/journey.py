"""The circumstances of a transport service that its taxes and its CFOP depend on."""

from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.money import ZERO
from carimbo.fiscal.parties.company import Company, TaxRegime
from carimbo.fiscal.parties.recipient import EXEMPT, Contribution
from carimbo.fiscal.problems import Findings
from carimbo.fiscal.taxes.trade import TaxDay
from carimbo.fiscal.transport.parties import PartyBody
from carimbo.fiscal.transport.places import ABROAD, TransportPlace, is_interstate

_REGIMES_OF_SIMPLES = frozenset({TaxRegime.SIMPLES, TaxRegime.MEI})
STATES_WITHOUT_EXEMPT_TAKERS = frozenset({"AM", "BA", "CE", "GO", "MG", "MS", "MT", "PE", "RN", "SE", "SP"})
"""States without takers that are exempt from registration (617)."""


class Journey(NamedTuple):
    """A transport service: its carrier, its route, its taker and its day."""

    company: Company
    start: TransportPlace
    end: TransportPlace
    amount: Decimal
    """The price of the service."""
    contribution: Contribution
    """Whether the taker contributes ICMS."""
    is_paid_by_sender: bool
    """Whether the taker is the party that sends the cargo."""
    issue_day: TaxDay
    tax_day: TaxDay
    """The issue date; in a correction, the day of the corrected document."""
    repeats_rates: bool
    """Whether the document has the IBS and CBS rates of the document that it replaces."""
    government_reduction: Decimal | None
    """The reduction of the IBS and CBS rates for a public taker, in percent (LC 214/2025, art. 473)."""
    other_taxes: Decimal = ZERO
    """Taxes in the price beside ICMS, IBS and CBS: they leave the base of IBS and CBS."""
    has_internal_rate: bool = False
    """Whether the internal ICMS rate of the start state holds, wherever the service ends."""
    is_by_air: bool = False

    @property
    def is_of_simples(self) -> bool:
        """Whether the carrier pays ICMS within Simples Nacional."""
        return self.company.tax_regime in _REGIMES_OF_SIMPLES

    @property
    def starts_elsewhere(self) -> bool:
        """Whether the service starts in another state of Brazil than the carrier's."""
        return self.start.state not in (self.company.address.state, ABROAD, "")

    @property
    def is_interstate(self) -> bool:
        """Whether the service starts and ends in different states of Brazil, both known."""
        return is_interstate(self.start.state, self.end.state)

    @property
    def may_leave_out_reform_taxes(self) -> bool:
        """Whether IBS and CBS may be omitted: a document from before prices included them is complemented."""
        is_of_before = self.issue_day.price_holds_reform_taxes and not self.tax_day.price_holds_reform_taxes
        return is_of_before and not self.repeats_rates

    @property
    def rate_day(self) -> TaxDay:
        """The day whose IBS and CBS rates count."""
        return self.tax_day if self.repeats_rates else self.issue_day


def contribution_of_taker(
    given: Contribution | None, taker: PartyBody | None, findings: Findings
) -> Contribution:
    """Returns the caller's value, else the one that follows from the taker's registration."""
    if given is not None:
        return given
    registration = taker.state_registration if taker else None
    if taker is None or registration is None:
        return Contribution.NONE
    if registration != EXEMPT:
        return Contribution.CONTRIBUTOR
    if taker.state in STATES_WITHOUT_EXEMPT_TAKERS:
        findings.add_warning(
            f"takerContribution: O tomador é isento de inscrição em {taker.state}, que não tem contribuintes"
            " isentos (617): vai como não contribuinte."
        )
        return Contribution.NONE
    return Contribution.EXEMPT


def newest_first(access_keys: tuple[str, ...]) -> list[str]:
    """Returns keys by the month of their issue: if one is of a year with new taxes, these are due."""
    return sorted(access_keys, key=lambda key: key[2:6], reverse=True)
