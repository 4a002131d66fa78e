"""IBS and CBS of an item, computed by its classification where the caller gives no values."""

from decimal import Decimal
from typing import Any, NamedTuple

from pydantic.alias_generators import to_camel

from carimbo.fiscal.findings import Findings, Incomplete
from carimbo.fiscal.goods.line import Line
from carimbo.fiscal.layouts.filling import required
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CityIbs,
    Deferral,
    IbsCbs,
    RateReduction,
    StateIbs,
    TaxedByRate,
)
from carimbo.fiscal.layouts.records import made
from carimbo.fiscal.missing_rates import informed_rate, unknown_rate
from carimbo.fiscal.money import ZERO, total
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IbsCbsClass, IbsCbsRates, ReformTax
from carimbo.fiscal.taxes.ibs_cbs import base_within, deferred_share, due_share, effective_rate
from carimbo.fiscal.taxes.ibs_cbs_body import DeferralBody, IbsCbsBody, ReductionBody, ShareBody
from carimbo.fiscal.taxes.trade import Trade

_TAXED_IN_FULL = "000001"
_EXPORTED = "410004"
_LENGTH_OF_CST = 3
_PUBLIC = "compra governamental a partir de 2027, cujos tributos não são calculados (LC 214/2025, art. 473)"
_LEFT_OUT = (
    "A nota sai sem IBS e CBS, porque corrige um documento emitido antes que o preço os contivesse (NT"
    " 2025.002, UB12-10): informe items[].ibsCbs para que os leve."
)
_HUNDRED = Decimal(100)
_CENT = Decimal("0.01")
# Taxed by the general rates, less what the classification takes off them. Rates or amounts of the others only
# the caller knows (NT 2025.002, table of CST).
_BY_GENERAL_RATES = frozenset({"000", "011", "200", "510", "515"})
_BY_RATE = ("base", "state", "city", "ibs_amount", "cbs")


_NOTHING_TOLD = IbsCbsBody()
_NOTHING_OF_A_SHARE = ShareBody()


class TaxedValue(NamedTuple):
    """What IBS and CBS of an item are computed on."""

    amount: Decimal
    """Without the other taxes that do not count."""
    holds_taxes: bool
    """Whether IBS and CBS are within the amount, as in prices from 2027 on."""


def ibs_cbs_group(
    body: IbsCbsBody | None, line: Line, trade: Trade, value: TaxedValue, findings: Findings
) -> IbsCbs | None:
    """Make the groups of the item's classification: the caller's values, and the rest computed of `value`.

    Companies that pay these taxes by themselves always inform them; the others may (NT 2025.002, UB12).
    """
    if body is None:
        if not trade.company.informs_ibs_cbs(trade.tax_day.day):
            return None
        if trade.is_spared_reform_taxes:
            findings.assumed(_LEFT_OUT)
            return None
        body = _NOTHING_TOLD
    path = f"{line.path}.ibsCbs"
    tax_class = body.tax_class_code or _usual_class(body, line, trade, path)
    cst = body.cst or tax_class[:_LENGTH_OF_CST]
    return IbsCbs(
        cst=cst,
        tax_class=tax_class,
        is_donation=body.is_donation,
        by_rate=_by_rate(body, cst, tax_class, value, trade, path, findings),
        single_phase=body.single_phase,
        credit_transfer=body.credit_transfer,
        period_adjustment=body.period_adjustment,
        credit_reversal=body.credit_reversal,
        operation_credit=body.operation_credit,
        free_zone_credit=body.free_zone_credit,
    )


def _usual_class(body: IbsCbsBody, line: Line, trade: Trade, path: str) -> str:
    """Taxed in full; immune when exported (LC 214/2025, art. 79)."""
    if body is _NOTHING_TOLD and not line.is_sale:
        raise Incomplete(required(f"{path}.taxClassCode", "operações que não são vendas"))
    if body.cst not in (None, _TAXED_IN_FULL[:_LENGTH_OF_CST]):
        raise Incomplete(required(f"{path}.taxClassCode", f"CST {body.cst} do IBS e da CBS"))
    return _EXPORTED if trade.is_export and body.cst is None else _TAXED_IN_FULL


