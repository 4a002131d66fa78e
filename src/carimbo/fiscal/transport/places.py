"""Municipalities of a transport, by IBGE code, with the names that documents write."""

import unicodedata
from functools import lru_cache
from typing import NamedTuple

from carimbo.fiscal.tables.geography import municipality_of_ibge

ABROAD = "EX"
"""The letters of another country in place of a state."""
ABROAD_CODE = "9999999"
ABROAD_CITY = "EXTERIOR"
_KEPT = 8192
"""Places that are kept: more than there are municipalities."""


class TransportPlace(NamedTuple):
    """A municipality, or another country."""

    city_code: str
    city: str
    state: str
    """Letters of the state; `EX` abroad, and empty if the code is unknown."""

    @property
    def is_abroad(self) -> bool:
        """Whether it is in another country."""
        return self.state == ABROAD


@lru_cache(maxsize=_KEPT)
def place_of(code: str) -> TransportPlace:
    """Returns the place of an IBGE code; name and state are empty if the code is unknown."""
    if code == ABROAD_CODE:
        return TransportPlace(code, ABROAD_CITY, ABROAD)
    municipality = municipality_of_ibge(code)
    if municipality is None:
        return TransportPlace(code, "", "")
    return TransportPlace(code, plain_name(municipality.name), municipality.state)


def is_interstate(start_state: str, end_state: str) -> bool:
    """Returns whether two states are different states of Brazil, both known."""
    return start_state != end_state and {start_state, end_state}.isdisjoint({ABROAD, ""})


def plain_name(name: str) -> str:
    """Returns a name in capitals without accents, as the authorities' tables have it."""
    capitals = name.upper()
    if capitals.isascii():
        return capitals
    return unicodedata.normalize("NFKD", capitals).encode("ascii", "ignore").decode()
