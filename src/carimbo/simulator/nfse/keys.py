"""The key of an NFS-e: who issued it where, its number, its month, and a code that nobody can guess."""

import secrets
from datetime import datetime

from carimbo.simulator.keys import check_digit

CITY, ENVIRONMENT, ISSUER = slice(0, 7), slice(7, 8), slice(9, 23)
"""Of `ambGer` and the tax id, which a CPF fills with zeros in front."""
NATIONAL = "2"
"""`ambGer` of the Sefin Nacional."""
_CPF_LENGTH, _PERSON, _COMPANY = 11, "1", "2"


def inscription(tax_id: str) -> str:
    """A tax id as Ids and keys have it: what it is, and fourteen positions."""
    kind = _PERSON if len(tax_id) == _CPF_LENGTH else _COMPANY
    return f"{kind}{tax_id:0>14}"


def new_key(city: str, tax_id: str, number: int, at: datetime) -> str:
    """A key for a note of a city, at the moment of its issue."""
    chance = secrets.randbelow(10**9)
    first = f"{city}{NATIONAL}{inscription(tax_id)}{number:013d}{at:%y%m}{chance:09d}"
    return first + check_digit(first)
