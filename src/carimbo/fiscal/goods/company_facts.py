"""What the rules of NF-e and NFC-e want of a company, and of who runs the program, whatever is sold."""

from datetime import date

from carimbo.fiscal.calendar import rules_on
from carimbo.fiscal.company import Company
from carimbo.fiscal.software import STATES_DEMANDING_RESPONSIBLE, Software
from carimbo.fiscal.taxes.pis_cofins import lacks_regime


def missing_for_rules(document: str, company: Company, software: Software, day: date) -> tuple[str, ...]:
    """Returns what a type of document lacks on a day.

    That is the regime of PIS and COFINS while they exist, and the settings that name the technical
    responsible in a state that asks for one.
    """
    regime = ("pisCofinsRegime",) if lacks_regime(company, rules_on(day, document)) else ()
    return (*regime, *software.missing_settings(company.address.state, STATES_DEMANDING_RESPONSIBLE))
