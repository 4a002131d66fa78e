"""What the rules of NF-e and NFC-e want of a company, and of who runs the program, whatever is sold."""

from carimbo.fiscal.company import Company, TaxRegime
from carimbo.fiscal.goods.rules.identity import DEMANDING_A_RESPONSIBLE
from carimbo.fiscal.software import Software

_RESPONSIBLE = (
    "CARIMBO_RESPONSIBLE_TAX_ID",
    "CARIMBO_RESPONSIBLE_CONTACT",
    "CARIMBO_RESPONSIBLE_EMAIL",
    "CARIMBO_RESPONSIBLE_PHONE",
)


def missing_for_rules(company: Company, software: Software) -> tuple[str, ...]:
    """What lacks for the usual PIS and COFINS, and the settings that name whom a state wants to know."""
    is_normal = company.tax_regime is TaxRegime.NORMAL
    regime = ("pisCofinsRegime",) if is_normal and company.pis_cofins_regime is None else ()
    is_demanded = company.address.state in DEMANDING_A_RESPONSIBLE
    return (*regime, *(_RESPONSIBLE if is_demanded and software.responsible is None else ()))
