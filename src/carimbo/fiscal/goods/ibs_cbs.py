"""IBS and CBS of an item: values of the request, and the rest computed from its classification."""

from collections.abc import Callable

from pydantic.alias_generators import to_camel

from carimbo.fiscal.goods.applicable_taxes import TaxedItem
from carimbo.fiscal.layouts.filling import missing_value
from carimbo.fiscal.layouts.layout import construct
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.problems import Findings, Incomplete
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IbsCbsClass, IbsCbsRates, ReformTax
from carimbo.fiscal.taxes.ibs_cbs import (
    NO_RATES,
    IbsCbsBody,
    RatedTerms,
    ShareRate,
    ShareRates,
    TaxedValue,
)
from carimbo.fiscal.taxes.missing_rates import informed_rate, unknown_rate
from carimbo.fiscal.taxes.trade import Trade

_TAXED_IN_FULL = "000001"
_EXPORTED = "410004"
_LENGTH_OF_CST = 3
_PUBLIC = "compra governamental a partir de 2027, cujos tributos não são calculados (LC 214/2025, art. 473)"
_LEFT_OUT = (
    "A nota sai sem IBS e CBS, porque corrige um documento emitido antes que o preço os contivesse (NT"
    " 2025.002, UB12-10): informe items[].ibsCbs para que os leve."
)
# Taxed by the general rates, minus the reduction of the classification. For other CST only the caller knows
# rates and amounts (NT 2025.002, table of CST).
_BY_GENERAL_RATES = frozenset({"000", "011", "200", "510", "515"})
_BY_RATE = ("base", "state", "city", "ibs_amount", "cbs")
_EMPTY_BODY = IbsCbsBody()


def ibs_cbs_terms(
    body: IbsCbsBody | None, item: TaxedItem, trade: Trade, findings: Findings
) -> Callable[[TaxedValue], IbsCbs] | None:
    """Decides how an item is taxed, and returns the function that computes its groups on a value.

    Companies that pay these taxes themselves always inform them; the others may (NT 2025.002, UB12). None if
    the item does not inform them.
    """
    if body is None:
        if not trade.company.informs_ibs_cbs(trade.tax_day.day):
            return None
        if trade.is_spared_reform_taxes:
            findings.add_warning(_LEFT_OUT)
            return None
        body = _EMPTY_BODY
    path = f"{item.path}.ibsCbs"
    tax_class = body.tax_class_code or _usual_class(body, item, trade, path)
    cst = body.cst or tax_class[:_LENGTH_OF_CST]
    rated = _rated_terms(body, cst, tax_class, trade, path, findings)
    fixed = {
        "cst": cst,
        "tax_class": tax_class,
        "is_donation": body.is_donation,
        "single_phase": body.single_phase,
        "credit_transfer": body.credit_transfer,
        "period_adjustment": body.period_adjustment,
        "credit_reversal": body.credit_reversal,
        "operation_credit": body.operation_credit,
        "free_zone_credit": body.free_zone_credit,
    }
    return lambda value: construct(IbsCbs, {**fixed, "by_rate": rated.taxed(value) if rated else None})


def _usual_class(body: IbsCbsBody, item: TaxedItem, trade: Trade, path: str) -> str:
    """Returns the class "taxed in full", or "immune" for exports (LC 214/2025, art. 79)."""
    if body is _EMPTY_BODY and not item.is_sale:
        raise Incomplete(missing_value(f"{path}.taxClassCode", "operações que não são vendas"))
    if body.cst not in (None, _TAXED_IN_FULL[:_LENGTH_OF_CST]):
        raise Incomplete(missing_value(f"{path}.taxClassCode", f"CST {body.cst} do IBS e da CBS"))
    return _EXPORTED if trade.is_export and body.cst is None else _TAXED_IN_FULL


def _rated_terms(
    body: IbsCbsBody, cst: str, tax_class: str, trade: Trade, path: str, findings: Findings
) -> RatedTerms | None:
    """Returns the taxation by rates; None if the item has none.

    If the law sets the rates, it is computed. If not, the request has to give all of its values.
    """
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
            raise Incomplete(*(missing_value(f"{path}.{field}", situation) for field in fields))
        rates = NO_RATES
    elif None in (rates.state.rate, rates.city.rate, rates.cbs.rate):
        _require_unknown_rates(body, rates, trade, path, findings)
    return RatedTerms.of(body, rates)


_ZERO_RATES = IbsCbsRates(state=ZERO, city=ZERO, cbs=ZERO)


def _rates_of(cst: str, tax_class: IbsCbsClass | None, trade: Trade) -> ShareRates | None:
    """Returns the rates of a classification; None if only the caller knows them."""
    # A tax that is due only if a condition fails has a group of its own; here rates are zero (NT 2025.002,
    # UB18-10).
    is_conditional = tax_class is not None and tax_class.has_regular_taxation
    if not is_conditional and cst not in _BY_GENERAL_RATES:
        return None
    # From 2027 on the whole tax of a public purchase goes to the buying entity (LC 214/2025, art. 473).
    if trade.government_reduction is not None and trade.tax_day.price_holds_reform_taxes:
        return None
    general = _ZERO_RATES if is_conditional else trade.rate_day.rates
    ibs, cbs = (tax_class.ibs_reduction, tax_class.cbs_reduction) if tax_class else (None, None)
    public = trade.government_reduction
    return ShareRates(
        state=ShareRate(general.state, ibs, public),
        city=ShareRate(general.city, ibs, public),
        cbs=ShareRate(general.cbs, cbs, public),
    )


def _require_unknown_rates(
    body: IbsCbsBody, rates: ShareRates, trade: Trade, path: str, findings: Findings
) -> None:
    """Raises if a rate that the law has not set is missing in the request; warns if the request gives it."""
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
            findings.add_warning(informed_rate(tax))
    if problems:
        raise Incomplete(*problems)
