"""Amounts in reais, rounded as the manuals do."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import accumulate

ZERO = Decimal("0.00")
_CENT = Decimal("0.01")
_HUNDRED = Decimal(100)
_MARKS = str.maketrans(",.", ".,")


def cents(value: Decimal) -> Decimal:
    """Round to two decimals, half up (MOC 7.0, rules I11-10 and W03-10)."""
    return value.quantize(_CENT, ROUND_HALF_UP)


def percent(amount: Decimal, rate: Decimal) -> Decimal:
    """So many percent of an amount, to the cent."""
    return (amount * rate / _HUNDRED).quantize(_CENT, ROUND_HALF_UP)


def percent_to_even(amount: Decimal, rate: Decimal) -> Decimal:
    """So many percent of an amount, to the cent; half of one goes to the even, as at the national NFS-e."""
    return (amount * rate / _HUNDRED).quantize(_CENT, ROUND_HALF_EVEN)


def written(amount: Decimal) -> str:
    """An amount as people here write it: `1.234,50`."""
    return with_decimal_comma(f"{amount:,.2f}")


def written_rate(rate: Decimal) -> str:
    """Returns a rate in percent as people here write it: `2,5`."""
    return with_decimal_comma(f"{rate.normalize():f}")


def with_decimal_comma(number: str) -> str:
    """A number with commas for thousands and a point, as people here write it."""
    return number.translate(_MARKS)


def total(amounts: Iterable[Decimal | None]) -> Decimal:
    """Add amounts up; what is not there counts nothing."""
    result = ZERO
    for amount in amounts:
        if amount is not None:
            result += amount
    return result


def shares(whole: Decimal, weights: Sequence[Decimal]) -> tuple[Decimal, ...]:
    """Divide an amount in proportion to the weights; the parts add up to it to the cent.

    Where the weights are amounts in whole cents and the amount is not above their sum, no part is above its
    weight: a discount never makes an item negative.
    """
    if not any(weights):
        weights = (Decimal(1),) * len(weights)
    sum_of_weights = sum(weights)
    reached = [cents(whole * so_far / sum_of_weights) for so_far in accumulate(weights)]
    return tuple(after - before for before, after in zip((ZERO, *reached), reached, strict=False))
