"""Whom documents of goods are for."""

from carimbo.fiscal.addressee import Addressee
from carimbo.fiscal.goods.sale import SaleBody


def addressee_of(request: SaleBody) -> Addressee | None:
    """The buyer; nobody where none is named."""
    buyer = request.recipient
    return Addressee(buyer.name, buyer.email, buyer.tax_id) if buyer else None
