"""The municipalities of Brazil, found by IBGE code or by a name as people write it."""

import csv
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from types import MappingProxyType

SOURCE = "IBGE, Divisão Territorial Brasileira (DTB) 2025"
DATE = date(2025, 12, 31)

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

# Spaces, apostrophes, hyphens and combining accents: what people leave out or swap when they type a name.
_IGNORED = re.compile(r"[\s'`\u2018\u2019\u02bc\u2032\-\u2010-\u2015\u0300-\u036f]")


@dataclass(frozen=True, slots=True)
class Municipality:
    """A municipality: its seven-digit IBGE code, official name and state letters."""

    ibge: str
    name: str
    state: str


@cache
def municipalities() -> tuple[Municipality, ...]:
    """Return every municipality, in the order of the IBGE codes."""
    text = files("carimbo.fiscal.tables").joinpath("municipalities.csv").read_text(encoding="utf-8")
    return tuple(Municipality(**row) for row in csv.DictReader(text.splitlines()))


def municipality_of_ibge(code: str) -> Municipality | None:
    """Find a municipality by its seven-digit IBGE code."""
    return _by_ibge().get(code)


def find_municipality(name: str, state: str) -> Municipality | None:
    """Find a municipality by name and state, forgiving accents, case, apostrophes, hyphens and spaces."""
    return _by_name().get(_key(name, state))


@cache
def _by_ibge() -> Mapping[str, Municipality]:
    return {municipality.ibge: municipality for municipality in municipalities()}


@cache
def _by_name() -> Mapping[tuple[str, str], Municipality]:
    current = {_key(found.name, found.state): found for found in municipalities()}
    former = {_key(old, state): current[_key(new, state)] for (state, old), new in FORMER_NAMES.items()}
    return former | current


def _key(name: str, state: str) -> tuple[str, str]:
    # NFKD parts a letter from its accent and makes of "´" a space and a combining accent, both ignored.
    return state.upper(), _IGNORED.sub("", unicodedata.normalize("NFKD", name.casefold()))
