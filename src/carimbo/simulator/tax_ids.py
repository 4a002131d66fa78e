"""CPF and CNPJ as the simulator checks them for itself; a CNPJ may have letters (IN RFB 2.229/2024)."""

import re
from collections.abc import Sequence
from operator import mul

_CPF = re.compile(r"[0-9]{11}")
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_PUNCTUATION = re.compile(r"[./\-\s]")
_BASE_LENGTH, _CPF_LENGTH = 8, 11
_CPF_WEIGHTS = (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)
_CNPJ_WEIGHTS = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)


def is_cpf(text: str) -> bool:
    """Tell whether eleven digits are a CPF."""
    return bool(_CPF.fullmatch(text)) and len(set(text)) > 1 and _checks(text, _CPF_WEIGHTS)


def is_cnpj(text: str) -> bool:
    """Tell whether fourteen characters are a CNPJ."""
    return bool(_CNPJ.fullmatch(text)) and len(set(text)) > 1 and _checks(text, _CNPJ_WEIGHTS)


def is_person(tax_id: str) -> bool:
    """Tell whether a tax id is of a person and not of a company, by its length alone."""
    return len(tax_id) == _CPF_LENGTH


def base(tax_id: str) -> str:
    """What all places of a company share; a person's CPF as it is."""
    return tax_id if is_person(tax_id) else tax_id[:_BASE_LENGTH]


def plain_tax_id(text: str) -> str:
    """A tax id as people write it, without its punctuation and in capitals."""
    return _PUNCTUATION.sub("", text).upper()


def _checks(text: str, weights: Sequence[int]) -> bool:
    """Modulo 11 twice; the first digit is weighed without the first weight, the second with all of them."""
    values = [ord(character) - ord("0") for character in text]
    return values[-2:] == [_digit(values[:-2], weights[1:]), _digit(values[:-1], weights)]


def _digit(values: Sequence[int], weights: Sequence[int]) -> int:
    weighed: int = sum(map(mul, values, weights))
    # What is left to a multiple of 11, and 0 where that is 10.
    return -weighed % 11 % 10
