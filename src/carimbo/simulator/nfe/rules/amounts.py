"""Amounts that are the product of others, rounded, give or take a cent (MOC 7.0, anexo I, note 4)."""

from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
HUNDRED = Decimal(100)


def differs(told: Decimal, product: Decimal) -> bool:
    """Tell whether an amount is more than a cent off a product."""
    # Rounding takes longer than comparing, and most amounts are right.
    return abs(told - product) > CENT and abs(told - product.quantize(CENT, ROUND_HALF_UP)) > CENT


def differs_from_percent(told: Decimal, base: Decimal, rate: Decimal) -> bool:
    """Tell whether an amount is more than a cent off so many percent of a base."""
    return differs(told, base * rate * CENT)
