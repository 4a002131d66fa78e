"""What an item costs the buyer, before taxes that are charged on top."""

from decimal import Decimal

from carimbo.fiscal.money import ZERO


def operation_value(
    goods: Decimal, *, charges: tuple[Decimal | None, ...] = (), discount: Decimal | None = None
) -> Decimal:
    """The value of the operation: charges in, discounts out; a greater discount leaves nothing to be taxed.

    ICMS is computed on it (LC 87/1996, art. 13, § 1º, II), and so is IPI (RIPI/2010, art. 190, § 1º, but for
    the discounts: STF, theme 84).
    """
    value = goods
    for charge in charges:
        if charge:
            value += charge
    return max(ZERO, value - discount) if discount else value
