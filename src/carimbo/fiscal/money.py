"""Amounts in reais: rounding as the manuals require, formatting, and proportional division."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import accumulate

ZERO = Decimal("0.00")
_CENT = Decimal("0.01")
_MARKS = str.maketrans(",.", ".,")


def cents(value: Decimal) -> Decimal:
    """Rounds to two decimals, half up (MOC 7.0, rules I11-10 and W03-10)."""
    return value.quantize(_CENT, ROUND_HALF_UP)


def percent(amount: Decimal, rate: Decimal) -> Decimal:
    """Returns a percentage of an amount, rounded half up to the cent."""
    return (amount * rate * _CENT).quantize(_CENT, ROUND_HALF_UP)


def percent_to_even(amount: Decimal, rate: Decimal) -> Decimal:
    """Returns a percentage of an amount, rounded half to even as in the national NFS-e."""
    return (amount * rate * _CENT).quantize(_CENT, ROUND_HALF_EVEN)


def format_amount(amount: Decimal) -> str:
    """Returns an amount in Brazilian notation: `1.234,50`."""
    return with_decimal_comma(f"{amount:,.2f}")


def format_rate(rate: Decimal) -> str:
    """Returns a rate in Brazilian notation: `2,5`."""
    return with_decimal_comma(f"{rate.normalize():f}")


def with_decimal_comma(number: str) -> str:
    """Returns a number in English notation with commas and points exchanged."""
    return number.translate(_MARKS)


def total(amounts: Iterable[Decimal | None]) -> Decimal:
    """Returns the sum of amounts; None counts as zero."""
    return sum(filter(None, amounts), ZERO)


def split_amount(whole: Decimal, weights: Sequence[Decimal]) -> tuple[Decimal, ...]:
    """Divides an amount in proportion to the weights; the parts add up to the exact amount.

    If the weights are amounts in whole cents and the amount does not exceed their sum, no part exceeds its
    weight: a discount never makes an item negative.
    """
    if not any(weights):
        weights = (Decimal(1),) * len(weights)
    sum_of_weights = sum(weights)
    reached = [cents(whole * partial_sum / sum_of_weights) for partial_sum in accumulate(weights)]
    return tuple(after - before for before, after in zip((ZERO, *reached), reached, strict=False))
