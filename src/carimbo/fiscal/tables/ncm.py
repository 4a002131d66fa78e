"""The nomenclature of goods (NCM): codes in force, their units and descriptions."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class Ncm:
    """A code of eight digits; `00000000` stands for an item that is no good (MOC 7.0, NT 2016.003)."""

    code: Annotated[str, "[0-9]{8}"]
    unit: str | None
    """Statistical unit of the customs."""
    description: str
    since: date | None = None
    """First day in force; None where the source does not tell it."""
    until: date | None = None
    """Last day in force; None where the source tells no end."""


NCMS: Table[str, Ncm] = Table("ncm", Ncm, lambda ncm: ncm.code, front_coded="description")
