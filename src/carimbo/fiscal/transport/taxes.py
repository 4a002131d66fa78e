"""The taxes of a transport service (`imp`): values of the request, and the rest computed."""

from decimal import Decimal
from typing import NamedTuple

from carimbo.fiscal.layouts.cte_v4.taxes import (
    EndStateShare,
    FreightIbsCbs,
    ServiceCbs,
    ServiceIcms,
    ServiceTaxedByRate,
    ServiceTaxes,
)
from carimbo.fiscal.layouts.filling import missing_value
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.problems import Findings, Incomplete
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_CLASSES
from carimbo.fiscal.tables.taxes import icms_base_on
from carimbo.fiscal.taxes.ibs_cbs import RatedGroups, RatedTerms, ShareRate, TaxedValue, reform_base
from carimbo.fiscal.taxes.icms import icms_base_warning
from carimbo.fiscal.taxes.reform_rates import RateSource, share_rates
from carimbo.fiscal.transport.icms import icms_amount, icms_group, share_amounts, state_share_group
from carimbo.fiscal.transport.journey import Journey
from carimbo.fiscal.transport.request import TransportRequest
from carimbo.fiscal.transport.taxes_body import FreightIbsCbsBody

_GROUPS = RatedGroups(ServiceCbs, ServiceTaxedByRate)
_TAXED_IN_FULL = "000001"
_LENGTH_OF_CST = 3
_PATH = "ibsCbs"
_EMPTY_BODY = FreightIbsCbsBody()
_LEFT_OUT = (
    "ibsCbs: O CT-e sai sem IBS e CBS, porque complementa um documento emitido antes que o preço os"
    " contivesse: informe ibsCbs para que os leve."
)
# Each round makes the amounts ten times more exact, so cents stop changing long before.
_MAX_ROUNDS = 8


def service_taxes(request: TransportRequest, journey: Journey, findings: Findings) -> ServiceTaxes | None:
    """Returns all taxes of a service; None if the ICMS can't be composed."""
    value = journey.amount
    icms = findings.attempt(icms_group, request.icms, journey, value, findings)
    reform = findings.attempt(_reform_terms, request, journey, findings)
    if icms is None:
        return None
    share = findings.attempt(state_share_group, request.state_share, icms, journey, value, findings)
    ibs_cbs = _ibs_cbs(reform, journey, icms, share) if reform else None
    if journey.tax_day.price_holds_reform_taxes and reform and ibs_cbs and not findings.problems:
        base = icms_base_on(journey.tax_day.day, journey.start.state)
        if request.icms.base is None and icms_amount(icms):
            findings.add_warning(icms_base_warning(base))
        if not base.holds_ibs_cbs:
            icms, share, ibs_cbs = _settled(request, reform, journey, ibs_cbs, findings)
    return ServiceTaxes(
        icms=icms,
        approximate_taxes=request.approximate_taxes,
        authority_notes=request.authority_notes,
        state_share=share,
        ibs_cbs=ibs_cbs,
        total=value if ibs_cbs else None,
    )


class _ReformTerms(NamedTuple):
    """How the service is taxed by IBS and CBS: everything but the amounts."""

    body: FreightIbsCbsBody
    cst: str
    tax_class: str
    rated: RatedTerms | None
    """None if the service is not taxed by rates."""


def _reform_terms(request: TransportRequest, journey: Journey, findings: Findings) -> _ReformTerms | None:
    """Returns how IBS and CBS are computed; None if the document does not inform them."""
    body = request.ibs_cbs
    if body is None:
        if not journey.company.informs_ibs_cbs(journey.tax_day.day):
            return None
        if journey.may_leave_out_reform_taxes:
            findings.add_warning(_LEFT_OUT)
            return None
        body = _EMPTY_BODY
    tax_class = body.tax_class_code
    if tax_class is None:
        if journey.end.is_abroad:
            raise Incomplete(missing_value(f"{_PATH}.taxClassCode", "prestação que termina no exterior"))
        if body.cst not in (None, _TAXED_IN_FULL[:_LENGTH_OF_CST]):
            raise Incomplete(missing_value(f"{_PATH}.taxClassCode", f"CST {body.cst} do IBS e da CBS"))
        tax_class = _TAXED_IN_FULL
    cst = body.cst or tax_class[:_LENGTH_OF_CST]
    if tax_class not in IBS_CBS_CLASSES.rows:
        # A rule refuses it.
        return _ReformTerms(body, cst, tax_class, None)
    return _ReformTerms(body, cst, tax_class, _rated_terms(body, cst, tax_class, journey, findings))


def _rated_terms(
    body: FreightIbsCbsBody, cst: str, tax_class: str, journey: Journey, findings: Findings
) -> RatedTerms | None:
    """Returns rates and reductions; None if the service is not taxed by rates."""
    source = RateSource(
        journey.rate_day, journey.tax_day.price_holds_reform_taxes, journey.government_reduction
    )
    rates = share_rates(body, cst, tax_class, source, _PATH, findings)
    if rates is None:
        return None
    free_zone = body.cbs.free_zone if body.cbs else None
    if free_zone:
        # In a free trade area the rate is zero, and the group says what is not charged.
        rates = rates._replace(cbs=ShareRate(ZERO))
    return RatedTerms.of(body, rates, _GROUPS, free_zone)


def _ibs_cbs(
    terms: _ReformTerms, journey: Journey, icms: ServiceIcms, share: EndStateShare | None
) -> FreightIbsCbs:
    """Returns IBS and CBS on the price without the other taxes."""
    value = reform_base(journey.amount, icms_amount(icms) + share_amounts(share) + journey.other_taxes)
    taxed = TaxedValue(value, journey.tax_day.price_holds_reform_taxes)
    return FreightIbsCbs(
        cst=terms.cst,
        tax_class=terms.tax_class,
        is_donation=terms.body.is_donation,
        by_rate=terms.rated.taxed(taxed) if terms.rated else None,
        credit_reversal=terms.body.credit_reversal,
    )


def _settled(
    request: TransportRequest,
    terms: _ReformTerms,
    journey: Journey,
    ibs_cbs: FreightIbsCbs,
    findings: Findings,
) -> tuple[ServiceIcms, EndStateShare | None, FreightIbsCbs]:
    """Computes the taxes again in a state whose ICMS base excludes IBS and CBS.

    The ICMS changes the base of IBS and CBS in turn, so this repeats until no cent changes.
    """
    for _ in range(_MAX_ROUNDS):
        within = reform_amounts(ibs_cbs)
        net = journey.amount - within
        icms = icms_group(request.icms, journey, net, findings)
        share = state_share_group(request.state_share, icms, journey, net, findings)
        ibs_cbs = _ibs_cbs(terms, journey, icms, share)
        if reform_amounts(ibs_cbs) == within:
            break
    return icms, share, ibs_cbs


def reform_amounts(ibs_cbs: FreightIbsCbs | None) -> Decimal:
    """Returns the sum of IBS and CBS."""
    rated = ibs_cbs.by_rate if ibs_cbs else None
    return rated.state.amount + rated.city.amount + rated.cbs.amount if rated else ZERO
