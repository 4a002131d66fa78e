"""IBS and CBS of an item: values of the request, and the rest computed from its classification."""

from collections.abc import Callable

from carimbo.fiscal.goods.applicable_taxes import TaxedItem
from carimbo.fiscal.goods.ibs_cbs_body import IbsCbsBody
from carimbo.fiscal.layouts.filling import missing_value
from carimbo.fiscal.layouts.layout import construct
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import Cbs, IbsCbs, TaxedByRate
from carimbo.fiscal.problems import Findings, Incomplete
from carimbo.fiscal.taxes.ibs_cbs import RatedGroups, RatedTerms, TaxedValue
from carimbo.fiscal.taxes.reform_rates import RateSource, share_rates
from carimbo.fiscal.taxes.trade import Trade

_TAXED_IN_FULL = "000001"
_EXPORTED = "410004"
_LENGTH_OF_CST = 3
_LEFT_OUT = (
    "A nota sai sem IBS e CBS, porque corrige um documento emitido antes que o preço os contivesse (NT"
    " 2025.002, UB12-10): informe items[].ibsCbs para que os leve."
)
_EMPTY_BODY = IbsCbsBody()
_GROUPS = RatedGroups(Cbs, TaxedByRate)


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
    source = RateSource(trade.rate_day, trade.tax_day.price_holds_reform_taxes, trade.government_reduction)
    rates = share_rates(body, cst, tax_class, source, path, findings)
    free_zone = body.cbs.free_zone if body.cbs else None
    rated = RatedTerms.of(body, rates, _GROUPS, free_zone) if rates else None
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
