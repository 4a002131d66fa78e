"""Places of documents: municipalities by their IBGE codes, states by their letters, and places abroad."""

from carimbo.fiscal.tables.geography import MUNICIPALITIES, STATES

EXTERIOR = "EX"
NO_CITY = "9999999"
"""The code of every place abroad."""


def is_outside(city: str, state: str) -> bool:
    """Returns whether a code is not of a state; every code is of an unknown state."""
    if state == EXTERIOR:
        return city != NO_CITY
    home = STATES.rows.get(state)
    return home is not None and not city.startswith(home.ibge)


def is_unknown_city(city: str, state: str) -> bool:
    """Returns whether no municipality has a code; places abroad need none."""
    return state != EXTERIOR and city not in MUNICIPALITIES
