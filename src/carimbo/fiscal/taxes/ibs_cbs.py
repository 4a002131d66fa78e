"""IBS and CBS by rates: bodies, formulas, and the three shares on a base (NT 2025.002, group UB)."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Any, NamedTuple, Self

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import Body, Money, Percent
from carimbo.fiscal.layouts.dfe_v1.ibs_cbs import (
    CityIbs,
    CreditReversal,
    Deferral,
    GovernmentPurchaseTaxes,
    RateReduction,
    Refund,
    RegularTaxation,
    StateIbs,
)
from carimbo.fiscal.layouts.layout import construct
from carimbo.fiscal.money import ZERO, percent, total

_HUNDRED = Decimal(100)
_TEN_THOUSAND = Decimal(10_000)
_RATE_STEP = Decimal("0.0001")
_CENT = Decimal("0.01")


def reform_base(operation_value: Decimal, other_taxes: Decimal) -> Decimal:
    """Returns the operation value without the taxes that the base of IBS and CBS excludes.

    LC 214/2025, art. 12, § 2º; NT 2025.002, UB16: PIS, COFINS, ICMS, the share of the buyer's state and the
    poverty funds are excluded, import tax and selective tax are included.
    """
    return max(ZERO, operation_value - other_taxes)


def base_within(price: Decimal, rate: Decimal) -> Decimal:
    """Returns the base of a price that includes IBS and CBS of a rate in percent (NT 2026.008)."""
    return (price * _HUNDRED / (_HUNDRED + rate)).quantize(_CENT, ROUND_HALF_UP)


def effective_rate(rate: Decimal, *reductions: Decimal) -> Decimal:
    """Returns a rate after reductions in percent, with four decimals (`pAliqEfet`; NT 2025.002, UB28)."""
    for reduction in reductions:
        rate = rate * (_HUNDRED - reduction) / _HUNDRED
    return rate.quantize(_RATE_STEP, ROUND_HALF_UP)


def deferred_share(base: Decimal, rate: Decimal, deferral_rate: Decimal) -> Decimal:
    """Returns the deferred part of a share (NT 2025.002, UB23, UB42 and UB61)."""
    return (base * rate * deferral_rate / _TEN_THOUSAND).quantize(_CENT, ROUND_HALF_UP)


def due_share(base: Decimal, rate: Decimal, deferred: Decimal, refund: Decimal) -> Decimal:
    """Returns a share after deferral and refund (NT 2025.002, UB35, UB54 and UB67)."""
    return max(ZERO, percent(base, rate) - deferred - refund)


class DeferralBody(Body):
    """The deferral of a share: the part that is paid later."""

    rate: Percent = Field(description="Percentual do diferimento (pDif).")
    amount: Money | None = Field(default=None, description="Valor do diferimento (vDif).")


class ReductionBody(Body):
    """The legal reduction of a rate."""

    rate: Percent = Field(description="Percentual da redução de alíquota (pRedAliq).")
    effective_rate: Percent | None = Field(
        default=None, description="Alíquota depois da redução (pAliqEfet)."
    )


class ShareBody(Body):
    """A share of IBS and CBS; absent fields are computed."""

    rate: Percent | None = Field(default=None, description="Alíquota (pIBSUF, pIBSMun ou pCBS).")
    deferral: DeferralBody | None = Field(default=None, description="Diferimento (gDif).")
    refund: Refund | None = Field(default=None, description="Devolução de tributos (gDevTrib).")
    reduction: ReductionBody | None = Field(default=None, description="Redução da alíquota (gRed).")
    amount: Money | None = Field(default=None, description="Valor (vIBSUF, vIBSMun ou vCBS).")


class RatedIbsCbsBody(Body):
    """IBS and CBS by rates on `base`: the fields that requests of all documents share."""

    cst: Annotated[str, StringConstraints(pattern=r"^[0-9]{3}$")] | None = Field(
        default=None, description="Situação tributária (CST); na falta, o começo da classificação."
    )
    tax_class_code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] | None = Field(
        default=None, description="Classificação tributária (cClassTrib).", examples=["000001"]
    )
    is_donation: Annotated[str, StringConstraints(pattern="^1$")] | None = Field(
        default=None, description="1 em doações (indDoacao)."
    )
    base: Money | None = Field(default=None, description="Base de cálculo (vBC).")
    state: ShareBody | None = Field(default=None, description="IBS do estado (gIBSUF).")
    city: ShareBody | None = Field(default=None, description="IBS do município (gIBSMun).")
    ibs_amount: Money | None = Field(default=None, description="Valor do IBS (vIBS).")
    cbs: ShareBody | None = Field(default=None, description="CBS (gCBS).")
    regular_taxation: RegularTaxation | None = Field(
        default=None, description="Tributação se a condição não se cumprir (gTribRegular)."
    )
    government_purchase: GovernmentPurchaseTaxes | None = Field(
        default=None, description="Tributos sem a redução das compras do governo (gTribCompraGov)."
    )
    credit_reversal: CreditReversal | None = Field(
        default=None, description="Estorno de crédito (gEstornoCred)."
    )


_EMPTY_SHARE = ShareBody()


class TaxedValue(NamedTuple):
    """The value that IBS and CBS are computed on."""

    amount: Decimal
    """Without the other taxes that the base excludes."""
    holds_taxes: bool
    """Whether the amount includes IBS and CBS, as prices do from 2027 on."""


class ShareRate(NamedTuple):
    """A rate and its reductions, as far as they are known."""

    rate: Decimal | None
    class_reduction: Decimal | None = None
    government_reduction: Decimal | None = None


class ShareRates(NamedTuple):
    """The rates of the three shares."""

    state: ShareRate
    city: ShareRate
    cbs: ShareRate


NO_RATES = ShareRates(ShareRate(None), ShareRate(None), ShareRate(None))


class _ShareTerms(NamedTuple):
    """A share of the tax without the amounts that depend on the base."""

    fixed: dict[str, Any]
    """The rate, its reduction, and the groups of the body."""
    due_rate: Decimal
    """The rate after reductions."""
    deferral: DeferralBody | None
    refunded: Decimal
    amount: Decimal | None
    """As given in the body."""

    @classmethod
    def of(cls, body: ShareBody | None, usual: ShareRate) -> Self:
        """Returns the terms of a share: values of the body, else the usual rate and reductions."""
        if body is None:
            body = _EMPTY_SHARE
        rate = (usual.rate if body.rate is None else body.rate) or ZERO
        reduction = _reduction(body.reduction, rate, usual)
        return cls(
            fixed={"rate": rate, "refund": body.refund, "reduction": reduction},
            due_rate=reduction.effective_rate if reduction else rate,
            deferral=body.deferral,
            refunded=body.refund.amount if body.refund else ZERO,
            amount=body.amount,
        )

    def values(self, base: Decimal) -> dict[str, Any]:
        """Returns all values of the share on a base."""
        deferral, amount = None, self.amount
        if self.deferral is not None:
            deferred = self.deferral.amount
            if deferred is None:
                deferred = deferred_share(base, self.due_rate, self.deferral.rate)
            deferral = Deferral(rate=self.deferral.rate, amount=deferred)
        if amount is None:
            amount = due_share(base, self.due_rate, deferral.amount if deferral else ZERO, self.refunded)
        return {**self.fixed, "deferral": deferral, "amount": amount}


class RatedGroups(NamedTuple):
    """The groups of a layout that differ between documents."""

    cbs: type[Any]
    """`gCBS`."""
    by_rate: type[Any]
    """`gIBSCBS`."""


class RatedTerms(NamedTuple):
    """How an item is taxed by rates: its three shares, and the groups and values of the request."""

    body: RatedIbsCbsBody
    state: _ShareTerms
    city: _ShareTerms
    cbs: _ShareTerms
    groups: RatedGroups

    @classmethod
    def of(cls, body: RatedIbsCbsBody, rates: ShareRates, groups: RatedGroups, free_zone: Any) -> Self:
        """Returns the terms of an item; values of the body have priority.

        `free_zone` is the group of the CBS in a free trade area, which differs between layouts.
        """
        state, city = _ShareTerms.of(body.state, rates.state), _ShareTerms.of(body.city, rates.city)
        cbs = _ShareTerms.of(body.cbs, rates.cbs)
        cbs.fixed["free_zone"] = free_zone
        return cls(body, state, city, cbs, groups)

    def taxed(self, value: TaxedValue) -> Any:
        """Returns the three shares of the tax on a value, as the layout's group."""
        body, base = self.body, self.body.base
        is_within = value.holds_taxes and base is None
        if base is None:
            base = self._base_within(value.amount) if is_within else value.amount
        state = construct(StateIbs, self.state.values(base))
        city = construct(CityIbs, self.city.values(base))
        cbs = construct(self.groups.cbs, self.cbs.values(base))
        return self.groups.by_rate(
            base=_base_with_cents(base, value.amount, (state, city, cbs)) if is_within else base,
            state=state,
            city=city,
            ibs_amount=state.amount + city.amount if body.ibs_amount is None else body.ibs_amount,
            cbs=cbs,
            regular_taxation=body.regular_taxation,
            government_purchase=body.government_purchase,
        )

    def _base_within(self, price: Decimal) -> Decimal:
        """Returns the base of a price that includes the three shares, without amounts that the body gives."""
        rate = ZERO
        for share in (self.state, self.city, self.cbs):
            if share.amount is not None:
                price -= share.amount
                continue
            deferral = share.deferral
            rate += share.due_rate * (_HUNDRED - deferral.rate) / _HUNDRED if deferral else share.due_rate
            price += share.refunded
        return base_within(max(ZERO, price), rate)


