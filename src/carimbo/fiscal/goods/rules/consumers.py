"""Which CST the authorities may take of a sale to who is no contributor, beyond those of any (N12-70)."""

from collections.abc import Callable

from carimbo.fiscal.goods.cfop import TO_ANOTHER_STATE, WITHIN_THE_STATE
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.circumstances import is_petroleum
from carimbo.fiscal.layouts.nfe_v4.invoice import Item
from carimbo.fiscal.tables.cfop import CFOPS

_OF_ANY_SALE = frozenset({"00", "20", "40", "41", "60", "61"})
_RETURN = "4"
_OTHER_EXITS = frozenset({"5949", "6949"})
# Sold on the order of the buyer, or invoiced before the delivery.
_DELIVERED_LATER = frozenset({"5123", "6123", "5922", "6922"})
_ELECTRICITY = "27160000"
_CEARA, _SUBSTITUTED_SALES = "CE", frozenset({"5403", "5405"})


def suits_no_contributor(cst: str, item: Item, case: Case) -> bool:
    """Whether a CST may stand in the sale; new vehicles let every one through."""
    if cst in _OF_ANY_SALE:
        return True
    may_stand = _EXCEPTIONS.get(cst)
    if may_stand and may_stand(item, case):
        return True
    return any(one.product.vehicle for one in case.invoice.items)


def _substituted(item: Item, case: Case) -> bool:
    """Each state decides whether it takes CST 10 of sales within it."""
    return case.destination == WITHIN_THE_STATE


def _exempt_and_substituted(item: Item, case: Case) -> bool:
    is_energy = is_petroleum(item) or item.product.ncm == _ELECTRICITY
    return case.destination == TO_ANOTHER_STATE and is_energy


def _suspended(item: Item, case: Case) -> bool:
    cfop = CFOPS.rows.get(item.product.cfop)
    if cfop is None or cfop.is_coming_back or cfop.is_shipment:
        return True
    return case.purpose == _RETURN or cfop.code in _OTHER_EXITS


def _deferred(item: Item, case: Case) -> bool:
    """The notes do not agree on which operations within the state are meant, so all of them are."""
    if case.purpose == _RETURN or case.destination == WITHIN_THE_STATE:
        return True
    return item.product.cfop in _DELIVERED_LATER


def _others(item: Item, case: Case) -> bool:
    return case.seller_state == _CEARA and item.product.cfop in _SUBSTITUTED_SALES


_EXCEPTIONS: dict[str, Callable[[Item, Case], bool]] = {
    "10": _substituted,
    "30": _exempt_and_substituted,
    "50": _suspended,
    "51": _deferred,
    "90": _others,
}
