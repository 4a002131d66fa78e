"""State registrations (inscrições estaduais): checks of the check digits, by state (SINTEGRA).

The first digits matter only where they choose the formula. States open new ranges when old ones are full
(Goiás 20 to 29, Pará 75, Rio Grande do Sul 8…), so a list of ranges would refuse valid numbers.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from carimbo.fiscal.identity.tax_ids import modulo_11
from carimbo.fiscal.problems import counted

_DIGITS = re.compile(r"[0-9]+", re.ASCII)
_TWO_TO_NINE = 8
_KEPT = 1024
"""Answers that are kept: the registration of an issuer is checked in each of its documents."""

_Formula = Callable[[str], bool]
"""Returns whether a registration with all its leading zeros has the right check digits."""

_AMAPA_RANGES = ((3_017_000, 5, 0), (3_019_022, 9, 1), (99_999_999, 0, 0))
"""The last number of a range, the start of the sum, and the digit for a sum that is divisible by eleven."""
_USUAL_LENGTHS: dict[str, set[int]] = {"BA": {8, 9}, "RN": {9, 10}, "SC": {9}, "SE": {9}}
"""The lengths that SINTEGRA publishes, for states whose formula accepts other lengths too."""


@dataclass(frozen=True, slots=True)
class _Format:
    length: int
    agrees: _Formula

    def takes(self, significant: str) -> bool:
        return len(significant) <= self.length and self.agrees(significant.zfill(self.length))


@lru_cache(maxsize=_KEPT)
def is_state_registration(number: str, state: str) -> bool:
    """Returns whether a registration, with or without leading zeros, has the check digits of its state."""
    digits = _without_letter(number, state)
    significant = digits.lstrip("0")
    if not significant or not _DIGITS.fullmatch(digits):
        return False
    return any(accepted.takes(significant) for accepted in _FORMATS.get(state, ()))


def registration_problem(number: str, state: str) -> str | None:
    """Returns the error of a registration as a Portuguese clause; None if it is valid."""
    if is_state_registration(number, state):
        return None
    digits = _without_letter(number, state)
    if not _DIGITS.fullmatch(digits):
        return f"a de {state} só tem dígitos"
    lengths = _lengths_of(state)
    if lengths and len(digits) not in lengths:
        expected = " ou ".join(map(str, lengths))
        return f"tem {counted(len(digits), 'dígito', 'dígitos')}; a de {state} tem {expected}"
    return f"os dígitos verificadores não são os de {state}"


def expected_length(state: str) -> str:
    """Returns how many digits a registration of a state has, as a Portuguese clause."""
    return f"a de {state} tem {' ou '.join(map(str, _lengths_of(state)))} dígitos"


def _lengths_of(state: str) -> list[int]:
    return sorted(_USUAL_LENGTHS.get(state) or {accepted.length for accepted in _FORMATS.get(state, ())})


def _without_letter(number: str, state: str) -> str:
    # São Paulo writes "P" before the registration of a rural producer.
    return number.removeprefix("P") if state == "SP" else number


def _modulo_11(*positions: int, weights: int = _TWO_TO_NINE) -> _Formula:
    """Returns the formula in which each check digit is computed from all digits before it."""

    def agrees(number: str) -> bool:
        return all(number[at] == modulo_11(number[:at], weights) for at in positions)

    return agrees


def _eleven_is_one(*weights: int) -> _Formula:
    """Returns the formula in which the last digit is eleven less the remainder, modulo ten."""

    def agrees(number: str) -> bool:
        return number[-1] == str((11 - _weighted(number, weights) % 11) % 10)

    return agrees


def _weighted(number: str, weights: Iterable[int]) -> int:
    return sum(map(mul, weights, map(int, number)))


def _amapa(number: str) -> bool:
    issued = int(number[:8])
    start, when_divided = next((start, digit) for last, start, digit in _AMAPA_RANGES if issued <= last)
    total = start + _weighted(number, range(9, 1, -1))
    return number[8] == str(-total % 11 % 10 if total % 11 else when_divided)


def _bahia(number: str) -> bool:
    """The last digit is computed first, and the digit before it includes it."""
    body, last = number[:7], number[8]
    # In a registration of eight digits this is the first one.
    digit = _modulo_10 if number[1] in "0123458" else _modulo_11_of
    return last == digit(body) and number[7] == digit(body + last)


def _modulo_10(text: str) -> str:
    return str(-_weighted(text[::-1], range(2, 10)) % 10)


def _modulo_11_of(text: str) -> str:
    return modulo_11(text, _TWO_TO_NINE)


def _goias(number: str) -> bool:
    total = _weighted(number, range(9, 1, -1))
    # The digit for remainder 1 is 1 in an old range and 0 in all others; 11094402 exists with both.
    return number[8] in ("01" if total % 11 == 1 else modulo_11(number[:8], _TWO_TO_NINE))


def _minas_gerais(number: str) -> bool:
    products = map(mul, (1, 2, 1, 1, 2, 1, 2, 1, 2, 1, 2), map(int, number))
    first = str(-sum(sum(divmod(product, 10)) for product in products) % 10)
    return number[11] == first and number[12] == modulo_11(number[:12], weights=10)


def _pernambuco_cacepe(number: str) -> bool:
    """The fourteen digits of the former register; all of them begin with 18."""
    return number.startswith("18") and _eleven_is_one(5, 4, 3, 2, 1, 9, 8, 7, 6, 5, 4, 3, 2)(number)


def _rondonia_until_2000(number: str) -> bool:
    """The first three digits are the municipality and don't count."""
    return number[0] != "0" and _eleven_is_one(0, 0, 0, 6, 5, 4, 3, 2)(number)


