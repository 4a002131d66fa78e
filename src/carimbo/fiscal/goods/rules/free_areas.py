"""Zona Franca de Manaus and free trade areas, within which the CBS may be zero (NT 2025.002, UB56-10)."""

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.layouts.nfe_v4.invoice import Item

_AREAS = (
    frozenset({"1301902", "1302603", "1303569"}),
    frozenset({"1304062"}),
    frozenset({"1100106"}),
    frozenset({"1400100", "1400159"}),
    frozenset({"1600303", "1600600"}),
    frozenset({"1200104", "1200252", "1200203"}),
)
"""IBGE codes of the cities of each."""

# Arms, tobacco, alcoholic drinks and passenger cars.
_NEVER_FREE = ("93", "24", "2203", "2204", "2205", "2206", "2207", "2208", "8703")
_PERFUMERY = "33"
_FREE_PERFUMERY = ("3303", "3304", "3305", "3306", "3307")


def stays_in_a_free_area(item: Item, case: Case) -> bool:
    """Whether goods that the law doesn't leave out go from seller to buyer within one area."""
    buyer = case.recipient.address if case.recipient else None
    if buyer is None or not _may_be_free(item.product.ncm):
        return False
    seller = case.invoice.issuer.address
    return any(seller.city_code in area and buyer.city_code in area for area in _AREAS)


def _may_be_free(ncm: str) -> bool:
    if ncm.startswith(_PERFUMERY):
        return ncm.startswith(_FREE_PERFUMERY)
    return not ncm.startswith(_NEVER_FREE)
