"""Indicators of an operation (`cIndOp`), which settle where IBS and CBS are due (LC 214/2025, art. 11)."""

from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class OperationIndicator:
    """A kind of operation, and the place that it counts as done in."""

    code: Annotated[str, "[0-9]{6}"]
    operation: str
    place: str


OPERATION_INDICATORS: Table[str, OperationIndicator] = Table(
    "operation_indicators", OperationIndicator, lambda indicator: indicator.code
)


def is_of_property(code: str) -> bool:
    """Returns whether an indicator means the place of a property (LC 214/2025, art. 11, II)."""
    return code.startswith("02")
