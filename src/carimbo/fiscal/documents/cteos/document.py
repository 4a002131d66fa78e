"""Composes a CT-e OS from request, company and emission."""

from decimal import Decimal

from carimbo.fiscal.documents.cteos.request import CteOsRequest, OsServiceType
from carimbo.fiscal.documents.cteos.service import notes_of, service_group
from carimbo.fiscal.identity.access_key import AccessKey, document_id
from carimbo.fiscal.identity.tax_ids import is_cnpj
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cte_v4.identification import GovernmentTaker
from carimbo.fiscal.layouts.cte_v4.taxes import FreightIbsCbs, ServiceIcms60, ServiceIcmsOfSimples
from carimbo.fiscal.layouts.cte_v4.waybill import ComplementedWaybill
from carimbo.fiscal.layouts.cteos_v4.identification import OsIdentification
from carimbo.fiscal.layouts.cteos_v4.parties import OsIssuer, OsTaker
from carimbo.fiscal.layouts.cteos_v4.taxes import OsFederalTaxes, OsTaxes
from carimbo.fiscal.layouts.cteos_v4.waybill import OsComplement, OsWaybill
from carimbo.fiscal.layouts.dfe_v1.route import RouteState
from carimbo.fiscal.layouts.filling import given_values
from carimbo.fiscal.making import Composition
from carimbo.fiscal.money import ZERO
from carimbo.fiscal.parties.recipient import Contribution, reader_group
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Findings, Problem
from carimbo.fiscal.taxes.trade import TaxDay, corrected_day
from carimbo.fiscal.transport.cfop import assumed_cfop
from carimbo.fiscal.transport.journey import Journey, contribution_of_taker, newest_first
from carimbo.fiscal.transport.parties import issuer_values, party_values
from carimbo.fiscal.transport.places import TransportPlace, place_of, plain_name
from carimbo.fiscal.transport.request import ServicePurpose, TransportMode
from carimbo.fiscal.transport.route import shortest_route
from carimbo.fiscal.transport.service_price import price_group
from carimbo.fiscal.transport.taxes import service_taxes
from carimbo.fiscal.transport.technical_responsible import responsible_group

MODEL = "67"
NAME = "cteOs"
_PORTRAIT, _OWN_SOFTWARE = "1", "0"
# In place of taxes that can't be composed: the rest of the document is judged, but it is not written.
_UNKNOWN_TAXES = OsTaxes(icms=ServiceIcmsOfSimples(), ibs_cbs=FreightIbsCbs(cst="000", tax_class="000001"))
_EMPTY_COMPLEMENT = OsComplement()


def compose(request: CteOsRequest, issuance: Issuance) -> Composition[OsWaybill | None]:
    """Returns the document, with a problem for everything that the request lacks."""
    if issuance.unfilled:
        return Composition(None, issuance.unfilled, ())
    findings, company, taker = Findings(), issuance.company, request.taker_party
    journey = _journey(request, issuance, findings)
    key = issuance.emission.access_key(MODEL, company)
    issuer = issuer_values(company, taker.state if taker else None)
    waybill = OsWaybill(
        id=document_id(key),
        identification=_identification(request, issuance, key, journey, findings),
        complement=_complement(request, findings),
        issuer=OsIssuer(**{**issuer, "state_registration": issuer["state_registration"] or ""}),
        taker=findings.attempt(_taker_group, request, findings),
        price=price_group(request, None, findings),
        taxes=_taxes(request, journey, findings) or _UNKNOWN_TAXES,
        service=service_group(request, issuance, findings),
        complemented=tuple(ComplementedWaybill(access_key=key) for key in request.complemented_access_keys),
        authorized_readers=tuple(map(reader_group, request.authorized_readers)),
        technical_responsible=responsible_group(request.tech_responsible, issuance.software, key),
    )
    return Composition(waybill, findings.problems, findings.warnings, has_gaps=bool(findings.problems))


def _journey(request: CteOsRequest, issuance: Issuance, findings: Findings) -> Journey:
    issue_day = TaxDay.of(issuance.emission.issued_at.date(), NAME)
    tax_day = corrected_day(issue_day, newest_first(request.corrected_keys))
    public, federal = request.government_purchase, request.federal_taxes
    contribution = contribution_of_taker(request.taker_contribution, request.taker_party, findings)
    is_of_passengers = request.service_type is OsServiceType.PASSENGERS
    # A service without places is one within the state; passengers must have places (752).
    usual_city = "" if is_of_passengers else issuance.company.address.city_code or ""
    return Journey(
        company=issuance.company,
        start=place_of(request.municipality_start_ibge or usual_city),
        end=place_of(request.municipality_end_ibge or usual_city),
        amount=request.service_amount,
        contribution=contribution,
        # Only the caller knows whether the end state gets a share: the passenger is the consumer, and
        # valuables are sent by their taker.
        is_paid_by_sender=True,
        issue_day=issue_day,
        tax_day=tax_day,
        repeats_rates=request.purpose is ServicePurpose.SUBSTITUTION,
        government_reduction=public.rate_reduction if public else None,
        other_taxes=_own_federal_taxes(federal.pis, federal.cofins) if federal else ZERO,
        # LC 87/1996, art. 11, § 8: passengers of a taker that pays no ICMS.
        has_internal_rate=(
            is_of_passengers and contribution is Contribution.NONE and request.taker_party is not None
        ),
        is_by_air=request.modal.kind is TransportMode.AIR,
    )


