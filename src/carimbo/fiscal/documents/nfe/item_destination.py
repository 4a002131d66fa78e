"""Items of the catalog as they are sold to where the goods of an NF-e go."""

from dataclasses import dataclass, replace
from typing import Any

from carimbo.fiscal.catalog_sale import AnyItem, FiscalItem
from carimbo.fiscal.company import Company
from carimbo.fiscal.goods.cfop import ABROAD, WITHIN_THE_STATE, cfop_of_sale, is_sale, is_within_the_state
from carimbo.fiscal.goods.from_sale import NATIONAL, origin_of
from carimbo.fiscal.taxes.icms import interstate_rate

_WITHIN_THE_STATE_ALONE = ("rate", "fcpRate")


@dataclass(frozen=True, slots=True)
class Sale:
    """Who sells goods, and to whom they go."""

    seller: Company
    destination: str | None
    """`idDest`; None if it is not known."""
    buyer_state: str
    buyer_is_contributor: bool


def sold_in(sale: Sale, item: AnyItem) -> AnyItem:
    """Returns an item as it is sold there: the catalog has CFOP and rates of sales within the state."""
    if sale.destination in (None, WITHIN_THE_STATE):
        return item
    changed = {"cfop": _cfop(item, sale), "icms": _icms(item, sale)}
    return replace(item, fiscal={**item.fiscal, **changed})


def _cfop(item: FiscalItem, sale: Sale) -> str | None:
    cfop: str | None = item.fiscal.get("cfop")
    if cfop is None or sale.destination is None or not (is_within_the_state(cfop) and is_sale(cfop)):
        return cfop
    return cfop_of_sale(cfop[1:], sale.destination, sale.seller.tax_regime, sale.buyer_is_contributor)


def _icms(item: FiscalItem, sale: Sale) -> dict[str, Any] | None:
    """A rate within the state gives way to that between the two, and its poverty fund to none."""
    icms: dict[str, Any] | None = item.fiscal.get("icms")
    if icms is None:
        return None
    kept = {name: value for name, value in icms.items() if name not in _WITHIN_THE_STATE_ALONE}
    if sale.destination == ABROAD or icms.get("rate") is None:
        return kept
    origin = origin_of(item) or sale.seller.defaults.origin or NATIONAL
    return kept | {"rate": interstate_rate(sale.seller.address.state, sale.buyer_state, origin)}
