"""The three shares of IBS and CBS on one base: IBS of state and city, and CBS."""

from decimal import Decimal
from typing import Any, NamedTuple

from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CityIbs,
    Deferral,
    RateReduction,
    StateIbs,
    TaxedByRate,
)
from carimbo.fiscal.layouts.records import made
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.taxes.ibs_cbs import base_within, deferred_share, due_share, effective_rate
from carimbo.fiscal.taxes.ibs_cbs_body import DeferralBody, IbsCbsBody, ReductionBody, ShareBody

_HUNDRED = Decimal(100)
_CENT = Decimal("0.01")
_NOTHING_OF_A_SHARE = ShareBody()


class TaxedValue(NamedTuple):
    """What IBS and CBS are computed on."""

    amount: Decimal
    """Without the other taxes that do not count."""
    holds_taxes: bool
    """Whether IBS and CBS are within the amount, as in prices from 2027 on."""


class ShareRate(NamedTuple):
    """A rate and what is taken off it, as far as they are known."""

    rate: Decimal | None
    class_reduction: Decimal | None = None
    government_reduction: Decimal | None = None


class ShareRates(NamedTuple):
    """The rates of the three shares."""

    state: ShareRate
    city: ShareRate
    cbs: ShareRate


NO_RATES = ShareRates(ShareRate(None), ShareRate(None), ShareRate(None))


def taxed_by_rate(body: IbsCbsBody, value: TaxedValue, rates: ShareRates) -> TaxedByRate:
    """Computes the three shares of the tax; the values of the body win."""
    is_within = value.holds_taxes and body.base is None
    base = value.amount if body.base is None else body.base
    if is_within:
        base = _base_within(body, value.amount, rates)
    state = made(StateIbs, _share(body.state, base, rates.state))
    city = made(CityIbs, _share(body.city, base, rates.city))
    cbs = made(
        Cbs,
        _share(body.cbs, base, rates.cbs) | {"free_zone": body.cbs.free_zone if body.cbs else None},
    )
    return TaxedByRate(
        base=_closed(base, value.amount, (state, city, cbs)) if is_within else base,
        state=state,
        city=city,
        ibs_amount=state.amount + city.amount if body.ibs_amount is None else body.ibs_amount,
        cbs=cbs,
        regular_taxation=body.regular_taxation,
        government_purchase=body.government_purchase,
    )


def _base_within(body: IbsCbsBody, price: Decimal, rates: ShareRates) -> Decimal:
    """Returns the base in a price that holds the three shares, without the amounts that the caller gave."""
    rate = ZERO
    for given, usual in ((body.state, rates.state), (body.city, rates.city), (body.cbs, rates.cbs)):
        share = given or _NOTHING_OF_A_SHARE
        if share.amount is not None:
            price -= share.amount
            continue
        full = (usual.rate if share.rate is None else share.rate) or ZERO
        reduction = _reduction(share.reduction, full, usual)
        due = reduction.effective_rate if reduction else full
        rate += due * (_HUNDRED - share.deferral.rate) / _HUNDRED if share.deferral else due
        price += share.refund.amount if share.refund else ZERO
    return base_within(max(ZERO, price), rate)


def _closed(base: Decimal, price: Decimal, shares: tuple[StateIbs, CityIbs, Cbs]) -> Decimal:
    """Returns the base with the cents that rounding leaves, so that base and shares add up to the price.

    The authorities allow a cent between an amount and its rate (1041, 1052 and 1069); where that would not
    do, the base stays.
    """
    closed = price - total(share.amount for share in shares)
    moved = closed - base
    is_allowed = all(abs(_unrounded(share, closed) - share.amount) <= _CENT for share in shares)
    return closed if moved and closed >= ZERO and is_allowed else base


def _unrounded(share: StateIbs | CityIbs | Cbs, base: Decimal) -> Decimal:
    rate = share.reduction.effective_rate if share.reduction else share.rate
    deferred = share.deferral.amount if share.deferral else ZERO
    return base * rate / _HUNDRED - deferred - (share.refund.amount if share.refund else ZERO)


def _share(body: ShareBody | None, base: Decimal, usual: ShareRate) -> dict[str, Any]:
    """Returns the values of one share, computed where they are not given."""
    if body is None:
        body = _NOTHING_OF_A_SHARE
    rate = (usual.rate if body.rate is None else body.rate) or ZERO
    reduction = _reduction(body.reduction, rate, usual)
    applied = reduction.effective_rate if reduction else rate
    deferral = _deferral(body.deferral, base, applied)
    amount = body.amount
    if amount is None:
        refund = body.refund.amount if body.refund else ZERO
        amount = due_share(base, applied, deferral.amount if deferral else ZERO, refund)
    return {
        "rate": rate,
        "deferral": deferral,
        "refund": body.refund,
        "reduction": reduction,
        "amount": amount,
    }


def _reduction(body: ReductionBody | None, rate: Decimal, usual: ShareRate) -> RateReduction | None:
    """Returns what is taken off a rate; a public buyer's part shows in the effective rate alone."""
    if body is not None and body.effective_rate is not None:
        return RateReduction(rate=body.rate, effective_rate=body.effective_rate)
    reduction = usual.class_reduction if body is None else body.rate
    public = usual.government_reduction
    if reduction is None and public is None:
        return None
    return RateReduction(
        rate=reduction or ZERO, effective_rate=effective_rate(rate, reduction or ZERO, public or ZERO)
    )


def _deferral(body: DeferralBody | None, base: Decimal, rate: Decimal) -> Deferral | None:
    if body is None:
        return None
    amount = deferred_share(base, rate, body.rate) if body.amount is None else body.amount
    return Deferral(rate=body.rate, amount=amount)
