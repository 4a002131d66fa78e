"""The service of a CT-e OS as groups of the layout: description, tickets, vehicle, charter and guides."""

from carimbo.fiscal.documents.cteos.request import (
    CteOsRequest,
    GtveBody,
    OsServiceType,
    ReferencedTicketBody,
)
from carimbo.fiscal.documents.cteos.vehicle_body import CharterBody, VehicleBody, VehicleOwnerBody
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.cteos_v4.road import Charter, OsRoad, Vehicle, VehicleOwner
from carimbo.fiscal.layouts.cteos_v4.service import (
    GtveComponent,
    OsMode,
    OsService,
    ReferencedGtve,
    ReferencedTicket,
    ReplacedOsWaybill,
    ServiceDescription,
    ServiceQuantity,
    TripInsurance,
)
from carimbo.fiscal.layouts.filling import given_values
from carimbo.fiscal.parties.recipient import shortened_name, split_tax_id
from carimbo.fiscal.problems import MISSING_FIELD, Findings, Problem
from carimbo.fiscal.transport.moments import moment_at
from carimbo.fiscal.transport.request import ServicePurpose, TransportMode

_MAX_DESCRIPTION_LENGTH = 30
MAX_NOTES_LENGTH = 2000
NOTES_TOO_LONG = "NOTES_TOO_LONG"


def has_road_group(request: CteOsRequest) -> bool:
    """Returns whether the layout has the group of the road mode: not for valuables (829)."""
    is_by_road = request.modal.kind is TransportMode.ROAD
    return is_by_road and request.service_type is not OsServiceType.VALUABLES


def service_group(request: CteOsRequest, issuance: Issuance, findings: Findings) -> OsService | None:
    """Returns the service; None in a complement, and if its description is missing."""
    if request.purpose is ServicePurpose.COMPLEMENT:
        _warn_of_unwritten_fields(request, findings)
        return None
    if request.service_description is None:
        findings.add_problem(Problem(MISSING_FIELD, "serviceDescription", "Campo obrigatório."))
        return None
    quantity, replaced = request.service_quantity, request.substitution
    return OsService(
        service=ServiceDescription(
            description=_short_description(request.service_description),
            quantity=ServiceQuantity(quantity=quantity) if quantity is not None else None,
        ),
        referenced_documents=tuple(map(_ticket, request.referenced_documents)),
        insurance=tuple(
            TripInsurance(**{**given_values(body), "responsible": body.responsible.code})
            for body in request.insurance
        ),
        mode=_mode(request, issuance, findings),
        substitution=ReplacedOsWaybill(access_key=replaced.access_key) if replaced else None,
        canceled_access_key=request.canceled_access_key,
        billing=request.billing,
        gtves=tuple(map(_guide, request.gtves)),
    )


def _warn_of_unwritten_fields(request: CteOsRequest, findings: Findings) -> None:
    """Warns of fields that the API accepts in a complement, whose layout has no place for them."""
    given = {
        "serviceDescription": request.service_description,
        "taf": request.taf,
        "stateAgencyRegistration": request.state_agency_registration,
    }
    for path, value in given.items():
        if value is not None:
            findings.add_warning(
                f"{path}: O CT-e OS de complemento não leva este campo: o valor fica guardado, e não vai no"
                " XML."
            )


def _short_description(description: str) -> str:
    """Returns the part of a description that fits into its field, cut at a word if it has several."""
    if len(description) <= _MAX_DESCRIPTION_LENGTH:
        return description
    beginning = description[: _MAX_DESCRIPTION_LENGTH + 1]
    whole_words, space, _ = beginning.rpartition(" ")
    return whole_words.rstrip() if space else description[:_MAX_DESCRIPTION_LENGTH]


def notes_of(request: CteOsRequest, findings: Findings) -> str | None:
    """Returns the notes, which begin with a description that is too long for its own field."""
    description = request.service_description
    is_complement = request.purpose is ServicePurpose.COMPLEMENT
    if is_complement or description is None or len(description) <= _MAX_DESCRIPTION_LENGTH:
        return request.notes
    end = "" if description.endswith((".", "!", "?")) else "."
    notes = f"{description}{end} {request.notes}" if request.notes else description
    if len(notes) > MAX_NOTES_LENGTH:
        findings.add_problem(
            Problem(
                NOTES_TOO_LONG,
                "notes",
                "A descrição do serviço passa de 30 caracteres e vai inteira nas observações: juntas, as duas"
                f" têm {len(notes)} caracteres, e o máximo é {MAX_NOTES_LENGTH}.",
                "Encurte serviceDescription ou notes.",
            )
        )
    return notes[:MAX_NOTES_LENGTH].rstrip()


def _ticket(body: ReferencedTicketBody) -> ReferencedTicket:
    return ReferencedTicket(**given_values(body))


def _mode(request: CteOsRequest, issuance: Issuance, findings: Findings) -> OsMode | None:
    """Returns the road mode; None for a service without it, with a warning about what is not written."""
    if not has_road_group(request):
        if request.taf or request.state_agency_registration:
            path = "taf" if request.taf else "stateAgencyRegistration"
            findings.add_warning(
                f"{path}: O CT-e OS de valores, ou de modal diferente do rodoviário, não leva TAF nem"
                " registro estadual: o valor fica guardado, e não vai no XML."
            )
        return None
    if not (request.taf or request.state_agency_registration):
        # Rules refuse the document.
        return None
    vehicle, charter = request.vehicle, request.charter
    return OsMode(
        mode=OsRoad(
            taf=request.taf,
            state_agency_registration=request.state_agency_registration,
            vehicle=_vehicle(vehicle) if vehicle else None,
            charter=_charter(charter, issuance.company.address.state, findings) if charter else None,
        )
    )


def _vehicle(body: VehicleBody) -> Vehicle:
    return Vehicle(
        plate=body.plate,
        renavam=body.renavam,
        owner=_owner(body.owner) if body.owner else None,
        state=body.state,
    )


def _owner(body: VehicleOwnerBody) -> VehicleOwner:
    cnpj, cpf = split_tax_id(body.tax_id)
    # The layout takes registration and state only together.
    has_registration = body.state_registration and body.state
    return VehicleOwner(
        cpf=cpf,
        cnpj=cnpj,
        taf=body.taf,
        state_agency_registration=body.state_agency_registration,
        name=shortened_name(body.name),
        state_registration=body.state_registration if has_registration else None,
        state=body.state if has_registration else None,
        type=body.type.code,
    )


def _charter(body: CharterBody, state: str, findings: Findings) -> Charter:
    return Charter(type=body.type.code, trip_at=moment_at("charter.tripAt", body.trip_at, state, findings))


def _guide(body: GtveBody) -> ReferencedGtve:
    return ReferencedGtve(
        access_key=body.access_key,
        components=tuple(
            GtveComponent(type=part.type.code, amount=part.amount, description=part.description)
            for part in body.components
        ),
    )
