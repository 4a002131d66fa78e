"""The check digit of access keys, as the simulator works it out for itself."""

from itertools import cycle
from operator import mul

_WEIGHTS = range(2, 10)


def check_digit(first: str) -> str:
    """The 44th position of a key, from the 43 before it; a CNPJ may have letters (NT Conjunta 2025.001)."""
    values = [ord(character) - ord("0") for character in reversed(first)]
    rest = sum(map(mul, values, cycle(_WEIGHTS))) % 11
    # What is left to a multiple of 11, and 0 where that is 10 or 11.
    return str(-rest % 11 % 10)


def has_right_digit(key: str) -> bool:
    """Tell whether a key ends with its check digit."""
    return check_digit(key[:-1]) == key[-1:]
