"""Rules of the ISS: taxation, benefits, withholding, exports, immunity and rate (Anexo I, tribMun)."""

from decimal import Decimal

from carimbo.simulator.nfse.dps import PLACE, JudgedDps
from carimbo.simulator.nfse.rules.service import WITHOUT_ISS_AND_ICMS
from carimbo.simulator.nfse.taxation import (
    BENEFIT,
    CITY_TAX,
    EXPORT,
    GREATEST_REDUCTION,
    IMMUNE,
    RATE,
    UNTAXED,
    CityBenefit,
    benefit_of,
    has_special_regime,
    is_exempt,
    is_mei,
    is_outside_simples,
    is_suspended,
    is_untaxed,
    is_withheld,
    is_withheld_by_intermediary,
    is_withheld_by_taker,
    pays_iss_apart,
    pays_iss_by_simples,
)
from carimbo.simulator.rules import RejectionRule

_AMOUNT, _PERCENTAGE = f"{BENEFIT}/vRedBCBM", f"{BENEFIT}/pRedBCBM"
_RESULT = f"{CITY_TAX}/cPaisResult"
_IMMUNITY = f"{CITY_TAX}/tpImunidade"
_UNKNOWN_IMMUNITY = "0"
_TOLLS, _WITHOUT_ISS = "220101", "99"
_BUILDING = ("0702", "0705")
_MAX_RATE = Decimal("5.00")
_MIN_RATE_IN_SIMPLES = Decimal("1.80")
_RATED_BY_CITY = frozenset({CityBenefit.EXEMPTION, CityBenefit.RATE})


def has_benefit(dps: JudgedDps) -> bool:
    """Applies to declarations with a benefit."""
    return dps.has(BENEFIT)


def taxed_despite_no_tax(dps: JudgedDps) -> bool:
    """A service without ISS and ICMS is declared as taxed."""
    return dps.service_code == WITHOUT_ISS_AND_ICMS and _taxation(dps) != UNTAXED


def untaxed_although_city_taxes(dps: JudgedDps) -> bool:
    """The service is declared as not taxed, but the city taxes it; item 99 is never taxed."""
    is_free = _taxation(dps) == UNTAXED and not dps.service_code.startswith(_WITHOUT_ISS)
    return is_free and dps.service is not None and dps.tax_city.has_agreement


def benefit_in_simples(dps: JudgedDps) -> bool:
    """A benefit within the Simples, which allows none except for construction."""
    is_building = dps.service_code.startswith(_BUILDING)
    return pays_iss_by_simples(dps) and dps.tax_city.has_agreement and not is_building


def benefit_without_agreement(dps: JudgedDps) -> bool:
    """A benefit of a city that has not joined and published no benefits."""
    return not dps.tax_city.has_agreement


def benefit_unknown(dps: JudgedDps) -> bool:
    """The city has no benefit of this number."""
    return dps.tax_city.has_agreement and benefit_of(dps) is None


def amount_out_of_place(dps: JudgedDps) -> bool:
    """An amount for a benefit of another kind."""
    return dps.has(_AMOUNT) and benefit_of(dps) not in (CityBenefit.AMOUNT, None)


def amount_missing(dps: JudgedDps) -> bool:
    """A benefit by amount without its amount."""
    return benefit_of(dps) is CityBenefit.AMOUNT and not dps.has(_AMOUNT)


def percentage_out_of_place(dps: JudgedDps) -> bool:
    """A percentage for a benefit of another kind."""
    return dps.has(_PERCENTAGE) and benefit_of(dps) not in (CityBenefit.PERCENTAGE, None)


def percentage_missing(dps: JudgedDps) -> bool:
    """A benefit by percentage without its percentage."""
    return benefit_of(dps) is CityBenefit.PERCENTAGE and not dps.has(_PERCENTAGE)


