"""Composes a CT-e from request, company and emission."""

from collections.abc import Callable
from typing import Any

from carimbo.fiscal.documents.cte.cargo import cargo_group, documents_group, previous_group
from carimbo.fiscal.documents.cte.complement import complement_group
from carimbo.fiscal.documents.cte.modes.body import mode_group
from carimbo.fiscal.documents.cte.request import CteRequest, ServiceType, TakerRole
from carimbo.fiscal.documents.cte.settings import CteSettings
from carimbo.fiscal.identity.access_key import AccessKey, document_id
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cte_v4 import parties as layout
from carimbo.fiscal.layouts.cte_v4.identification import GovernmentTaker, WaybillIdentification
from carimbo.fiscal.layouts.cte_v4.service import (
    CarriedVehicle,
    Globalization,
    LinkedService,
    MultimodalWaybill,
    ReplacedWaybill,
    Service,
)
from carimbo.fiscal.layouts.cte_v4.taxes import FreightIbsCbs, ServiceIcmsOfSimples, ServiceTaxes
from carimbo.fiscal.layouts.cte_v4.waybill import ComplementedWaybill, Waybill
from carimbo.fiscal.layouts.filling import given_values
from carimbo.fiscal.making import Composition
from carimbo.fiscal.parties.recipient import reader_group
from carimbo.fiscal.problems import MISSING_FIELD, Findings, Incomplete, Problem
from carimbo.fiscal.taxes.trade import TaxDay, corrected_day
from carimbo.fiscal.transport.cfop import assumed_cfop
from carimbo.fiscal.transport.journey import Journey, contribution_of_taker, newest_first
from carimbo.fiscal.transport.parties import PartyBody, issuer_values, party_values
from carimbo.fiscal.transport.places import TransportPlace, place_of, plain_name
from carimbo.fiscal.transport.request import ServicePurpose, TransportMode
from carimbo.fiscal.transport.service_price import price_group
from carimbo.fiscal.transport.taxes import service_taxes
from carimbo.fiscal.transport.technical_responsible import responsible_group

MODEL = "57"
NAME = "cte"
_PORTRAIT, _OWN_SOFTWARE = "1", "0"
_PICKED_UP, _DELIVERED = "0", "1"
_FOR_CARRIERS = frozenset(
    {ServiceType.SUBCONTRACTING, ServiceType.REDISPATCH, ServiceType.INTERMEDIATE_REDISPATCH}
)
_WITHHELD = "60"
_DEFAULT_COMPONENT = "FRETE VALOR"
# In place of parts that can't be composed: the rest of the document is judged, but it is not written.
_UNKNOWN_TAXES = ServiceTaxes(
    icms=ServiceIcmsOfSimples(), ibs_cbs=FreightIbsCbs(cst="000", tax_class="000001")
)
_UNKNOWN_TAKER = layout.TakerByRole(role=TakerRole.OTHER.code)


def compose(request: CteRequest, issuance: Issuance) -> Composition[Waybill | None]:
    """Returns the document, with a problem for everything that the request lacks."""
    if issuance.unfilled:
        return Composition(None, issuance.unfilled, ())
    findings, company = Findings(), issuance.company
    taker = request.party_in(request.taker)
    journey = _journey(request, issuance, taker, findings)
    parties = _parties(request, issuance, findings)
    taxes = service_taxes(request, journey, findings)
    key = issuance.emission.access_key(MODEL, company)
    waybill = Waybill(
        id=document_id(key),
        identification=_identification(request, issuance, key, journey, findings),
        complement=complement_group(request, findings),
        issuer=layout.WaybillIssuer(**issuer_values(company, taker.state if taker else None)),
        **parties,
        price=price_group(request, _DEFAULT_COMPONENT, findings),
        taxes=taxes or _UNKNOWN_TAXES,
        service=_service(request, issuance, findings),
        complemented=tuple(ComplementedWaybill(access_key=key) for key in request.complemented_access_keys),
        authorized_readers=tuple(map(reader_group, request.authorized_readers)),
        technical_responsible=responsible_group(request.tech_responsible, issuance.software, key),
    )
    return Composition(waybill, findings.problems, findings.warnings, has_gaps=bool(findings.problems))


def _journey(request: CteRequest, issuance: Issuance, taker: PartyBody | None, findings: Findings) -> Journey:
    issue_day = TaxDay.of(issuance.emission.issued_at.date(), NAME)
    public = request.government_purchase
    return Journey(
        company=issuance.company,
        start=_place(request.municipality_start_ibge, "municipalityStartIbge", findings),
        end=_place(request.municipality_end_ibge, "municipalityEndIbge", findings),
        amount=request.service_amount,
        contribution=contribution_of_taker(request.taker_contribution, taker, findings),
        # Nobody owes the share of the end state if the taker is missing, which is reported.
        is_paid_by_sender=taker is None or _is_sender(taker, request),
        issue_day=issue_day,
        tax_day=corrected_day(issue_day, newest_first(request.corrected_keys)),
        repeats_rates=request.purpose is ServicePurpose.SUBSTITUTION,
        government_reduction=public.rate_reduction if public else None,
        is_by_air=request.modal.kind is TransportMode.AIR,
    )


