"""Countries by the Central Bank's code (`cPais`)."""

from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table


@dataclass(frozen=True, slots=True)
class Country:
    """A country: the Central Bank's code with four digits, the letters of ISO 3166-1 and its name."""

    code: Annotated[str, "[0-9]{4}"]
    iso2: Annotated[str, "[A-Z]{2}"]
    name: str


COUNTRIES: Table[str, Country] = Table("countries", Country, lambda country: country.code)

BRAZIL = "BR"
_DIGITS = 4
FOREIGN_COUNTRIES = Derived(lambda: frozenset(one.iso2 for one in COUNTRIES.values()) - {BRAZIL})
"""The letters of every country but this one."""

_BY_LETTERS = Derived(lambda: {one.iso2: one for one in COUNTRIES.values()})


def country_of_letters(iso2: str) -> Country | None:
    """Find a country by its letters."""
    return _BY_LETTERS.value.get(iso2)


def find_country(code: object) -> Country | None:
    """Returns the country of a code as callers write it: two letters, or the Central Bank's digits.

    Letters may be small. Digits may be a number, or lack the zeros in front.
    """
    if isinstance(code, bool) or not isinstance(code, str | int):
        return None
    text = str(code).strip().upper()
    if text.isdecimal():
        return COUNTRIES.get(text.lstrip("0").zfill(_DIGITS))
    return country_of_letters(text)