def percentage_beyond_limit(dps: JudgedDps) -> bool:
    """The percentage is zero, or more than the city allows."""
    return dps.has(_PERCENTAGE) and not Decimal(0) < dps.amount(_PERCENTAGE) <= GREATEST_REDUCTION


def of_tolls(dps: JudgedDps) -> bool:
    """The service is a toll, for which ISS is never withheld."""
    return dps.service_code == _TOLLS


def withheld_by_person(dps: JudgedDps) -> bool:
    """A person as taker withholds, which no city of the simulator allows."""
    return is_withheld_by_taker(dps) and dps.has("toma/CPF")


def withheld_by_person_as_intermediary(dps: JudgedDps) -> bool:
    """A person as intermediary withholds, which no city of the simulator allows."""
    return is_withheld_by_intermediary(dps) and dps.has("interm/CPF")


def result_missing(dps: JudgedDps) -> bool:
    """An export performed in Brazil lacks the country of its result."""
    return _is_exported_from_brazil(dps) and not dps.has(_RESULT)


def result_out_of_place(dps: JudgedDps) -> bool:
    """A country of the result for a service that is no export, or was performed abroad."""
    return dps.has(_RESULT) and not _is_exported_from_brazil(dps)


def _is_exported_from_brazil(dps: JudgedDps) -> bool:
    return _taxation(dps) == EXPORT and dps.has(PLACE)


def immunity_misplaced(dps: JudgedDps) -> bool:
    """Immunity without its kind, or a kind without immunity."""
    return (_taxation(dps) == IMMUNE) != dps.has(_IMMUNITY)


def immunity_reason_missing(dps: JudgedDps) -> bool:
    """The kind of immunity is "unknown", which new notes may not use."""
    return dps.text(_IMMUNITY) == _UNKNOWN_IMMUNITY


def _taxation(dps: JudgedDps) -> str:
    return dps.text(f"{CITY_TAX}/tribISSQN")


ISS_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0532", taxed_despite_no_tax),
    RejectionRule("E0533", is_untaxed, has_benefit),
    RejectionRule("E0534", is_mei, has_benefit),
    RejectionRule("E0535", has_special_regime, has_benefit),
    RejectionRule("E0536", benefit_in_simples, has_benefit),
    RejectionRule("E0537", benefit_without_agreement, has_benefit),
    RejectionRule("E0539", untaxed_although_city_taxes),
    RejectionRule("E0541", benefit_unknown, has_benefit),
    RejectionRule("E0565", amount_out_of_place, has_benefit),
    RejectionRule("E0567", amount_missing, has_benefit),
    RejectionRule("E0577", percentage_out_of_place, has_benefit),
    RejectionRule("E0579", percentage_missing, has_benefit),
    RejectionRule("E0586", percentage_beyond_limit, has_benefit),
    RejectionRule("E0580", is_untaxed, is_withheld),
    RejectionRule("E0583", is_mei, is_withheld),
    RejectionRule("E0585", is_untaxed, is_suspended),
    RejectionRule("E0588", has_special_regime, is_withheld),
    RejectionRule("E0589", is_suspended, is_withheld),
    RejectionRule("E0590", result_missing),
    RejectionRule("E0591", result_out_of_place),
    RejectionRule("E0592", immunity_misplaced),
    RejectionRule("E0593", immunity_reason_missing),
    RejectionRule("E0594", is_exempt, is_withheld),
    RejectionRule("E0596", of_tolls, is_withheld),
    RejectionRule("E0667", withheld_by_person),
    RejectionRule("E0670", withheld_by_person_as_intermediary),
)


def is_rate_informed(dps: JudgedDps) -> bool:
    """Returns whether the declaration has a rate."""
    return dps.has(RATE)


def may_need_rate(dps: JudgedDps) -> bool:
    """Applies to declarations that may need a rate."""
    checks = (is_mei, is_untaxed, has_special_regime, is_suspended, rate_set_by_benefit)
    return not any(check(dps) for check in checks)


