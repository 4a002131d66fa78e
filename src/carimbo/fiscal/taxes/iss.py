"""ISS: the base, and what of the price is left after all that is withheld."""

from decimal import Decimal

from carimbo.fiscal.money import ZERO


def iss_base(price: Decimal, unconditional_discount: Decimal, deductions: Decimal) -> Decimal:
    """The price without discounts that hang on nothing, and without what the law lets be deducted."""
    return max(ZERO, price - unconditional_discount - deductions)


def net_amount(price: Decimal, discounts: Decimal, withheld: Decimal) -> Decimal:
    """What the taker pays to the provider (vLiq)."""
    return price - discounts - withheld