def _base_with_cents(base: Decimal, price: Decimal, shares: tuple[Any, ...]) -> Decimal:
    """Returns the base with the remaining cents of rounding, so that base and shares add up to the price.

    The authorities allow a difference of a cent between an amount and its rate (1041, 1052 and 1069). If the
    difference would be greater, the base stays.
    """
    remaining = price - total(share.amount for share in shares)
    is_allowed = all(abs(_unrounded(share, remaining) - share.amount) <= _CENT for share in shares)
    return remaining if remaining != base and remaining >= ZERO and is_allowed else base


def _unrounded(share: Any, base: Decimal) -> Decimal:
    rate: Decimal = share.reduction.effective_rate if share.reduction else share.rate
    deferred: Decimal = share.deferral.amount if share.deferral else ZERO
    refunded: Decimal = share.refund.amount if share.refund else ZERO
    return base * rate / _HUNDRED - deferred - refunded


def _reduction(body: ReductionBody | None, rate: Decimal, usual: ShareRate) -> RateReduction | None:
    """Returns the reduction of a rate; that of a public buyer appears only in the effective rate."""
    if body is not None and body.effective_rate is not None:
        return RateReduction(rate=body.rate, effective_rate=body.effective_rate)
    reduction = usual.class_reduction if body is None else body.rate
    public = usual.government_reduction
    if reduction is None and public is None:
        return None
    return RateReduction(
        rate=reduction or ZERO, effective_rate=effective_rate(rate, reduction or ZERO, public or ZERO)
    )
