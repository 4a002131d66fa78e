"""IBS and CBS of an item: as told, and computed by the classification of the item."""

from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from pydantic import Field, StringConstraints
from pydantic.alias_generators import to_camel

from carimbo.fiscal.company import TaxRegime
from carimbo.fiscal.fields import Body, Money, Percent
from carimbo.fiscal.findings import Incomplete
from carimbo.fiscal.goods.filling import required
from carimbo.fiscal.goods.line import Line
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import (
    Cbs,
    CityIbs,
    CreditReversal,
    CreditTransfer,
    Deferral,
    FreeZoneCbs,
    FreeZoneCredit,
    GovernmentPurchaseTaxes,
    IbsCbs,
    OperationCredit,
    PeriodAdjustment,
    RateReduction,
    Refund,
    RegularTaxation,
    StateIbs,
    TaxedByRate,
)
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs_single_phase import SinglePhase
from carimbo.fiscal.layouts.records import made
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IbsCbsClass, IbsCbsRates
from carimbo.fiscal.taxes.ibs_cbs import deferred_share, due_share, effective_rate
from carimbo.fiscal.taxes.trade import Trade

_TAXED_IN_FULL = "000001"
_EXPORTED = "410004"
_LENGTH_OF_CST = 3
# Taxed by the general rates, less what the classification takes off them. Rates or amounts of the others only
# the caller knows (NT 2025.002, table of CST).
_BY_GENERAL_RATES = frozenset({"000", "011", "200", "510", "515"})
_BY_RATE = ("base", "state", "city", "ibs_amount", "cbs")


class DeferralBody(Body):
    """The part of a share that is paid later."""

    rate: Percent = Field(description="Percentual do diferimento (pDif).")
    amount: Money | None = Field(default=None, description="Valor do diferimento (vDif).")


class ReductionBody(Body):
    """What the law takes off a rate."""

    rate: Percent = Field(description="Percentual da redução de alíquota (pRedAliq).")
    effective_rate: Percent | None = Field(
        default=None, description="Alíquota depois da redução (pAliqEfet)."
    )


class ShareBody(Body):
    """One share of IBS and CBS; what is not told is computed."""

    rate: Percent | None = Field(default=None, description="Alíquota (pIBSUF, pIBSMun ou pCBS).")
    deferral: DeferralBody | None = Field(default=None, description="Diferimento (gDif).")
    refund: Refund | None = Field(default=None, description="Devolução de tributos (gDevTrib).")
    reduction: ReductionBody | None = Field(default=None, description="Redução da alíquota (gRed).")
    amount: Money | None = Field(default=None, description="Valor (vIBSUF, vIBSMun ou vCBS).")


class CbsBody(ShareBody):
    """The same of CBS, which has more to tell in a free trade area."""

    free_zone: FreeZoneCbs | None = Field(default=None, description="ZFM e ALC (gALCZFMCBS).")


class IbsCbsBody(Body):
    """IBS and CBS of an item: by rates on `base`, or by one of the groups that special codes ask for."""

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
    cbs: CbsBody | None = Field(default=None, description="CBS (gCBS).")
    regular_taxation: RegularTaxation | None = Field(
        default=None, description="Tributação se a condição não se cumprir (gTribRegular)."
    )
    government_purchase: GovernmentPurchaseTaxes | None = Field(
        default=None, description="Tributos sem a redução das compras do governo (gTribCompraGov)."
    )
    single_phase: SinglePhase | None = Field(default=None, description="Monofasia (gIBSCBSMono).")
    credit_transfer: CreditTransfer | None = Field(
        default=None, description="Transferência de crédito (gTransfCred)."
    )
    period_adjustment: PeriodAdjustment | None = Field(
        default=None, description="Ajuste de competência (gAjusteCompet)."
    )
    credit_reversal: CreditReversal | None = Field(
        default=None, description="Estorno de crédito (gEstornoCred)."
    )
    operation_credit: OperationCredit | None = Field(
        default=None, description="Crédito presumido da operação (gCredPresOper)."
    )
    free_zone_credit: FreeZoneCredit | None = Field(
        default=None, description="Crédito presumido da Zona Franca (gCredPresIBSZFM)."
    )


_NOTHING_TOLD = IbsCbsBody()
_NOTHING_OF_A_SHARE = ShareBody()


def ibs_cbs_group(body: IbsCbsBody | None, line: Line, trade: Trade, base: Decimal) -> IbsCbs | None:
    """Make the groups of the item's classification: the caller's values, and the rest computed on `base`.

    Companies of the normal regime always tell them; the others may (NT 2025.002, UB12).
    """
    if body is None:
        if trade.company.tax_regime is not TaxRegime.NORMAL:
            return None
        body = _NOTHING_TOLD
    path = f"{line.path}.ibsCbs"
    tax_class = body.tax_class_code or _usual_class(body, line, trade, path)
    cst = body.cst or tax_class[:_LENGTH_OF_CST]
    return IbsCbs(
        cst=cst,
        tax_class=tax_class,
        is_donation=body.is_donation,
        by_rate=_by_rate(body, cst, tax_class, base, trade, path),
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
    body: IbsCbsBody, cst: str, tax_class: str, base: Decimal, trade: Trade, path: str
) -> TaxedByRate | None:
    """The tax by rates: computed where those of the law hold, else told whole or not at all."""
    rates = _rates_of(cst, IBS_CBS_CLASSES.rows.get(tax_class), trade)
    if rates is None:
        missing = [name for name in _BY_RATE if getattr(body, name) is None]
        if len(missing) == len(_BY_RATE) and not (body.regular_taxation or body.government_purchase):
            return None
        if missing:
            situation = f"CST {cst} do IBS e da CBS, por alíquota"
            raise Incomplete(*(required(f"{path}.{to_camel(name)}", situation) for name in missing))
    return _shares(body, base if body.base is None else body.base, rates or _NO_RATES, path)


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
    general = _ZERO_RATES if is_conditional else trade.tax_day.rates
    ibs, cbs = (known.ibs_reduction, known.cbs_reduction) if known else (None, None)
    public = trade.government_reduction
    return _Rates(
        state=_Rate(general.state, ibs, public),
        city=_Rate(general.city, ibs, public),
        cbs=_Rate(general.cbs, cbs, public),
    )


def _shares(body: IbsCbsBody, base: Decimal, rates: _Rates, path: str) -> TaxedByRate:
    if None in (rates.state.rate, rates.city.rate, rates.cbs.rate):
        _refuse_unknown_rates(body, rates, path)
    state = made(StateIbs, _share(body.state, base, rates.state))
    city = made(CityIbs, _share(body.city, base, rates.city))
    cbs = _share(body.cbs, base, rates.cbs) | {"free_zone": body.cbs.free_zone if body.cbs else None}
    return TaxedByRate(
        base=base,
        state=state,
        city=city,
        ibs_amount=state.amount + city.amount if body.ibs_amount is None else body.ibs_amount,
        cbs=made(Cbs, cbs),
        regular_taxation=body.regular_taxation,
        government_purchase=body.government_purchase,
    )


def _refuse_unknown_rates(body: IbsCbsBody, rates: _Rates, path: str) -> None:
    shares = (
        ("state", body.state, rates.state),
        ("city", body.city, rates.city),
        ("cbs", body.cbs, rates.cbs),
    )
    untold = [
        name for name, told, usual in shares if usual.rate is None and (told is None or told.rate is None)
    ]
    if untold:
        situation = "IBS e CBS sem alíquota conhecida"
        raise Incomplete(*(required(f"{path}.{name}.rate", situation) for name in untold))


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
