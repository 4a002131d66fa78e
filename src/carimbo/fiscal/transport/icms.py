"""ICMS of a transport service: the group of its CST, and the share of the state where it ends."""

from decimal import Decimal
from typing import Any

from carimbo.fiscal.layouts.cte_v4.taxes import (
    EndStateShare,
    ServiceIcms,
    ServiceIcms00,
    ServiceIcms20,
    ServiceIcms45,
    ServiceIcms60,
    ServiceIcms90,
    ServiceIcmsOfAnotherState,
    ServiceIcmsOfSimples,
)
from carimbo.fiscal.layouts.filling import given_values, has_field, missing_value, require_fields
from carimbo.fiscal.money import ZERO, format_rate, percent
from carimbo.fiscal.parties.company import TaxRegime
from carimbo.fiscal.parties.recipient import Contribution
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Findings, Incomplete, Problem
from carimbo.fiscal.taxes.icms import assumed_icms_rate, destination_amount, interstate_rate, reduced_base
from carimbo.fiscal.transport.journey import Journey
from carimbo.fiscal.transport.taxes_body import EndStateShareBody, ServiceIcmsBody

_GROUPS: dict[str, type[Any]] = {
    "00": ServiceIcms00,
    "20": ServiceIcms20,
    "40": ServiceIcms45,
    "41": ServiceIcms45,
    "51": ServiceIcms45,
    "60": ServiceIcms60,
    "90": ServiceIcms90,
}
_OTHER = "90"
_OWN_TAXED = (ServiceIcms00, ServiceIcms20, ServiceIcms90)
_NATIONAL_ORIGIN = "0"
_SOURCE = "MOC CT-e 4.00, grupo imp"
AIR_RATE = Decimal(4)
"""The rate of interstate transport by air to contributors, in percent (Resolução do Senado 95/1996)."""


def icms_group(body: ServiceIcmsBody, journey: Journey, value: Decimal, findings: Findings) -> ServiceIcms:
    """Returns the ICMS of a service with this value; given values have priority."""
    cst = body.cst or _usual_cst(journey, findings)
    group = _group_of(cst, body, journey, findings)
    given = given_values(body)
    given.pop("cst", None)
    given.pop("other_state", None)
    is_half = (body.exempted_amount is None) != (body.benefit_code is None)
    if is_half and has_field(group, "benefit_code"):
        raise Incomplete(
            Problem(
                SCHEMA_PROBLEM,
                "icms.exemptedAmount" if body.exempted_amount is None else "icms.benefitCode",
                "O ICMS desonerado e o código do benefício fiscal vão juntos.",
                source=_SOURCE,
            )
        )
    computed: dict[str, Any] = {"cst": cst}
    if has_field(group, "base"):
        computed |= _amounts(body, journey, value, findings)
    require_fields(group, given, computed.keys(), "icms", lambda: _situation(cst, group))
    icms: ServiceIcms = group(**{**computed, **given})
    return icms


def _usual_cst(journey: Journey, findings: Findings) -> str:
    if journey.is_of_simples or journey.starts_elsewhere:
        return _OTHER
    if journey.start.is_abroad or journey.end.is_abroad:
        raise Incomplete(missing_value("icms.cst", "prestação que começa ou termina no exterior"))
    findings.add_warning(
        "icms.cst: CST não informado: usado 00, tributação normal. Confira isenção, diferimento e"
        " substituição tributária do transporte na UF."
    )
    return "00"


def _group_of(cst: str, body: ServiceIcmsBody, journey: Journey, findings: Findings) -> type[Any]:
    if cst != _OTHER:
        if body.other_state:
            message = f"Não se usa com CST {cst}: o ICMS de outra UF tem CST 90."
            raise Incomplete(Problem(SCHEMA_PROBLEM, "icms.otherState", message, source=_SOURCE))
        if journey.is_of_simples:
            findings.add_warning(
                f"icms.cst: A empresa é do Simples Nacional, e o ICMS sai com CST {cst}, como informado."
            )
        return _GROUPS[cst]
    if journey.is_of_simples and not body.other_state:
        return ServiceIcmsOfSimples
    is_other = journey.starts_elsewhere if body.other_state is None else body.other_state
    return ServiceIcmsOfAnotherState if is_other else ServiceIcms90


def _situation(cst: str, group: type[Any]) -> str:
    if group is ServiceIcmsOfSimples:
        return "o ICMS do Simples Nacional, que não tem valores"
    return "CST 90 de outra UF" if group is ServiceIcmsOfAnotherState else f"CST {cst}"


