"""The municipalities of Brazil, found by IBGE code or by a name as people write it."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table

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

    ibge: Annotated[str, "[0-9]{7}"]
    name: str
    state: Annotated[str, "[A-Z]{2}"]


MUNICIPALITIES: Table[str, Municipality] = Table("municipalities", Municipality, lambda found: found.ibge)


def municipalities() -> tuple[Municipality, ...]:
    """Return every municipality, in the order of the IBGE codes."""
    return tuple(MUNICIPALITIES.rows.values())


def municipality_of_ibge(code: str) -> Municipality | None:
    """Find a municipality by its seven-digit IBGE code."""
    return MUNICIPALITIES.rows.get(code)


def find_municipality(name: str, state: str) -> Municipality | None:
    """Find a municipality by name and state, forgiving accents, case, apostrophes, hyphens and spaces."""
    return _BY_NAME.value.get(_key(name, state))


def _by_name() -> Mapping[tuple[str, str], Municipality]:
    current = {_key(found.name, found.state): found for found in municipalities()}
    renamed = {_key(old, state): _key(new, state) for (state, old), new in FORMER_NAMES.items()}
    former = {old: current[new] for old, new in renamed.items() if new in current}
    return former | current


_BY_NAME = Derived(_by_name)


def _key(name: str, state: str) -> tuple[str, str]:
    # NFKD parts a letter from its accent and makes of "´" a space and a combining accent, both ignored.
    return state.upper(), _IGNORED.sub("", unicodedata.normalize("NFKD", name.casefold()))
