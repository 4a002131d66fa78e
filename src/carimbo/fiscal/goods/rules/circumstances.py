"""Circumstances that several rules make exceptions for."""

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.layouts.nfe_v4.icms import Icms
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.tables.cfop import CFOPS
from carimbo.fiscal.taxes.trade import ABROAD as EXTERIOR

_PAYMENT = "2"
# Goods that are exported by law and stay in the country (NT 2022.002).
_EXPORTS_WITHIN_THE_COUNTRY = frozenset({"7501", "7552"})
_FUEL_EXPORT = "7667"
# The only fuels that are no derivatives of petroleum.
_OTHER_FUELS = frozenset(
    {
        "820101001", "820101010", "810102001", "810102004", "810102002", "810102003", "810101002",
        "810101001", "810101003", "220101003", "220101004", "220101002", "220101001", "220101005",
        "220101006", "560101001",
    }
)  # fmt: skip


def situation_of(icms: Icms | None) -> str | None:
    """CST or CSOSN; None where nothing is told of ICMS."""
    return getattr(icms, "cst", None) or getattr(icms, "csosn", None)


def is_coming_back(cfop: str) -> bool:
    """Whether goods come back from where they were sent without being sold."""
    known = CFOPS.rows.get(cfop)
    return known is not None and known.is_coming_back


def moves_between_other_states(case: Case) -> bool:
    """Whether goods are delivered outside the seller's state, or picked up outside the buyer's."""
    delivery, pickup = case.invoice.delivery, case.invoice.pickup
    if delivery and delivery.state != case.seller_state:
        return True
    return pickup is not None and pickup.state != case.buyer_state


def stays_in_the_country(case: Case) -> bool:
    """Whether something is exported to someone who is still in Brazil."""
    return any(_is_export_within_the_country(item) for item in case.invoice.items)


def _is_export_within_the_country(item: Item) -> bool:
    cfop, fuel = item.product.cfop, item.product.fuel
    if cfop == _FUEL_EXPORT:
        return fuel is not None and fuel.consumption_state == EXTERIOR
    return cfop in _EXPORTS_WITHIN_THE_COUNTRY


def is_petroleum(item: Item) -> bool:
    """Whether an item is a fuel made of petroleum."""
    fuel = item.product.fuel
    return fuel is not None and fuel.anp_code not in _OTHER_FUELS


def is_payment_by_government(case: Case) -> bool:
    """Whether the document tells a payment for an earlier supply, with the reform's taxes alone."""
    purchase = case.invoice.identification.government_purchase
    return purchase is not None and purchase.operation_type == _PAYMENT