def _amounts(
    body: ServiceIcmsBody, journey: Journey, value: Decimal, findings: Findings
) -> dict[str, Decimal]:
    """Returns base, rate and amount as far as they are known; the rate within a state is not."""
    base = reduced_base(value, body.base_reduction) if body.base is None else body.base
    rate = body.rate
    if rate is None and journey.is_interstate and not journey.has_internal_rate:
        rate = _usual_interstate_rate(journey, findings)
    if rate is None and "" in (journey.start.state, journey.end.state):
        # The unknown place is reported, and this document is not issued.
        rate = ZERO
    if rate is None:
        return {"base": base}
    return {"base": base, "rate": rate, "amount": percent(base, rate)}


def _usual_interstate_rate(journey: Journey, findings: Findings) -> Decimal | None:
    """Returns the rate between two states; None by air to others than contributors, which must give it."""
    if not journey.is_by_air:
        rate = rate_between_states(journey.start.state, journey.end.state)
        findings.add_warning(
            f"icms.rate: Alíquota interestadual não informada: usada a de {format_rate(rate)}% entre"
            f" {journey.start.state} e {journey.end.state}."
        )
        return rate
    if journey.contribution is not Contribution.CONTRIBUTOR:
        return None
    findings.add_warning(
        f"icms.rate: Alíquota não informada: usada a de {format_rate(AIR_RATE)}% do transporte aéreo"
        " interestadual a contribuintes (Resolução do Senado 95/1996). Confira."
    )
    return AIR_RATE


def rate_between_states(start_state: str, end_state: str) -> Decimal:
    """Returns the interstate rate of a transport; there is none for foreign goods."""
    return interstate_rate(start_state, end_state, _NATIONAL_ORIGIN)


def icms_amount(icms: ServiceIcms) -> Decimal:
    """Returns the ICMS in the price; zero for a group without an amount."""
    return ZERO if isinstance(icms, ServiceIcms45 | ServiceIcmsOfSimples) else icms.amount


def state_share_group(
    body: EndStateShareBody | None, icms: ServiceIcms, journey: Journey, value: Decimal, findings: Findings
) -> EndStateShare | None:
    """Returns the share of the state where the service ends, if it is due or the request gives it.

    It is due on interstate services to takers that pay no ICMS, except those that send the cargo (Convênio
    ICMS 236/2021), and never within Simples Nacional.
    """
    if body is None and not _owes_share(icms, journey):
        return None
    given = given_values(body)
    if body is None:
        findings.add_warning(
            f"stateShare: O tomador não é contribuinte, e o ICMS de {journey.end.state} foi calculado."
            " Confira, e informe stateShare se o valor é outro."
        )
    internal, fund = _rates(given, journey, findings)
    interstate = given.get("interstate_rate")
    if interstate is None:
        # The rate of a transport by air is that of its ICMS, which the request gives.
        if journey.is_by_air and isinstance(icms, _OWN_TAXED):
            interstate = icms.rate
        else:
            interstate = rate_between_states(journey.start.state, journey.end.state)
    base = given.get("base", value)
    values = {
        "base": base,
        "fcp_rate": fund,
        "internal_rate": internal,
        "interstate_rate": interstate,
        "fcp_amount": percent(base, fund),
        "destination_amount": destination_amount(base, internal, interstate),
        "origin_amount": ZERO,
    }
    return EndStateShare(**{**values, **given})


def _owes_share(icms: ServiceIcms, journey: Journey) -> bool:
    pays_icms = journey.company.tax_regime in (TaxRegime.NORMAL, TaxRegime.SIMPLES_EXCESS)
    to_consumer = journey.contribution is Contribution.NONE and not journey.is_paid_by_sender
    return journey.is_interstate and pays_icms and to_consumer and isinstance(icms, _OWN_TAXED)


def _rates(given: dict[str, Any], journey: Journey, findings: Findings) -> tuple[Decimal, Decimal]:
    """Returns the internal rate of the state where the service ends, and that of its poverty fund."""
    fund: Decimal | None = given.get("fcp_rate")
    if "internal_rate" in given:
        return given["internal_rate"], fund or ZERO
    path = "stateShare.internalRate"
    usual = assumed_icms_rate(
        journey.end.state, path, findings, with_fund=fund is None, of="serviço", prefix=f"{path}: "
    )
    return usual.rate, usual.fcp if fund is None else fund


def share_amounts(share: EndStateShare | None) -> Decimal:
    """Returns what the state where the service ends receives."""
    return share.destination_amount + share.fcp_amount if share else ZERO
