"""Codes of goods: CFOP (operations), NCM (nomenclature) and CEST (tax substitution)."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from carimbo.fiscal.tables.table import Table


@dataclass(frozen=True, slots=True)
class Cfop:
    """A CFOP. The first digit means entry (1 to 3) or exit (5 to 7), and how far the goods travel."""

    code: Annotated[str, "[1-35-7][0-9]{3}"]
    name: str
    is_for_nfe: bool
    is_return: bool
    """Returned goods (`indDevol`), required in documents with the purpose of a return."""
    is_coming_back: bool
    """Goods that come back without having been sold (`indRetor`)."""
    is_shipment: bool
    """Goods that leave without being sold (`indRemes`)."""
    is_annulment: bool
    is_communication: bool
    is_transport: bool
    is_fuel: bool
    is_tax_substitution: bool
    since: date | None = None
    """First day in force; None if the source does not have it."""
    until: date | None = None
    """Last day in force; None if the source has no end."""


CFOPS: Table[str, Cfop] = Table("cfop", Cfop, lambda cfop: cfop.code)


@dataclass(frozen=True, slots=True)
class Ncm:
    """An NCM code of eight digits; `00000000` is an item that is no product (MOC 7.0, NT 2016.003)."""

    code: Annotated[str, "[0-9]{8}"]
    unit: str | None
    """Statistical unit of the customs."""
    description: str
    since: date | None = None
    """First day in force; None if the source does not have it."""
    until: date | None = None
    """Last day in force; None if the source has no end."""


NCMS: Table[str, Ncm] = Table("ncm", Ncm, lambda ncm: ncm.code, front_coded="description")


@dataclass(frozen=True, slots=True)
class Cest:
    """A CEST; its first two digits are the segment of Convênio ICMS 142/2018."""

    code: Annotated[str, "[0-9]{7}"]
    ncm_prefixes: tuple[str, ...]
    """The beginnings of the NCM codes that it covers; empty for a few codes that cover any NCM."""
    description: str
    since: date | None = None
    """First day in force; None if the source does not have it."""
    until: date | None = None
    """Last day in force; None if the source has no end."""


CESTS: Table[str, Cest] = Table("cest", Cest, lambda cest: cest.code)
