"""PIS and COFINS: rates by regime and the base without ICMS."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.calendar import DatedRule, RulesInForce
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.parties.company import Company, PisCofinsRegime, TaxRegime
from carimbo.fiscal.problems import Problem

PIS_COFINS_ENDED = "PIS_COFINS_ENDED"
"""The code of a problem with PIS or COFINS after their end."""


@dataclass(frozen=True, slots=True)
class ContributionRates:
    """The general rates of a regime, in percent."""

    pis: Decimal
    cofins: Decimal


GENERAL_RATES = {
    # Lei 9.718/1998, art. 8º; Lei 9.715/1998, art. 8º, I.
    PisCofinsRegime.CUMULATIVE: ContributionRates(Decimal("0.65"), Decimal(3)),
    # Lei 10.637/2002, art. 2º; Lei 10.833/2003, art. 2º.
    PisCofinsRegime.NON_CUMULATIVE: ContributionRates(Decimal("1.65"), Decimal("7.6")),
}


def lacks_regime(company: Company, rules: RulesInForce) -> bool:
    """Returns whether a company lacks the regime that determines its rates, while PIS and COFINS exist."""
    is_owed = DatedRule.PIS_COFINS_ENDED not in rules
    return is_owed and company.tax_regime is TaxRegime.NORMAL and company.pis_cofins_regime is None


def missing_regime(alternative: str) -> Problem:
    """Returns the problem of a company without a regime; `alternative` is the end of the hint."""
    return Problem(
        "COMPANY_NOT_READY",
        "company.pisCofinsRegime",
        "Falta pisCofinsRegime no cadastro da empresa, que decide as alíquotas de PIS e COFINS do regime"
        " normal: informe cumulative ou nonCumulative em PUT /v1/companies/{companyId}.",
        f"Preencha pisCofinsRegime no cadastro da empresa, ou informe {alternative}.",
        facts=(("missing", ("pisCofinsRegime",)),),
    )


def contribution_base(operation_value: Decimal, icms_amount: Decimal) -> Decimal:
    """Returns the revenue without the document's ICMS (STF, theme 69; IN RFB 2.121/2022, art. 26, XII)."""
    return max(ZERO, operation_value - icms_amount)
