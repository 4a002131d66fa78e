"""IBS and CBS: base, rates after reductions, and what is due after deferrals (NT 2025.002, group UB)."""

from decimal import ROUND_HALF_UP, Decimal

from carimbo.fiscal.money import ZERO, percent

_HUNDRED = Decimal(100)
_TEN_THOUSAND = Decimal(10_000)
_RATE_STEP = Decimal("0.0001")
_CENT = Decimal("0.01")


def reform_base(operation_value: Decimal, other_taxes: Decimal) -> Decimal:
    """Returns the operation without the taxes that do not count in the base of IBS and CBS.

    LC 214/2025, art. 12, § 2º; NT 2025.002, UB16: PIS, COFINS, ICMS, its share of the buyer's state and the
    poverty funds are left out, import tax and selective tax are within.
    """
    return max(ZERO, operation_value - other_taxes)


def base_within(price: Decimal, rate: Decimal) -> Decimal:
    """Returns the base in a price that holds IBS and CBS of a rate in percent (NT 2026.008)."""
    return (price * _HUNDRED / (_HUNDRED + rate)).quantize(_CENT, ROUND_HALF_UP)


def effective_rate(rate: Decimal, *reductions: Decimal) -> Decimal:
    """A rate after reductions in percent, with the four decimals of `pAliqEfet` (NT 2025.002, UB28)."""
    for reduction in reductions:
        rate = rate * (_HUNDRED - reduction) / _HUNDRED
    return rate.quantize(_RATE_STEP, ROUND_HALF_UP)


def deferred_share(base: Decimal, rate: Decimal, deferral_rate: Decimal) -> Decimal:
    """The part of a share that is paid later (NT 2025.002, UB23, UB42 and UB61)."""
    return (base * rate * deferral_rate / _TEN_THOUSAND).quantize(_CENT, ROUND_HALF_UP)


def due_share(base: Decimal, rate: Decimal, deferred: Decimal, refund: Decimal) -> Decimal:
    """What is left of a share after the deferral and the refund (NT 2025.002, UB35, UB54 and UB67)."""
    return max(ZERO, percent(base, rate) - deferred - refund)
