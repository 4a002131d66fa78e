"""What an item costs the buyer, before taxes that are charged on top."""

from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.money import ZERO


@dataclass(frozen=True, slots=True)
class ItemValue:
    """The price of an item and what is charged with it."""

    goods: Decimal
    freight: Decimal = ZERO
    insurance: Decimal = ZERO
    other: Decimal = ZERO
    discount: Decimal = ZERO

    @property
    def operation(self) -> Decimal:
        """The value of the operation (LC 87/1996, art. 13, § 1º, II): charges in, discounts out."""
        return self.goods + self.freight + self.insurance + self.other - self.discount
