"""How a provider and its service are taxed: questions that many rules ask."""

import re
from decimal import Decimal
from enum import StrEnum

from carimbo.simulator.nfse.dps import JudgedDps

TAXES = "valores/trib"
CITY_TAX, FEDERAL, TOTALS = f"{TAXES}/tribMun", f"{TAXES}/tribFed", f"{TAXES}/totTrib"
SUSPENSION, BENEFIT, RATE = f"{CITY_TAX}/exigSusp", f"{CITY_TAX}/BM", f"{CITY_TAX}/pAliq"
DEDUCTION = "valores/vDedRed"
REFORM = "IBSCBS"

EXPORT, IMMUNE, UNTAXED = "3", "2", "4"
"""Values of `tribISSQN`; 1 means taxed."""
_TAXED = "1"
_NOT_SIMPLES, _MEI, _SMALL = "1", "2", "3"
_ALL_BY_SIMPLES = "1"
_NO_SPECIAL_REGIME = "0"
_BY_TAKER, _BY_INTERMEDIARY = "2", "3"
SPECIAL_RATE = Decimal("2.00")
GREATEST_REDUCTION = Decimal(60)
"""The largest reduction of the base, in percent."""
# nBM is made of the city, `04` (other benefits) and a sequence (tiposSimples 1.01).
_NUMBER = re.compile("([0-9]{7})040000([1-4])")


def is_outside_simples(dps: JudgedDps) -> bool:
    """Returns whether the provider has not opted for the Simples Nacional."""
    return dps.text("prest/regTrib/opSimpNac") == _NOT_SIMPLES


def is_mei(dps: JudgedDps) -> bool:
    """Returns whether the provider is a microentrepreneur."""
    return dps.text("prest/regTrib/opSimpNac") == _MEI


def is_small(dps: JudgedDps) -> bool:
    """Returns whether the provider is an ME or EPP of the Simples Nacional."""
    return dps.text("prest/regTrib/opSimpNac") == _SMALL


def pays_iss_by_simples(dps: JudgedDps) -> bool:
    """Returns whether an ME or EPP pays the ISS within the Simples Nacional."""
    return is_small(dps) and dps.text("prest/regTrib/regApTribSN") == _ALL_BY_SIMPLES


def pays_iss_apart(dps: JudgedDps) -> bool:
    """Returns whether an ME or EPP pays the ISS directly to the city."""
    return is_small(dps) and not pays_iss_by_simples(dps)


def has_special_regime(dps: JudgedDps) -> bool:
    """Returns whether the provider has a special ISS regime."""
    return dps.text("prest/regTrib/regEspTrib") != _NO_SPECIAL_REGIME


def is_taxed(dps: JudgedDps) -> bool:
    """Returns whether the service bears ISS."""
    return dps.text(f"{CITY_TAX}/tribISSQN") == _TAXED


def is_untaxed(dps: JudgedDps) -> bool:
    """Returns whether the service bears no ISS."""
    return not is_taxed(dps)


def is_suspended(dps: JudgedDps) -> bool:
    """Returns whether the collection of the ISS is suspended."""
    return dps.has(SUSPENSION)


def is_withheld_by_taker(dps: JudgedDps) -> bool:
    """Returns whether the taker withholds the ISS."""
    return dps.text(f"{CITY_TAX}/tpRetISSQN") == _BY_TAKER


def is_withheld_by_intermediary(dps: JudgedDps) -> bool:
    """Returns whether the intermediary withholds the ISS."""
    return dps.text(f"{CITY_TAX}/tpRetISSQN") == _BY_INTERMEDIARY


def is_withheld(dps: JudgedDps) -> bool:
    """Returns whether the ISS is withheld by the taker or the intermediary."""
    return is_withheld_by_taker(dps) or is_withheld_by_intermediary(dps)


class CityBenefit(StrEnum):
    """Kinds of municipal benefit (`tpBM`), the last digit of a benefit's number."""

    EXEMPTION = "1"
    PERCENTAGE = "2"
    """Reduces the base by a percentage."""
    AMOUNT = "3"
    """Reduces the base by an amount."""
    RATE = "4"
    """Sets a special rate."""


def benefit_of(dps: JudgedDps) -> CityBenefit | None:
    """Returns the benefit of a declaration, or None if the city of incidence does not have it."""
    match = _NUMBER.fullmatch(dps.text("valores/trib/tribMun/BM/nBM"))
    if match is None or match.group(1) != dps.city_of_incidence:
        return None
    return CityBenefit(match.group(2))


def is_exempt(dps: JudgedDps) -> bool:
    """Returns whether the benefit is an exemption."""
    return benefit_of(dps) is CityBenefit.EXEMPTION
