"""An item on its way into the document."""

from dataclasses import dataclass

from carimbo.fiscal.taxes.item_value import ItemValue


@dataclass(frozen=True, slots=True)
class Line:
    """Where an item stands in the caller's body, and what its taxes are computed from."""

    path: str
    """`items[3]`"""
    origin: str
    cfop: str
    value: ItemValue
    is_sale: bool
    """Taxes have defaults in sales only: what else moves goods is taxed in too many ways."""
