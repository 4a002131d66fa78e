"""Codes of operations and services (CFOP), with the indicators of the official table."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class Cfop:
    """A code; its first digit tells entry (1 to 3) from exit (5 to 7) and how far the goods go."""

    code: Annotated[str, "[1-35-7][0-9]{3}"]
    name: str
    is_for_nfe: bool
    is_return: bool
    """Goods given back (`indDevol`), which a document of that purpose needs."""
    is_coming_back: bool
    """Goods that return from where they were sent without being sold (`indRetor`)."""
    is_shipment: bool
    """Goods that leave without being sold (`indRemes`)."""
    is_annulment: bool
    is_communication: bool
    is_transport: bool
    is_fuel: bool
    is_tax_substitution: bool
    since: date | None = None
    """First day in force; None where the source does not tell it."""
    until: date | None = None
    """Last day in force; None where the source tells no end."""


CFOPS: Table[str, Cfop] = Table("cfop", Cfop, lambda cfop: cfop.code)