def rate_too_high(dps: JudgedDps) -> bool:
    """The rate is above the legal maximum (LC 116/2003, art. 8)."""
    return dps.amount(RATE) > _MAX_RATE


def rate_set_by_benefit(dps: JudgedDps) -> bool:
    """The benefit sets the rate, or exempts."""
    return benefit_of(dps) in _RATED_BY_CITY


def needless_rate(dps: JudgedDps) -> bool:
    """A rate outside the Simples, in a city that has published its rates."""
    return is_rate_informed(dps) and is_outside_simples(dps) and dps.tax_city.has_agreement


def rate_missing(dps: JudgedDps) -> bool:
    """No rate outside the Simples, in a city that has published none."""
    return not is_rate_informed(dps) and is_outside_simples(dps) and not dps.tax_city.has_agreement


def withheld_in_simples_without_rate(dps: JudgedDps) -> bool:
    """ISS of the Simples is withheld without its rate."""
    return _lacks_rate_of_simples(dps) and dps.tax_city.has_agreement


def withheld_in_simples_without_rate_elsewhere(dps: JudgedDps) -> bool:
    """ISS of the Simples is withheld without its rate, in a city that has not joined."""
    return _lacks_rate_of_simples(dps) and not dps.tax_city.has_agreement


def _lacks_rate_of_simples(dps: JudgedDps) -> bool:
    has_rate = is_rate_informed(dps) and dps.amount(RATE) >= _MIN_RATE_IN_SIMPLES
    return pays_iss_by_simples(dps) and is_withheld(dps) and not has_rate


def needless_rate_in_simples(dps: JudgedDps) -> bool:
    """A rate although the ISS is paid within the Simples."""
    return _has_needless_rate(dps) and dps.tax_city.has_agreement


def needless_rate_in_simples_elsewhere(dps: JudgedDps) -> bool:
    """A rate although the ISS is paid within the Simples, in a city that has not joined."""
    return _has_needless_rate(dps) and not dps.tax_city.has_agreement


def _has_needless_rate(dps: JudgedDps) -> bool:
    return is_rate_informed(dps) and pays_iss_by_simples(dps) and not is_withheld(dps)


def needless_rate_apart_from_simples(dps: JudgedDps) -> bool:
    """A rate although ISS is paid apart from the Simples, in a city that has published its rates."""
    return is_rate_informed(dps) and pays_iss_apart(dps) and dps.tax_city.has_agreement


def rate_missing_apart_from_simples(dps: JudgedDps) -> bool:
    """No rate although ISS is paid apart from the Simples, in a city that has published none."""
    return not is_rate_informed(dps) and pays_iss_apart(dps) and not dps.tax_city.has_agreement


RATE_RULES: tuple[RejectionRule[JudgedDps], ...] = (
    RejectionRule("E0595", rate_too_high, is_rate_informed),
    RejectionRule("E0600", is_mei, is_rate_informed),
    RejectionRule("E0602", is_untaxed, is_rate_informed),
    RejectionRule("E0604", has_special_regime, is_rate_informed),
    RejectionRule("E0606", is_suspended, is_rate_informed),
    RejectionRule("E0612", rate_set_by_benefit, is_rate_informed),
    RejectionRule("E0617", needless_rate, may_need_rate),
    RejectionRule("E0619", rate_missing, may_need_rate),
    RejectionRule("E0621", withheld_in_simples_without_rate, may_need_rate),
    RejectionRule("E0625", needless_rate_in_simples, may_need_rate),
    RejectionRule("E0628", withheld_in_simples_without_rate_elsewhere, may_need_rate),
    RejectionRule("E0631", needless_rate_in_simples_elsewhere, may_need_rate),
    RejectionRule("E0635", needless_rate_apart_from_simples, may_need_rate),
    RejectionRule("E0640", rate_missing_apart_from_simples, may_need_rate),
)
