"""The key of an NFS-e: who issued it where, its number, its month, and a code that nobody can guess."""

import re
import secrets
from datetime import datetime

from carimbo.simulator.keys import check_digit
from carimbo.simulator.tax_ids import is_person

CITY, ENVIRONMENT, ISSUER = slice(0, 7), slice(7, 8), slice(8, 23)
"""Where things are in a key: city, `ambGer`, and the inscription of who issued it."""
NATIONAL = "2"
"""`ambGer` of the Sefin Nacional."""
_KEY = re.compile("[0-9A-Z]{50}")
_PERSON, _COMPANY = "1", "2"


def is_key(text: str) -> bool:
    """Tell whether a text has the form of a key."""
    return bool(_KEY.fullmatch(text))


def inscription(tax_id: str) -> str:
    """A tax id as Ids and keys have it: what it is, and fourteen positions, with zeros before a CPF."""
    return f"{_PERSON if is_person(tax_id) else _COMPANY}{tax_id:0>14}"


def new_key(city: str, tax_id: str, number: int, at: datetime) -> str:
    """A key for a note of a city, at the moment of its issue."""
    chance = secrets.randbelow(10**9)
    first = f"{city}{NATIONAL}{inscription(tax_id)}{number:013d}{at:%y%m}{chance:09d}"
    return first + check_digit(first)
