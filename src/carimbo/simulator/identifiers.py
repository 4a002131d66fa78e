"""CPF, CNPJ and access keys: check digits and parts, computed independently of the product.

A CNPJ can have letters (IN RFB 2.229/2024).
"""

import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from itertools import cycle
from operator import mul

_CPF = re.compile(r"[0-9]{11}")
_CNPJ = re.compile(r"[0-9A-Z]{12}[0-9]{2}")
_PUNCTUATION = re.compile(r"[./\-\s]")
_BASE_LENGTH, _CPF_LENGTH = 8, 11
_CPF_WEIGHTS = (11, 10, 9, 8, 7, 6, 5, 4, 3, 2)
_CNPJ_WEIGHTS = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
_WEIGHTS = range(2, 10)
KEY_STATE = slice(0, 2)
KEY_YEAR = slice(2, 4)
KEY_MONTH = slice(4, 6)
KEY_ISSUER = slice(6, 20)
"""CNPJ, or CPF after three zeros."""
KEY_MODEL = slice(20, 22)
KEY_SERIES = slice(22, 25)
KEY_NUMBER = slice(25, 34)
KEY_EMISSION = slice(34, 35)
"""`tpEmis`."""
KEY_NUMERIC_CODE = slice(35, 43)
KEY_LENGTH = 44
_CENTURY = 2000


def is_cpf(text: str) -> bool:
    """Returns whether a text is a valid CPF of eleven digits."""
    return bool(_CPF.fullmatch(text)) and len(set(text)) > 1 and _checks(text, _CPF_WEIGHTS)


def is_cnpj(text: str) -> bool:
    """Returns whether a text is a valid CNPJ of fourteen characters."""
    return bool(_CNPJ.fullmatch(text)) and len(set(text)) > 1 and _checks(text, _CNPJ_WEIGHTS)


def is_person(tax_id: str) -> bool:
    """Returns whether a tax id has the length of a CPF."""
    return len(tax_id) == _CPF_LENGTH


def tax_id_base(tax_id: str) -> str:
    """Returns the part that all branches of a company share; a CPF unchanged."""
    return tax_id if is_person(tax_id) else tax_id[:_BASE_LENGTH]


def plain_tax_id(text: str) -> str:
    """Returns a tax id in capitals and without punctuation."""
    return _PUNCTUATION.sub("", text).upper()


def _checks(text: str, weights: Sequence[int]) -> bool:
    """Modulo 11 twice: the first digit without the first weight, the second with all weights."""
    values = [ord(character) - ord("0") for character in text]
    return values[-2:] == [_digit(values[:-2], weights[1:]), _digit(values[:-1], weights)]


def _digit(values: Sequence[int], weights: Sequence[int]) -> int:
    weighed: int = sum(map(mul, values, weights))
    # The rest to a multiple of 11; 0 where that is 10.
    return -weighed % 11 % 10


def check_digit(first: str) -> str:
    """Returns the 44th position of a key from the first 43. A CNPJ can have letters (NT 2025.001)."""
    values = [ord(character) - ord("0") for character in reversed(first)]
    rest = sum(map(mul, values, cycle(_WEIGHTS))) % 11
    # The rest to a multiple of 11; 0 where that is 10 or 11.
    return str(-rest % 11 % 10)


def last_day_of_issue(key: str) -> date | None:
    """Returns the last day of the month in a key; None if the month is impossible."""
    if not "01" <= key[KEY_MONTH] <= "12":
        return None
    year, month = _CENTURY + int(key[KEY_YEAR]), int(key[KEY_MONTH])
    return date(year, month, monthrange(year, month)[1])


def has_valid_check_digit(key: str) -> bool:
    """Returns whether a key ends with its check digit."""
    return check_digit(key[:-1]) == key[-1:]
