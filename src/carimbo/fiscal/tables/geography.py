"""States, municipalities and countries, by their official codes and names."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table

# Spaces, apostrophes, hyphens and combining accents, which people often omit or confuse.
_IGNORED = re.compile(r"[\s'`\u2018\u2019\u02bc\u2032\-\u2010-\u2015\u0300-\u036f]")
BRAZIL = "BR"
_DIGITS = 4


class Region(StrEnum):
    """The regions of IBGE."""

    NORTH = "N"
    NORTHEAST = "NE"
    CENTRE_WEST = "CO"
    SOUTHEAST = "SE"
    SOUTH = "S"


@dataclass(frozen=True, slots=True)
class State:
    """A state: its letters (`code`), the two digits that begin its access keys (`ibge`), and its name."""

    code: Annotated[str, "[A-Z]{2}"]
    ibge: Annotated[str, "[0-9]{2}"]
    name: str
    zone: str
    """Time zone of the capital, whose offset documents have."""
    region: Region


STATES: Table[str, State] = Table("states", State, lambda state: state.code)

_BY_IBGE = Derived(lambda: {state.ibge: state for state in STATES.values()})


def state_of_ibge(code: str) -> State | None:
    """Returns the state with a two-digit IBGE code."""
    return _BY_IBGE.value.get(code)


# Registers outside IBGE keep the old name for years (IBGE, Alterações Toponímicas Municipais).
FORMER_NAMES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("MG", "Barão de Monte Alto"): "Barão do Monte Alto",
        ("MG", "Dona Eusébia"): "Dona Euzébia",
        ("MG", "São Thomé das Letras"): "São Tomé das Letras",
        ("MT", "Santo Antônio do Leverger"): "Santo Antônio de Leverger",
        ("RN", "Açu"): "Assú",
        ("RN", "Arês"): "Arez",
        ("RN", "Augusto Severo"): "Campo Grande",
        ("RR", "São Luiz"): "São Luiz do Anauá",
        ("SE", "Amparo de São Francisco"): "Amparo do São Francisco",
        ("SE", "Gracho Cardoso"): "Graccho Cardoso",
        ("SP", "Embu"): "Embu das Artes",
        ("SP", "São Luís do Paraitinga"): "São Luiz do Paraitinga",
        ("TO", "Fortaleza do Tabocão"): "Tabocão",
    }
)


@dataclass(frozen=True, slots=True)
class Municipality:
    """A municipality: its seven-digit IBGE code, official name and state letters."""

    ibge: Annotated[str, "[0-9]{7}"]
    name: str
    state: Annotated[str, "[A-Z]{2}"]


MUNICIPALITIES: Table[str, Municipality] = Table("municipalities", Municipality, lambda row: row.ibge)


def municipalities() -> tuple[Municipality, ...]:
    """Returns all municipalities, in the order of their IBGE codes."""
    return tuple(MUNICIPALITIES.rows.values())


def municipality_of_ibge(code: str) -> Municipality | None:
    """Returns the municipality with a seven-digit IBGE code."""
    return MUNICIPALITIES.rows.get(code)


def find_municipality(name: str, state: str) -> Municipality | None:
    """Returns the municipality with a name in a state; ignores accents, case, punctuation and spaces."""
    return _BY_NAME.value.get(_key(name, state))


def _by_name() -> Mapping[tuple[str, str], Municipality]:
    current = {_key(municipality.name, municipality.state): municipality for municipality in municipalities()}
    renamed = {_key(old, state): _key(new, state) for (state, old), new in FORMER_NAMES.items()}
    former = {old: current[new] for old, new in renamed.items() if new in current}
    return former | current


_BY_NAME = Derived(_by_name)


def _key(name: str, state: str) -> tuple[str, str]:
    # NFKD separates accents from letters, and turns "´" into a space and an accent; both are ignored.
    return state.upper(), _IGNORED.sub("", unicodedata.normalize("NFKD", name.casefold()))


@dataclass(frozen=True, slots=True)
class Country:
    """A country: the Central Bank's code (`cPais`, four digits), the letters of ISO 3166-1, and its name."""

    code: Annotated[str, "[0-9]{4}"]
    iso2: Annotated[str, "[A-Z]{2}"]
    name: str


COUNTRIES: Table[str, Country] = Table("countries", Country, lambda country: country.code)

FOREIGN_COUNTRIES = Derived(lambda: frozenset(country.iso2 for country in COUNTRIES.values()) - {BRAZIL})
"""The letters of all countries except Brazil."""

_BY_LETTERS = Derived(lambda: {country.iso2: country for country in COUNTRIES.values()})


def country_of_letters(iso2: str) -> Country | None:
    """Returns the country with these letters."""
    return _BY_LETTERS.value.get(iso2)


def find_country(code: object) -> Country | None:
    """Returns the country of a caller's code: two letters, or the digits of the Central Bank.

    Letters may be in lower case. Digits may be a number, or lack leading zeros.
    """
    if isinstance(code, bool) or not isinstance(code, str | int):
        return None
    text = str(code).strip().upper()
    if text.isdecimal():
        return COUNTRIES.get(text.lstrip("0").zfill(_DIGITS))
    return country_of_letters(text)
