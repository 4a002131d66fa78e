"""The nomenclature of services (NBS 2.0)."""

from dataclasses import dataclass
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class Nbs:
    """A code of nine digits."""

    code: Annotated[str, "[0-9]{9}"]
    description: str


NBS: Table[str, Nbs] = Table("nbs", Nbs, lambda nbs: nbs.code)
