"""The tax of the city: whether it is due, who pays it, and what spares it (Anexo I, tribMun)."""

from decimal import Decimal

from carimbo.simulator.nfse.benefits import GREATEST_REDUCTION, Benefit, benefit_of
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import (
    BENEFIT,
    CITY_TAX,
    EXPORT,
    IMMUNE,
    SUSPENSION,
    UNTAXED,
    has_special_regime,
    is_mei,
    is_taxed,
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


def withheld(case: NoteCase) -> bool:
    """Declarations of whose tax somebody else pays."""
    return is_withheld(case)


def taxed_without_tax(case: NoteCase) -> bool:
    """A service that bears neither ISS nor ICMS, and is said to."""
    return _service(case) == NO_TAX_AT_ALL and _way(case) != UNTAXED


def untaxed_where_it_is(case: NoteCase) -> bool:
    """The city taxes what is said not to be taxed; item 99 is of what no city taxes."""
    is_free = _way(case) == UNTAXED and not _service(case).startswith(_WITHOUT_ISS)
    return is_free and case.service is not None and case.tax_city.has_agreement


def benefit_untaxed(case: NoteCase) -> bool:
    """Nothing is spared where nothing is due."""
    return not is_taxed(case)


def benefit_of_mei(case: NoteCase) -> bool:
    """MEI pay the same whatever they earn."""
    return is_mei(case)


def benefit_in_special_regime(case: NoteCase) -> bool:
    """Who is not taxed by its services is not spared by them."""
    return has_special_regime(case)


def benefit_in_simples(case: NoteCase) -> bool:
    """The Simples has benefits of its own; building is taken out."""
    is_building = _service(case).startswith(_BUILDING)
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


def withheld_untaxed(case: NoteCase) -> bool:
    """Nobody pays what is not due."""
    return not is_taxed(case)


def withheld_of_mei(case: NoteCase) -> bool:
    """MEI pay by themselves."""
    return is_mei(case)


def withheld_in_special_regime(case: NoteCase) -> bool:
    """Who is not taxed by its services pays by itself."""
    return has_special_regime(case)


def withheld_while_suspended(case: NoteCase) -> bool:
    """Nobody pays what can't be demanded."""
    return case.has(SUSPENSION)


def withheld_of_exempt(case: NoteCase) -> bool:
    """Nobody pays what is exempt."""
    return benefit_of(case) is Benefit.EXEMPTION


def withheld_of_tolls(case: NoteCase) -> bool:
    """Tolls are paid on the road."""
    return _service(case) == _TOLLS


def withheld_by_a_person(case: NoteCase) -> bool:
    """No city of the simulator's lets persons withhold."""
    return is_withheld_by_taker(case) and case.has("toma/CPF")


def withheld_by_a_person_between(case: NoteCase) -> bool:
    """No city of the simulator's lets persons withhold."""
    return is_withheld_by_intermediary(case) and case.has("interm/CPF")


def suspended_untaxed(case: NoteCase) -> bool:
    """Nothing is suspended where nothing is due."""
    return case.has(SUSPENSION) and not is_taxed(case)


def result_missing(case: NoteCase) -> bool:
    """An export of what was done in Brazil has its result somewhere else."""
    return _is_exported_from_here(case) and not case.has(_RESULT)


def result_out_of_place(case: NoteCase) -> bool:
    """A country of the result, of what was not exported or was done abroad."""
    return case.has(_RESULT) and not _is_exported_from_here(case)


def _is_exported_from_here(case: NoteCase) -> bool:
    return _way(case) == EXPORT and case.has("serv/locPrest/cLocPrestacao")


def immunity_misplaced(case: NoteCase) -> bool:
    """Who is immune says why, and nobody else does."""
    return (_way(case) == IMMUNE) != case.has(_IMMUNITY)


def immunity_untold(case: NoteCase) -> bool:
    """Every new note says why."""
    return case.text(_IMMUNITY) == _UNTOLD_IMMUNITY


def _way(case: NoteCase) -> str:
    return case.text(f"{CITY_TAX}/tribISSQN")


def _service(case: NoteCase) -> str:
    return case.text("serv/cServ/cTribNac")


ISS_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0532", taxed_without_tax),
    Rule("E0533", benefit_untaxed, has_benefit),
    Rule("E0534", benefit_of_mei, has_benefit),
    Rule("E0535", benefit_in_special_regime, has_benefit),
    Rule("E0536", benefit_in_simples, has_benefit),
    Rule("E0537", benefit_of_a_stranger, has_benefit),
    Rule("E0539", untaxed_where_it_is),
    Rule("E0541", benefit_unknown, has_benefit),
    Rule("E0565", amount_out_of_place, has_benefit),
    Rule("E0567", amount_missing, has_benefit),
    Rule("E0577", percentage_out_of_place, has_benefit),
    Rule("E0579", percentage_missing, has_benefit),
    Rule("E0586", percentage_beyond_limit, has_benefit),
    Rule("E0580", withheld_untaxed, withheld),
    Rule("E0583", withheld_of_mei, withheld),
    Rule("E0585", suspended_untaxed),
    Rule("E0588", withheld_in_special_regime, withheld),
    Rule("E0589", withheld_while_suspended, withheld),
    Rule("E0590", result_missing),
    Rule("E0591", result_out_of_place),
    Rule("E0592", immunity_misplaced),
    Rule("E0593", immunity_untold),
    Rule("E0594", withheld_of_exempt, withheld),
    Rule("E0596", withheld_of_tolls, withheld),
    Rule("E0667", withheld_by_a_person),
    Rule("E0670", withheld_by_a_person_between),
)
