"""Circumstances that several rules make exceptions for."""

from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.tables.cfop import CFOPS

_PAYMENT = "2"


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


def is_payment_by_government(case: Case) -> bool:
    """Whether the document tells a payment for an earlier supply, with the reform's taxes alone."""
    purchase = case.invoice.identification.government_purchase
    return purchase is not None and purchase.operation_type == _PAYMENT
