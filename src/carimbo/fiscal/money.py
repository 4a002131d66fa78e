"""Amounts in reais, rounded as the manuals do."""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

ZERO = Decimal("0.00")
_CENT = Decimal("0.01")


def cents(value: Decimal) -> Decimal:
    """Round to two decimals, half up (MOC 7.0, rules I11-10 and W03-10)."""
    return value.quantize(_CENT, ROUND_HALF_UP)


def total(amounts: Iterable[Decimal | None]) -> Decimal:
    """Add amounts up; what is not there counts nothing."""
    result = ZERO
    for amount in amounts:
        if amount is not None:
            result += amount
    return result