def _own_federal_taxes(pis: Decimal | None, cofins: Decimal | None) -> Decimal:
    return (pis or ZERO) + (cofins or ZERO)


def _identification(
    request: CteOsRequest, issuance: Issuance, key: AccessKey, journey: Journey, findings: Findings
) -> OsIdentification:
    company, emission, public = issuance.company, issuance.emission, request.government_purchase
    start = journey.start if request.municipality_start_ibge else None
    end = journey.end if request.municipality_end_ibge else None
    return OsIdentification(
        state_code=key.state_code,
        numeric_code=emission.numeric_code,
        cfop=request.cfop or assumed_cfop(journey, findings),
        nature=request.nature,
        model=MODEL,
        series=emission.series,
        number=emission.number,
        issued_at=emission.issued_at,
        print_format=_PORTRAIT,
        emission_type=emission.type,
        check_digit=key.check_digit,
        environment=emission.environment.code,
        purpose=request.purpose.code,
        issuing_process=_OWN_SOFTWARE,
        software_version=issuance.software.name,
        sent_from_city_code=company.address.city_code or "",
        sent_from_city=plain_name(company.address.city),
        sent_from_state=company.address.state,
        mode=request.modal.kind.code,
        service_type=request.service_type.code,
        taker_contribution=journey.contribution.code,
        start_city_code=start.city_code if start else None,
        start_city=start.city if start else None,
        start_state=start.state if start else None,
        end_city_code=end.city_code if end else None,
        end_city=end.city if end else None,
        end_state=end.state if end else None,
        route=tuple(RouteState(state=state) for state in _route(request, start, end, findings)),
        government_purchase=GovernmentTaker(**given_values(public)) if public else None,
    )


def _route(
    request: CteOsRequest, start: TransportPlace | None, end: TransportPlace | None, findings: Findings
) -> tuple[str, ...]:
    """Returns the states between start and end; for passengers by road, the shortest way if none is given."""
    is_required = (
        request.service_type is OsServiceType.PASSENGERS and request.modal.kind is TransportMode.ROAD
    )
    if request.route or not is_required or start is None or end is None:
        return request.route
    route = shortest_route(start.state, end.state)
    if route:
        findings.add_warning(
            f"route: Percurso não informado: usado o caminho com menos UFs, por {', '.join(route)}. Informe"
            " route se a viagem passa por outras."
        )
    return route


def _complement(request: CteOsRequest, findings: Findings) -> OsComplement | None:
    complement = OsComplement(
        transport_characteristic=request.transport_characteristic,
        service_characteristic=request.service_characteristic,
        issued_by=request.issued_by,
        notes=notes_of(request, findings),
        observations=request.observations,
        authority_observations=request.authority_observations,
    )
    return None if complement == _EMPTY_COMPLEMENT else complement


def _taker_group(request: CteOsRequest, findings: Findings) -> OsTaker | None:
    body = request.taker_party
    if body is None:
        return None
    return OsTaker(**party_values(body, "takerParty", None, findings), trade_name=body.trade_name)


def _taxes(request: CteOsRequest, journey: Journey, findings: Findings) -> OsTaxes | None:
    """Returns all taxes of the service; None if they can't be composed."""
    taxes = service_taxes(request, journey, findings)
    if taxes is None:
        return None
    if isinstance(taxes.icms, ServiceIcms60):
        message = "O CT-e OS não tem o CST 60: nele ninguém retém o ICMS como substituto tributário."
        hint = "Informe outro CST, ou retire icms.cst para que seja usado o que cabe à empresa."
        findings.add_problem(Problem(SCHEMA_PROBLEM, "icms.cst", message, hint, "MOC CT-e 4.00, grupo imp"))
        return None
    return OsTaxes(
        icms=taxes.icms,
        approximate_taxes=taxes.approximate_taxes,
        authority_notes=taxes.authority_notes,
        state_share=taxes.state_share,
        federal_taxes=_federal_taxes(request, findings),
        ibs_cbs=taxes.ibs_cbs,
        total=taxes.total,
    )


def _federal_taxes(request: CteOsRequest, findings: Findings) -> OsFederalTaxes | None:
    """Returns the federal taxes; with INSS if passengers are carried for a company (760)."""
    given, taker = given_values(request.federal_taxes), request.taker_party
    is_of_company = taker is not None and taker.tax_id is not None and is_cnpj(taker.tax_id)
    is_required = request.service_type is OsServiceType.PASSENGERS and is_of_company
    if is_required and "inss" not in given:
        findings.add_warning(
            "federalTaxes.inss: INSS não informado: o CT-e OS de pessoas a um tomador com CNPJ precisa dele,"
            " e vai com zero. Informe-o se há retenção."
        )
        given["inss"] = ZERO
    return OsFederalTaxes(**given) if given else None
