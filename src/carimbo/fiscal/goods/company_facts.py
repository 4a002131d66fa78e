"""What the rules of NF-e and NFC-e want of a company, and of who runs the program, whatever is sold."""

from datetime import date

from carimbo.fiscal.calendar import DatedRule, rules_on
from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.goods.rules.identity import DEMANDING_A_RESPONSIBLE
from carimbo.fiscal.software import Software

_RESPONSIBLE = (
    "CARIMBO_RESPONSIBLE_TAX_ID",
    "CARIMBO_RESPONSIBLE_CONTACT",
    "CARIMBO_RESPONSIBLE_EMAIL",
    "CARIMBO_RESPONSIBLE_PHONE",
)


def missing_for_rules(document: str, company: Company, software: Software, day: date) -> tuple[str, ...]:
    """Returns what a type of document lacks on a day.

    That is the regime of PIS and COFINS while they exist, and the settings that name the technical
    responsible in a state that asks for one.
    """
    owes_contributions = DatedRule.PIS_COFINS_ENDED not in rules_on(day, document)
    is_normal = company.tax_regime is TaxRegime.NORMAL
    lacks_regime = owes_contributions and is_normal and company.pis_cofins_regime is None
    regime = ("pisCofinsRegime",) if lacks_regime else ()
    is_demanded = company.address.state in DEMANDING_A_RESPONSIBLE
    return (*regime, *(_RESPONSIBLE if is_demanded and software.responsible is None else ()))
