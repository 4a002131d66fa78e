"""Comparisons of amounts with their tolerance."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
HUNDRED = Decimal(100)


def differs(amount: Decimal, product: Decimal) -> bool:
    """Returns whether an amount differs by more than a cent from a product (MOC 7.0, anexo I, note 4)."""
    # Rounding is slower than comparing, and most amounts are right.
    return abs(amount - product) > CENT and abs(amount - product.quantize(CENT, ROUND_HALF_UP)) > CENT


def differs_from_percent(amount: Decimal, base: Decimal, rate: Decimal) -> bool:
    """Returns whether an amount differs by more than a cent from a percentage of a base."""
    return differs(amount, base * rate * CENT)