def _roraima(number: str) -> bool:
    return number[8] == str(_weighted(number, range(1, 9)) % 9)


def _sao_paulo(number: str) -> bool:
    second = str(_weighted(number, (3, 2, 10, 9, 8, 7, 6, 5, 4, 3, 2)) % 11 % 10)
    return _sao_paulo_ninth(number) and number[11] == second


def _sao_paulo_rural(number: str) -> bool:
    """A zero, then the municipality from 100 on; the last three digits are not checked."""
    return number[0] == "0" and number[1] != "0" and _sao_paulo_ninth(number)


def _sao_paulo_ninth(number: str) -> bool:
    return number[8] == str(_weighted(number, (1, 3, 4, 5, 6, 7, 8, 10)) % 11 % 10)


def _tocantins_until_2002(number: str) -> bool:
    """The third and fourth digit are the kind of taxpayer and don't count."""
    rest = number[:2] + number[4:10]
    return number[2:4] in ("01", "02", "03", "99") and number[10] == modulo_11(rest, _TWO_TO_NINE)


_USUAL = _Format(9, _modulo_11(8))

_FORMATS: dict[str, tuple[_Format, ...]] = {
    "AC": (_Format(13, _modulo_11(11, 12)), _USUAL),
    "AL": (_USUAL,),
    # SVRS accepts every number of the range 99.
    "AM": (_USUAL, _Format(9, lambda number: number.startswith("99"))),
    "AP": (_Format(9, _amapa),),
    "BA": (_Format(9, _bahia),),
    "CE": (_USUAL,),
    "DF": (_Format(13, _modulo_11(11, 12)),),
    "ES": (_USUAL,),
    "GO": (_Format(9, _goias),),
    "MA": (_USUAL,),
    "MG": (_Format(13, _minas_gerais),),
    "MS": (_USUAL,),
    "MT": (_Format(11, _modulo_11(10)),),
    "PA": (_USUAL,),
    "PB": (_USUAL,),
    "PE": (_Format(9, _modulo_11(7, 8)), _Format(14, _pernambuco_cacepe)),
    "PI": (_USUAL,),
    "PR": (_Format(10, _modulo_11(8, 9, weights=6)),),
    "RJ": (_Format(8, _modulo_11(7, weights=6)),),
    # Numbers of nine and of ten digits have the same weights.
    "RN": (_Format(10, _modulo_11(9, weights=9)),),
    "RO": (
        _Format(14, _eleven_is_one(6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)),
        _Format(9, _rondonia_until_2000),
    ),
    "RR": (_Format(9, _roraima),),
    "RS": (_Format(10, _modulo_11(9)),),
    # SVRS also accepts eleven digits in Santa Catarina, and ten in Sergipe, where the first doesn't count.
    "SC": (_Format(11, _modulo_11(10)),),
    "SE": (_Format(10, lambda number: _USUAL.agrees(number[1:])),),
    "SP": (_Format(12, _sao_paulo), _Format(12, _sao_paulo_rural)),
    "TO": (_USUAL, _Format(11, _tocantins_until_2002)),
}
