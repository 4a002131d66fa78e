"""The 26 states and the Federal District, by letters and by IBGE code."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

SOURCE = "IBGE, Divisão Territorial Brasileira (DTB) 2025"
DATE = date(2025, 12, 31)


@dataclass(frozen=True, slots=True)
class State:
    """A state: its letters (`code`), the two digits that open its documents' keys (`ibge`) and its name."""

    code: str
    ibge: str
    name: str
    zone: str = "America/Sao_Paulo"
    """Time zone of the capital; documents are dated with its offset."""


_ALL = (
    State("RO", "11", "Rondônia", "America/Porto_Velho"),
    State("AC", "12", "Acre", "America/Rio_Branco"),
    State("AM", "13", "Amazonas", "America/Manaus"),
    State("RR", "14", "Roraima", "America/Boa_Vista"),
    State("PA", "15", "Pará"),
    State("AP", "16", "Amapá"),
    State("TO", "17", "Tocantins"),
    State("MA", "21", "Maranhão"),
    State("PI", "22", "Piauí"),
    State("CE", "23", "Ceará"),
    State("RN", "24", "Rio Grande do Norte"),
    State("PB", "25", "Paraíba"),
    State("PE", "26", "Pernambuco"),
    State("AL", "27", "Alagoas"),
    State("SE", "28", "Sergipe"),
    State("BA", "29", "Bahia"),
    State("MG", "31", "Minas Gerais"),
    State("ES", "32", "Espírito Santo"),
    State("RJ", "33", "Rio de Janeiro"),
    State("SP", "35", "São Paulo"),
    State("PR", "41", "Paraná"),
    State("SC", "42", "Santa Catarina"),
    State("RS", "43", "Rio Grande do Sul"),
    State("MS", "50", "Mato Grosso do Sul", "America/Campo_Grande"),
    State("MT", "51", "Mato Grosso", "America/Cuiaba"),
    State("GO", "52", "Goiás"),
    State("DF", "53", "Distrito Federal"),
)

STATES: Mapping[str, State] = MappingProxyType({state.code: state for state in _ALL})

_BY_IBGE = {state.ibge: state for state in _ALL}


def state_of_ibge(code: str) -> State | None:
    """Find a state by its two-digit IBGE code."""
    return _BY_IBGE.get(code)
