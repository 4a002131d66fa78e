"""IBS and CBS of an item, computed by its classification where the caller gives no values."""

from pydantic.alias_generators import to_camel

from carimbo.fiscal.findings import Findings, Incomplete
from carimbo.fiscal.goods.line import Line
from carimbo.fiscal.layouts.filling import required
from carimbo.fiscal.layouts.nfe_v4.ibs_cbs import IbsCbs, TaxedByRate
from carimbo.fiscal.missing_rates import informed_rate, unknown_rate
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IbsCbsClass, IbsCbsRates, ReformTax
from carimbo.fiscal.taxes.ibs_cbs_body import IbsCbsBody
from carimbo.fiscal.taxes.ibs_cbs_shares import NO_RATES, ShareRate, ShareRates, TaxedValue, taxed_by_rate
from carimbo.fiscal.taxes.trade import Trade

_TAXED_IN_FULL = "000001"
_EXPORTED = "410004"
_LENGTH_OF_CST = 3
_PUBLIC = "compra governamental a partir de 2027, cujos tributos não são calculados (LC 214/2025, art. 473)"
_LEFT_OUT = (
    "A nota sai sem IBS e CBS, porque corrige um documento emitido antes que o preço os contivesse (NT"
    " 2025.002, UB12-10): informe items[].ibsCbs para que os leve."
)
# Taxed by the general rates, less what the classification takes off them. Rates or amounts of the others only
# the caller knows (NT 2025.002, table of CST).
_BY_GENERAL_RATES = frozenset({"000", "011", "200", "510", "515"})
_BY_RATE = ("base", "state", "city", "ibs_amount", "cbs")
_NOTHING_TOLD = IbsCbsBody()


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
        rates = NO_RATES
    elif None in (rates.state.rate, rates.city.rate, rates.cbs.rate):
        _require_unknown_rates(body, rates, trade, path, findings)
    return taxed_by_rate(body, value, rates)


_ZERO_RATES = IbsCbsRates(state=ZERO, city=ZERO, cbs=ZERO)


def _rates_of(cst: str, known: IbsCbsClass | None, trade: Trade) -> ShareRates | None:
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
    return ShareRates(
        state=ShareRate(general.state, ibs, public),
        city=ShareRate(general.city, ibs, public),
        cbs=ShareRate(general.cbs, cbs, public),
    )


def _require_unknown_rates(
    body: IbsCbsBody, rates: ShareRates, trade: Trade, path: str, findings: Findings
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
