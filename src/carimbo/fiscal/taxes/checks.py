"""Comparisons of amounts and rates with those that other fields determine, as places of broken rules."""

from decimal import Decimal
from typing import Protocol

from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import CityIbs, Deferral, RateReduction, Refund, StateIbs
from carimbo.fiscal.money import ZERO, cents, percent
from carimbo.fiscal.rules import At
from carimbo.fiscal.tables.ibs_cbs import IbsCbsClass, IbsCbsRates
from carimbo.fiscal.taxes.ibs_cbs import effective_rate

_CENT = Decimal("0.01")
_RATE_TOLERANCE = Decimal("0.0001")


def amount_mismatch(path: str, amount: Decimal, exact: Decimal) -> At | None:
    """Returns the place, with the expected amount, if an amount differs by more than a cent.

    `exact` is the product of other fields before rounding (MOC 7.0, anexo I, 4.2, note 4).
    """
    # An amount within a cent of the exact product is also within a cent of the rounded one; rounding is slow.
    if abs(amount - exact) <= _CENT:
        return None
    expected = cents(exact)
    return At(path, f"Esperado: {expected}.") if abs(amount - expected) > _CENT else None


def percent_mismatch(path: str, amount: Decimal, base: Decimal, rate: Decimal) -> At | None:
    """Returns the place if an amount is not the given percentage of the base."""
    return amount_mismatch(path, amount, base * rate * _CENT)


class ReformShare(Protocol):
    """A share of IBS and CBS in the layout of any document; paths below are relative to it."""

    @property
    def rate(self) -> Decimal: ...
    @property
    def deferral(self) -> Deferral | None: ...
    @property
    def refund(self) -> Refund | None: ...
    @property
    def reduction(self) -> RateReduction | None: ...
    @property
    def amount(self) -> Decimal: ...


def expected_rate(share: ReformShare, tax_class: IbsCbsClass, rates: IbsCbsRates) -> Decimal | None:
    """Returns the rate in force for a classification; None while it is unknown. Suspended tax has zero."""
    if tax_class.has_regular_taxation:
        return ZERO
    if isinstance(share, StateIbs):
        return rates.state
    return rates.city if isinstance(share, CityIbs) else rates.cbs


def share_amount_mismatch(share: ReformShare, base: Decimal) -> At | None:
    """Returns the place if an amount is not the tax minus deferral and refund."""
    due = percent(base, due_rate(share))
    if share.deferral:
        due -= share.deferral.amount
    if share.refund:
        due -= share.refund.amount
    return amount_mismatch("amount", share.amount, due)


def reduction_mismatch(share: ReformShare, tax_class: IbsCbsClass | None) -> At | None:
    """Returns the place if a reduction is not the one of the classification."""
    if share.reduction is None or tax_class is None:
        return None
    is_ibs = isinstance(share, StateIbs | CityIbs)
    expected = tax_class.ibs_reduction if is_ibs else tax_class.cbs_reduction
    if expected in (None, share.reduction.rate):
        return None
    return At("reduction.rate", f"Esperado: {expected}.")


def effective_rate_mismatch(share: ReformShare, government_reduction: Decimal | None) -> At | None:
    """Returns the place if an effective rate is not the rate minus both reductions, of class and buyer."""
    reduction = share.reduction
    if reduction is None:
        return None
    expected = effective_rate(share.rate, reduction.rate, government_reduction or ZERO)
    if abs(reduction.effective_rate - expected) > _RATE_TOLERANCE:
        return At("reduction.effectiveRate", f"Esperado: {expected}.")
    return None


def due_rate(share: ReformShare) -> Decimal:
    """Returns the rate of a share after its reduction."""
    return share.reduction.effective_rate if share.reduction else share.rate
