"""Facts about documents that several rules share."""

from carimbo.fiscal.goods.rules.rule import RuleInput
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.tables.goods_codes import CFOPS
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR

_PAYMENT = "2"
# Goods that are exported by law but stay in the country (NT 2022.002).
_EXPORTS_WITHIN_THE_COUNTRY = frozenset({"7501", "7552"})
_FUEL_EXPORT = "7667"
# The only fuels that are not derived from petroleum.
_OTHER_FUELS = frozenset(
    {
        "820101001", "820101010", "810102001", "810102004", "810102002", "810102003", "810101002",
        "810101001", "810101003", "220101003", "220101004", "220101002", "220101001", "220101005",
        "220101006", "560101001",
    }
)  # fmt: skip


def situation_of(icms: Icms | None) -> str | None:
    """Returns the CST or CSOSN; None without ICMS."""
    return getattr(icms, "cst", None) or getattr(icms, "csosn", None)


def is_coming_back(cfop: str) -> bool:
    """Returns whether a CFOP is for goods that come back without having been sold."""
    row = CFOPS.rows.get(cfop)
    return row is not None and row.is_coming_back


def moves_between_other_states(document: RuleInput) -> bool:
    """Returns whether goods are delivered outside the seller's state or picked up outside the buyer's."""
    delivery, pickup = document.invoice.delivery, document.invoice.pickup
    if delivery and delivery.state != document.seller_state:
        return True
    return pickup is not None and pickup.state != document.buyer_state


def stays_in_the_country(document: RuleInput) -> bool:
    """Returns whether any item is exported by law but stays in Brazil."""
    return any(_is_export_within_the_country(item) for item in document.invoice.items)


def _is_export_within_the_country(item: Item) -> bool:
    cfop, fuel = item.product.cfop, item.product.fuel
    if cfop == _FUEL_EXPORT:
        return fuel is not None and fuel.consumption_state == EXTERIOR
    return cfop in _EXPORTS_WITHIN_THE_COUNTRY


def is_petroleum(item: Item) -> bool:
    """Returns whether an item is a fuel derived from petroleum."""
    fuel = item.product.fuel
    return fuel is not None and fuel.anp_code not in _OTHER_FUELS


def is_payment_by_government(document: RuleInput) -> bool:
    """Returns whether a public buyer pays an earlier supply; such a document has only IBS and CBS."""
    purchase = document.invoice.identification.government_purchase
    return purchase is not None and purchase.operation_type == _PAYMENT
