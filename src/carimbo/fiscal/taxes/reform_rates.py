"""The rates of IBS and CBS for a classification: those of the law, or those that a request has to give."""

from decimal import Decimal
from typing import NamedTuple

from pydantic.alias_generators import to_camel

from carimbo.fiscal.layouts.filling import missing_value
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.problems import Findings, Incomplete
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES, IbsCbsClass, IbsCbsRates, ReformTax
from carimbo.fiscal.taxes.ibs_cbs import NO_RATES, RatedIbsCbsBody, ShareRate, ShareRates
from carimbo.fiscal.taxes.missing_rates import informed_rate, unknown_rate
from carimbo.fiscal.taxes.trade import TaxDay

_PUBLIC = "compra governamental a partir de 2027, cujos tributos não são calculados (LC 214/2025, art. 473)"
# Taxed by the general rates, minus the reduction of the classification. For other CST only the caller knows
# rates and amounts (NT 2025.002, table of CST).
_BY_GENERAL_RATES = frozenset({"000", "011", "200", "510", "515"})
_BY_RATE = ("base", "state", "city", "ibs_amount", "cbs")


class RateSource(NamedTuple):
    """What the rates of a document depend on besides its classification."""

    day: TaxDay
    """The day whose rates count."""
    price_holds_taxes: bool
    """Whether prices include IBS and CBS."""
    government_reduction: Decimal | None
    """The reduction of the rates for a public buyer, in percent (LC 214/2025, art. 473)."""


def share_rates(
    body: RatedIbsCbsBody, cst: str, tax_class: str, source: RateSource, path: str, findings: Findings
) -> ShareRates | None:
    """Returns the rates of the three shares; None if the document is not taxed by rates.

    If the law does not set them, the request has to give all values.
    """
    rates = _rates_of(cst, IBS_CBS_CLASSES.rows.get(tax_class), source)
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
        return NO_RATES
    if None in (rates.state.rate, rates.city.rate, rates.cbs.rate):
        _require_unknown_rates(body, rates, source.day, path, findings)
    return rates


_ZERO_RATES = IbsCbsRates(state=ZERO, city=ZERO, cbs=ZERO)


def _rates_of(cst: str, tax_class: IbsCbsClass | None, source: RateSource) -> ShareRates | None:
    """Returns the rates of a classification; None if only the caller knows them."""
    # A tax that is due only if a condition fails has a group of its own; here rates are zero (NT 2025.002,
    # UB18-10).
    is_conditional = tax_class is not None and tax_class.has_regular_taxation
    if not is_conditional and cst not in _BY_GENERAL_RATES:
        return None
    # From 2027 on the whole tax of a public purchase goes to the buying entity (LC 214/2025, art. 473).
    if source.government_reduction is not None and source.price_holds_taxes:
        return None
    general = _ZERO_RATES if is_conditional else source.day.rates
    ibs, cbs = (tax_class.ibs_reduction, tax_class.cbs_reduction) if tax_class else (None, None)
    public = source.government_reduction
    return ShareRates(
        state=ShareRate(general.state, ibs, public),
        city=ShareRate(general.city, ibs, public),
        cbs=ShareRate(general.cbs, cbs, public),
    )


def _require_unknown_rates(
    body: RatedIbsCbsBody, rates: ShareRates, day: TaxDay, path: str, findings: Findings
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
            problems.append(unknown_rate(tax, day.day, f"{path}.{name}.rate"))
        else:
            findings.add_warning(informed_rate(tax, path))
    if problems:
        raise Incomplete(*problems)
