"""The 26 states and the Federal District, by letters and by IBGE code."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from carimbo.fiscal.tables.table import Derived, Table


class Region(StrEnum):
    """The great regions of IBGE."""

    NORTH = "N"
    NORTHEAST = "NE"
    CENTRE_WEST = "CO"
    SOUTHEAST = "SE"
    SOUTH = "S"


@dataclass(frozen=True, slots=True)
class State:
    """A state: its letters (`code`), the two digits that open its documents' keys (`ibge`) and its name."""

    code: Annotated[str, "[A-Z]{2}"]
    ibge: Annotated[str, "[0-9]{2}"]
    name: str
    zone: str
    """Time zone of the capital; documents are dated with its offset."""
    region: Region


STATES: Table[str, State] = Table("states", State, lambda state: state.code)

_BY_IBGE = Derived(lambda: {state.ibge: state for state in STATES.values()})


def state_of_ibge(code: str) -> State | None:
    """Find a state by its two-digit IBGE code."""
    return _BY_IBGE.value.get(code)
