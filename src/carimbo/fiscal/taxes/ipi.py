"""IPI: the base."""

from decimal import Decimal

from carimbo.fiscal.taxes.item_value import ItemValue


def ipi_base(value: ItemValue) -> Decimal:
    """The value of the operation: charges in (RIPI/2010, art. 190, § 1º), discounts out (STF, theme 84)."""
    return value.operation
