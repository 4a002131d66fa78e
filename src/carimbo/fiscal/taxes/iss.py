"""ISS: the base, and the net amount after discounts and withholdings."""

from decimal import Decimal

from carimbo.fiscal.money import ZERO


def iss_base(price: Decimal, unconditional_discount: Decimal, deductions: Decimal) -> Decimal:
    """Returns the price without unconditional discounts and legal deductions."""
    return max(ZERO, price - unconditional_discount - deductions)


def net_amount(price: Decimal, discounts: Decimal, withheld: Decimal) -> Decimal:
    """Returns the amount that the customer pays to the provider (vLiq)."""
    return price - discounts - withheld
