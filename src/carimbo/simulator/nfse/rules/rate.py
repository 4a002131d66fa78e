"""Whether the declaration tells the rate of the ISS, which in most cities the Sefin knows (Anexo I, pAliq).

Who must not tell it at all is not held against the rules about when it has to be told.
"""

from decimal import Decimal

from carimbo.simulator.nfse.benefits import Benefit, benefit_of
from carimbo.simulator.nfse.case import NoteCase
from carimbo.simulator.nfse.regimes import (
    RATE,
    has_special_regime,
    is_mei,
    is_outside_simples,
    is_suspended,
    is_untaxed,
    is_withheld,
    pays_iss_apart,
    pays_iss_by_simples,
)
from carimbo.simulator.rule import Rule

_HIGHEST = Decimal("5.00")
_LOWEST_IN_SIMPLES = Decimal("1.80")
_RATED_BY_CITY = frozenset({Benefit.EXEMPTION, Benefit.RATE})


def told(case: NoteCase) -> bool:
    """Declarations with a rate."""
    return case.has(RATE)


def free_to_tell(case: NoteCase) -> bool:
    """Declarations of whose rate something may have to be told."""
    checks = (is_mei, is_untaxed, has_special_regime, is_suspended, of_a_benefit)
    return not any(check(case) for check in checks)


def too_high(case: NoteCase) -> bool:
    """LC 116/2003, art. 8."""
    return case.amount(RATE) > _HIGHEST


def of_a_benefit(case: NoteCase) -> bool:
    """The benefit has its own rate, or none."""
    return benefit_of(case) in _RATED_BY_CITY


def known_to_city(case: NoteCase) -> bool:
    """Outside the Simples, in a city that has told its rates."""
    return told(case) and is_outside_simples(case) and case.tax_city.has_agreement


def unknown_to_city(case: NoteCase) -> bool:
    """Outside the Simples, in a city that has told nothing."""
    return not told(case) and is_outside_simples(case) and not case.tax_city.has_agreement


def withheld_in_simples(case: NoteCase) -> bool:
    """Who withholds has to know the rate of the Simples."""
    return _lacks_rate_of_simples(case) and case.tax_city.has_agreement


def withheld_in_simples_elsewhere(case: NoteCase) -> bool:
    """The same in a city that has not joined."""
    return _lacks_rate_of_simples(case) and not case.tax_city.has_agreement


def _lacks_rate_of_simples(case: NoteCase) -> bool:
    has_rate = told(case) and case.amount(RATE) >= _LOWEST_IN_SIMPLES
    return pays_iss_by_simples(case) and is_withheld(case) and not has_rate


def within_simples(case: NoteCase) -> bool:
    """Who pays by the Simples tells no rate."""
    return _has_needless_rate(case) and case.tax_city.has_agreement


def within_simples_elsewhere(case: NoteCase) -> bool:
    """The same in a city that has not joined."""
    return _has_needless_rate(case) and not case.tax_city.has_agreement


def _has_needless_rate(case: NoteCase) -> bool:
    return told(case) and pays_iss_by_simples(case) and not is_withheld(case)


def apart_and_known(case: NoteCase) -> bool:
    """Apart from the Simples, in a city that has told its rates."""
    return told(case) and pays_iss_apart(case) and case.tax_city.has_agreement


def apart_and_unknown(case: NoteCase) -> bool:
    """Apart from the Simples, in a city that has told nothing."""
    return not told(case) and pays_iss_apart(case) and not case.tax_city.has_agreement


RATE_RULES: tuple[Rule[NoteCase], ...] = (
    Rule("E0595", too_high, told),
    Rule("E0600", is_mei, told),
    Rule("E0602", is_untaxed, told),
    Rule("E0604", has_special_regime, told),
    Rule("E0606", is_suspended, told),
    Rule("E0612", of_a_benefit, told),
    Rule("E0617", known_to_city, free_to_tell),
    Rule("E0619", unknown_to_city, free_to_tell),
    Rule("E0621", withheld_in_simples, free_to_tell),
    Rule("E0625", within_simples, free_to_tell),
    Rule("E0628", withheld_in_simples_elsewhere, free_to_tell),
    Rule("E0631", within_simples_elsewhere, free_to_tell),
    Rule("E0635", apart_and_known, free_to_tell),
    Rule("E0640", apart_and_unknown, free_to_tell),
)
