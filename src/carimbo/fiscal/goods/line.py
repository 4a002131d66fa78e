"""An item on its way into the document."""

from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.layouts.nfe_v4.goods import Product
from carimbo.fiscal.taxes.operation_value import operation_value


class Line(NamedTuple):
    """Where an item stands in the caller's body, and what its taxes are computed from."""

    path: str
    """`items[3]`"""
    origin: str
    cfop: str
    value: Decimal
    """What the item costs the buyer, before taxes that are charged on top."""
    is_sale: bool
    """Taxes have defaults in sales only: what else moves goods is taxed in too many ways."""


def value_of(product: Product) -> Decimal:
    """Returns what an item costs the buyer, before taxes that are charged on top."""
    charges = (product.freight, product.insurance, product.other)
    return operation_value(product.amount, charges=charges, discount=product.discount)