def _by_rate(
    body: IbsCbsBody,
    cst: str,
    tax_class: str,
    value: TaxedValue,
    trade: Trade,
    path: str,
    findings: Findings,
) -> TaxedByRate | None:
    """The tax by rates: computed where those of the law hold, else told whole or not at all."""
    rates = _rates_of(cst, IBS_CBS_CLASSES.rows.get(tax_class), trade)
    if rates is None:
        missing = [name for name in _BY_RATE if getattr(body, name) is None]
        is_public = cst in _BY_GENERAL_RATES
        is_left_out = len(missing) == len(_BY_RATE) and not is_public
        if is_left_out and not (body.regular_taxation or body.government_purchase):
            return None
        shares = (("state", body.state), ("city", body.city), ("cbs", body.cbs))
        fields = [to_camel(name) for name in missing]
        fields += [f"{name}.rate" for name, share in shares if share and share.rate is None]
        if fields:
            situation = _PUBLIC if is_public else f"CST {cst} do IBS e da CBS, por alíquota"
            raise Incomplete(*(required(f"{path}.{field}", situation) for field in fields))
        rates = _NO_RATES
    elif None in (rates.state.rate, rates.city.rate, rates.cbs.rate):
        _require_unknown_rates(body, rates, trade, path, findings)
    return _shares(body, value, rates)


class _Rate(NamedTuple):
    """A rate and what is taken off it, as far as they are known."""

    rate: Decimal | None
    class_reduction: Decimal | None = None
    government_reduction: Decimal | None = None


class _Rates(NamedTuple):
    state: _Rate
    city: _Rate
    cbs: _Rate


_NO_RATES = _Rates(_Rate(None), _Rate(None), _Rate(None))
_ZERO_RATES = IbsCbsRates(state=ZERO, city=ZERO, cbs=ZERO)


def _rates_of(cst: str, known: IbsCbsClass | None, trade: Trade) -> _Rates | None:
    """The rates of a classification as far as they are set; None where only the caller knows them."""
    # What is due only if a condition fails is told apart; the rates are zero (NT 2025.002, UB18-10).
    is_conditional = known is not None and known.has_regular_taxation
    if not is_conditional and cst not in _BY_GENERAL_RATES:
        return None
    # From 2027 on all of the tax of a public purchase goes to the entity that buys (LC 214/2025, art. 473).
    if trade.government_reduction is not None and trade.tax_day.price_holds_reform_taxes:
        return None
    general = _ZERO_RATES if is_conditional else trade.rate_day.rates
    ibs, cbs = (known.ibs_reduction, known.cbs_reduction) if known else (None, None)
    public = trade.government_reduction
    return _Rates(
        state=_Rate(general.state, ibs, public),
        city=_Rate(general.city, ibs, public),
        cbs=_Rate(general.cbs, cbs, public),
    )


def _shares(body: IbsCbsBody, value: TaxedValue, rates: _Rates) -> TaxedByRate:
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


def _base_within(body: IbsCbsBody, price: Decimal, rates: _Rates) -> Decimal:
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


def _require_unknown_rates(
    body: IbsCbsBody, rates: _Rates, trade: Trade, path: str, findings: Findings
) -> None:
    """Refuses an item whose rate nobody knows, and warns of one that only the caller knows."""
    shares = (
        ("state", ReformTax.IBS_STATE, body.state, rates.state),
        ("city", ReformTax.IBS_CITY, body.city, rates.city),
        ("cbs", ReformTax.CBS, body.cbs, rates.cbs),
    )
    problems = []
    for name, tax, share, usual in shares:
        if usual.rate is not None:
            continue
        if share is None or share.rate is None:
            problems.append(unknown_rate(tax, trade.rate_day.day, f"{path}.{name}.rate"))
        else:
            findings.assumed(informed_rate(tax))
    if problems:
        raise Incomplete(*problems)


def _share(body: ShareBody | None, base: Decimal, usual: _Rate) -> dict[str, Any]:
    """The values of one share, computed where they are not told."""
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


def _reduction(body: ReductionBody | None, rate: Decimal, usual: _Rate) -> RateReduction | None:
    """What is taken off a rate; a public buyer's part of it shows in the rate that is left alone."""
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