def _is_sender(party: PartyBody, request: CteRequest) -> bool:
    """Returns whether a party sends the cargo, in whatever role it is given."""
    senders = map(request.party_in, (TakerRole.SHIPPER, TakerRole.DISPATCHER))
    return any(sender is not None and sender.tax_id == party.tax_id for sender in senders)


def _place(code: str | None, path: str, findings: Findings) -> TransportPlace:
    if code is None:
        findings.add_problem(Problem(MISSING_FIELD, path, "Campo obrigatório: código IBGE do município."))
    return place_of(code or "")


def _parties(request: CteRequest, issuance: Issuance, findings: Findings) -> dict[str, Any]:
    """Returns the groups of the four parties by the names of their fields."""
    environment = issuance.emission.environment

    def group(make: Callable[..., Any], body: PartyBody | None, path: str, **own: Any) -> Any:
        values = findings.attempt(party_values, body, path, environment, findings) if body else None
        return make(**values, **own) if values else None

    sender, recipient = request.shipper, request.recipient
    return {
        "sender": group(
            layout.CargoSender, sender, "shipper", trade_name=sender.trade_name if sender else None
        ),
        "dispatcher": group(layout.CargoDispatcher, request.dispatcher, "dispatcher"),
        "receiver": group(layout.CargoReceiver, request.receiver, "receiver"),
        "recipient": group(
            layout.CargoRecipient,
            recipient,
            "recipient",
            suframa_registration=recipient.suframa_registration if recipient else None,
        ),
    }


def _identification(
    request: CteRequest, issuance: Issuance, key: AccessKey, journey: Journey, findings: Findings
) -> WaybillIdentification:
    company, emission, public = issuance.company, issuance.emission, request.government_purchase
    start, end = journey.start, journey.end
    return WaybillIdentification(
        state_code=key.state_code,
        numeric_code=emission.numeric_code,
        cfop=request.cfop
        or assumed_cfop(
            journey,
            findings,
            is_for_carrier=request.service_type in _FOR_CARRIERS,
            is_withheld=request.icms.cst == _WITHHELD,
        ),
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
        is_globalized="1" if request.globalized else None,
        sent_from_city_code=company.address.city_code or "",
        sent_from_city=plain_name(company.address.city),
        sent_from_state=company.address.state,
        mode=request.modal.kind.code,
        service_type=request.service_type.code,
        start_city_code=start.city_code,
        start_city=start.city,
        start_state=start.state,
        end_city_code=end.city_code,
        end_city=end.city,
        end_state=end.state,
        receiver_picks_up=_PICKED_UP if request.receiver_picks_up else _DELIVERED,
        pickup_details=request.pickup_details,
        taker_contribution=journey.contribution.code,
        taker=findings.attempt(_taker_group, request, findings) or _UNKNOWN_TAKER,
        government_purchase=GovernmentTaker(**given_values(public)) if public else None,
    )


def _taker_group(request: CteRequest, findings: Findings) -> layout.TakerByRole | layout.OtherTaker:
    if request.taker is not TakerRole.OTHER:
        return layout.TakerByRole(role=request.taker.code)
    body = request.taker_party
    if body is None:
        raise Incomplete(Problem(MISSING_FIELD, "takerParty", "Obrigatório com taker other."))
    return layout.OtherTaker(**party_values(body, "takerParty", None, findings), trade_name=body.trade_name)


def _service(request: CteRequest, issuance: Issuance, findings: Findings) -> Service | None:
    """Returns what is carried, and how; None in a complement, and if the cargo is missing (458)."""
    if request.purpose is ServicePurpose.COMPLEMENT or request.cargo is None:
        return None
    cargo = findings.attempt(cargo_group, request.cargo)
    mode = findings.attempt(mode_group, request.modal, _rntrc(request, issuance))
    replaced, linked = request.substitution, request.multimodal_access_keys
    documents = findings.attempt(documents_group, request.documents, findings)
    previous = findings.attempt(previous_group, request.previous_documents)
    if cargo is None or mode is None:
        return None
    return Service(
        cargo=cargo,
        documents=documents,
        previous_documents=previous,
        mode=mode,
        new_vehicles=tuple(CarriedVehicle(**given_values(vehicle)) for vehicle in request.new_vehicles),
        billing=request.billing,
        substitution=ReplacedWaybill(
            access_key=replaced.access_key, changes_taker="1" if replaced.changes_taker else None
        )
        if replaced
        else None,
        globalized=Globalization(notes=request.globalized.notes) if request.globalized else None,
        linked_service=LinkedService(access_keys=tuple(MultimodalWaybill(access_key=key) for key in linked))
        if linked
        else None,
    )


def _rntrc(request: CteRequest, issuance: Issuance) -> str | None:
    """Returns the registration of the carrier: that of the request, else that of the settings."""
    settings = issuance.settings
    return request.rntrc or (settings.rntrc if isinstance(settings, CteSettings) else None)
