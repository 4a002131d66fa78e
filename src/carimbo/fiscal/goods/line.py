"""An item on its way into the document."""

from decimal import Decimal
from typing import NamedTuple


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
