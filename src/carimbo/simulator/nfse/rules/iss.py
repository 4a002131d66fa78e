"""The tax of the city: whether it is due, who pays it, and what spares it (Anexo I, tribMun)."""

from decimal import Decimal

from carimbo.simulator.nfse.benefits import GREATEST_REDUCTION, Benefit, benefit_of, is_exempt
from carimbo.simulator.nfse.case import PLACE, NoteCase
from carimbo.simulator.nfse.regimes import (
    BENEFIT,
    CITY_TAX,
    EXPORT,
    IMMUNE,
    UNTAXED,
    has_special_regime,
    is_mei,
    is_suspended,
    is_untaxed,
    is_withheld,
    is_withheld_by_intermediary,
    is_withheld_by_taker,
    pays_iss_by_simples,
)
from carimbo.simulator.nfse.rules.service import NO_TAX_AT_ALL
from carimbo.simulator.rule import Rule

_AMOUNT, _PERCENTAGE = f"{BENEFIT}/vRedBCBM", f"{BENEFIT}/pRedBCBM"
_RESULT = f"{CITY_TAX}/cPaisResult"
_IMMUNITY = f"{CITY_TAX}/tpImunidade"
_UNTOLD_IMMUNITY = "0"
_TOLLS, _WITHOUT_ISS = "220101", "99"
_BUILDING = ("0702", "0705")


def has_benefit(case: NoteCase) -> bool:
    """Declarations that name a benefit."""
    return case.has(BENEFIT)


def taxed_without_tax(case: NoteCase) -> bool:
    """A service that bears neither ISS nor ICMS, and is said to."""
    return case.service_code == NO_TAX_AT_ALL and _way(case) != UNTAXED


def untaxed_where_it_is(case: NoteCase) -> bool:
    """The city taxes what is said not to be taxed; item 99 is of what no city taxes."""
    is_free = _way(case) == UNTAXED and not case.service_code.startswith(_WITHOUT_ISS)
    return is_free and case.service is not None and case.tax_city.has_agreement


def benefit_in_simples(case: NoteCase) -> bool:
    """The Simples has benefits of its own; building is taken out."""
    is_building = case.service_code.startswith(_BUILDING)
    return pays_iss_by_simples(case) and case.tax_city.has_agreement and not is_building


def benefit_of_a_stranger(case: NoteCase) -> bool:
    """A city that has not joined has told no benefits."""
    return not case.tax_city.has_agreement


def benefit_unknown(case: NoteCase) -> bool:
    """A number that the city has not given."""
    return case.tax_city.has_agreement and benefit_of(case) is None


def amount_out_of_place(case: NoteCase) -> bool:
    """An amount, of a benefit of another kind."""
    return case.has(_AMOUNT) and benefit_of(case) not in (Benefit.AMOUNT, None)


def amount_missing(case: NoteCase) -> bool:
    """A benefit of an amount, without it."""
    return benefit_of(case) is Benefit.AMOUNT and not case.has(_AMOUNT)


def percentage_out_of_place(case: NoteCase) -> bool:
    """A percentage, of a benefit of another kind."""
    return case.has(_PERCENTAGE) and benefit_of(case) not in (Benefit.PERCENTAGE, None)


def percentage_missing(case: NoteCase) -> bool:
    """A benefit of a percentage, without it."""
    return benefit_of(case) is Benefit.PERCENTAGE and not case.has(_PERCENTAGE)


def percentage_beyond_limit(case: NoteCase) -> bool:
    """Nothing, or more than the city allows."""
    return case.has(_PERCENTAGE) and not Decimal(0) < case.amount(_PERCENTAGE) <= GREATEST_REDUCTION


def of_tolls(case: NoteCase) -> bool:
    """Tolls are paid on the road."""
    return case.service_code == _TOLLS


def withheld_by_a_person(case: NoteCase) -> bool:
    """No city of the simulator's lets persons withhold."""
    return is_withheld_by_taker(case) and case.has("toma/CPF")


def withheld_by_a_person_between(case: NoteCase) -> bool:
    """No city of the simulator's lets persons withhold."""
    return is_withheld_by_intermediary(case) and case.has("interm/CPF")


def result_missing(case: NoteCase) -> bool:
    """An export of what was done in Brazil has its result somewhere else."""
    return _is_exported_from_here(case) and not case.has(_RESULT)


def result_out_of_place(case: NoteCase) -> bool:
    """A country of the result, of what was not exported or was done abroad."""
    return case.has(_RESULT) and not _is_exported_from_here(case)


def _is_exported_from_here(case: NoteCase) -> bool:
    return _way(case) == EXPORT and case.has(PLACE)


def immunity_misplaced(case: NoteCase) -> bool:
    """Who is immune says why, and nobody else does."""
    return (_way(case) == IMMUNE) != case.has(_IMMUNITY)


def immunity_untold(case: NoteCase) -> bool:
    """Every new note says why."""
    return case.text(_IMMUNITY) == _UNTOLD_IMMUNITY


def _way(case: NoteCase) -> str:
    return case.text(f"{CITY_TAX}/tribISSQN")


ISS_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0532", taxed_without_tax),
    Rule("E0533", is_untaxed, has_benefit),
    Rule("E0534", is_mei, has_benefit),
    Rule("E0535", has_special_regime, has_benefit),
    Rule("E0536", benefit_in_simples, has_benefit),
    Rule("E0537", benefit_of_a_stranger, has_benefit),
    Rule("E0539", untaxed_where_it_is),
    Rule("E0541", benefit_unknown, has_benefit),
    Rule("E0565", amount_out_of_place, has_benefit),
    Rule("E0567", amount_missing, has_benefit),
    Rule("E0577", percentage_out_of_place, has_benefit),
    Rule("E0579", percentage_missing, has_benefit),
    Rule("E0586", percentage_beyond_limit, has_benefit),
    Rule("E0580", is_untaxed, is_withheld),
    Rule("E0583", is_mei, is_withheld),
    Rule("E0585", is_untaxed, is_suspended),
    Rule("E0588", has_special_regime, is_withheld),
    Rule("E0589", is_suspended, is_withheld),
    Rule("E0590", result_missing),
    Rule("E0591", result_out_of_place),
    Rule("E0592", immunity_misplaced),
    Rule("E0593", immunity_untold),
    Rule("E0594", is_exempt, is_withheld),
    Rule("E0596", of_tolls, is_withheld),
    Rule("E0667", withheld_by_a_person),
    Rule("E0670", withheld_by_a_person_between),
)
