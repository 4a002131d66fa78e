"""Rules about the road: registration of the carrier, vehicle, owner and charter."""

from collections.abc import Iterator

from carimbo.fiscal.documents.cteos.request import OsServiceType
from carimbo.fiscal.documents.cteos.rules.rule import OsCheck, OsInput
from carimbo.fiscal.documents.cteos.service import has_road_group
from carimbo.fiscal.documents.cteos.vehicle_body import CharterBody, CharterType, VehicleOwnerBody
from carimbo.fiscal.rules import At, RuleBook
from carimbo.fiscal.transport.rules.rule import SCHEMA_CODE, manual

RULES: RuleBook[OsCheck] = RuleBook(when=lambda document: not document.is_complement)

CARRIER_REGISTRATION, OWNER_IS_ISSUER = "CARRIER_REGISTRATION", "OWNER_IS_ISSUER"
TRIP_OF_CONTINUOUS_CHARTER = "TRIP_OF_CONTINUOUS_CHARTER"
_ROAD, _CHARTER, _OWNER = manual("modal rodoviário"), manual("fretamento"), manual("proprietário do veículo")
_TAF, _AGENCY = "taf", "stateAgencyRegistration"


def _is_within_a_state(document: OsInput) -> bool:
    return document.start_state == document.end_state


def _has_registration(document: OsInput) -> bool:
    return bool(document.request.taf or document.request.state_agency_registration)


@RULES.rule("798", _ROAD, "O transporte de bagagem por rodovia tem o TAF ou o registro estadual.")
def registration_missing(document: OsInput) -> At | None:
    """Refuses a service by road without a registration; 839 and 840 say which one passengers need."""
    is_required = has_road_group(document.request) and not document.carries_passengers
    return At(_TAF) if is_required and not _has_registration(document) else None


# The API demands it of every CT-e OS, also where the layout has no place for it.
@RULES.rule(
    CARRIER_REGISTRATION,
    "Contrato da API",
    "Falta o TAF ou o registro estadual do transportador.",
    hint="Informe taf ou stateAgencyRegistration, que fica guardado com o documento.",
)
def registration_missing_without_road(document: OsInput) -> At | None:
    """Refuses a service without the group of the road and without a registration."""
    is_missing = not has_road_group(document.request) and not _has_registration(document)
    return At(_TAF) if is_missing else None


@RULES.rule("839", _ROAD, "O transporte de pessoas dentro de uma UF tem o registro no órgão estadual.")
def passengers_within_a_state(document: OsInput) -> At | None:
    """Refuses passengers within a state without the registration at its agency."""
    is_missing = document.carries_passengers_by_road and not document.request.state_agency_registration
    return At(_AGENCY) if is_missing and document.has_places and _is_within_a_state(document) else None


@RULES.rule("840", _ROAD, "O transporte de pessoas entre UFs tem o TAF da ANTT.")
def passengers_between_states(document: OsInput) -> At | None:
    """Refuses passengers between states, or to another country, without a TAF."""
    is_missing = document.carries_passengers_by_road and not document.request.taf
    return At(_TAF) if is_missing and document.has_places and not _is_within_a_state(document) else None


@RULES.rule(
    "829",
    _ROAD,
    "Este serviço não leva dados do modal rodoviário.",
    hint="Retire o campo: por rodovia, pessoas e bagagem levam o veículo, e só pessoas o fretamento.",
)
def road_data_out_of_place(document: OsInput) -> Iterator[At]:
    """Refuses vehicle and charter where the layout has no place for them."""
    if has_road_group(document.request):
        return
    if document.request.vehicle:
        yield At("vehicle")
    if document.request.charter:
        yield At("charter")


@RULES.rule("841", _CHARTER, "O transporte de pessoas por rodovia tem os dados do fretamento.")
def charter_missing(document: OsInput) -> At | None:
    """Refuses passengers by road without a charter."""
    is_missing = document.carries_passengers_by_road and document.request.charter is None
    return At("charter") if is_missing else None


@RULES.rule(
    SCHEMA_CODE,
    _CHARTER,
    "Só o transporte de pessoas tem fretamento.",
    hint="Retire charter, ou corrija serviceType.",
)
def charter_of_baggage(document: OsInput) -> At | None:
    """Refuses a charter of excess baggage; 829 refuses that of valuables."""
    is_baggage = document.request.service_type is OsServiceType.EXCESS_BAGGAGE
    return At("charter") if is_baggage and document.is_by_road and document.request.charter else None


def _charter(document: OsInput) -> CharterBody | None:
    """Returns the charter; other rules refuse that of another service than passengers by road."""
    return document.request.charter if document.carries_passengers_by_road else None


@RULES.rule("837", _CHARTER, "O fretamento eventual tem a data e a hora da viagem.")
def trip_missing(document: OsInput) -> At | None:
    """Refuses an occasional charter without the moment of its trip."""
    charter = _charter(document)
    is_missing = charter is not None and charter.type is CharterType.OCCASIONAL and charter.trip_at is None
    return At("charter.tripAt") if is_missing else None


@RULES.rule("838", _CHARTER, "A viagem não é posterior à emissão do CT-e OS.")
def trip_before_the_issue(document: OsInput) -> At | None:
    """Refuses a trip that is not after the moment of issue."""
    service = document.waybill.service
    charter = service.mode.mode.charter if service and service.mode else None
    if charter is None or charter.trip_at is None or charter.type != CharterType.OCCASIONAL.code:
        return None
    is_early = charter.trip_at <= document.identification.issued_at
    return At("charter.tripAt") if is_early else None


@RULES.rule(
    TRIP_OF_CONTINUOUS_CHARTER,
    _CHARTER,
    "O fretamento contínuo não tem uma só viagem.",
    hint="Retire charter.tripAt, ou use charter.type occasional.",
)
def trip_of_a_continuous_charter(document: OsInput) -> At | None:
    """Refuses the moment of a trip in a continuous charter."""
    charter = _charter(document)
    is_given = charter is not None and charter.type is CharterType.CONTINUOUS and charter.trip_at is not None
    return At("charter.tripAt") if is_given else None


def _owner(document: OsInput) -> VehicleOwnerBody | None:
    """Returns the owner of the vehicle; 829 refuses the vehicle where the layout has no place for it."""
    vehicle = document.request.vehicle
    return vehicle.owner if vehicle and has_road_group(document.request) else None


@RULES.rule(
    SCHEMA_CODE,
    _OWNER,
    "O proprietário do veículo tem o TAF ou o registro estadual, e não os dois.",
    hint="Informe um só, taf ou stateAgencyRegistration, do proprietário.",
)
def registration_of_the_owner(document: OsInput) -> At | None:
    """Refuses an owner with none of the registrations, or with both."""
    owner = _owner(document)
    if owner is None or bool(owner.taf) is not bool(owner.state_agency_registration):
        return None
    return At("vehicle.owner.stateAgencyRegistration" if owner.taf else "vehicle.owner.taf")


@RULES.rule(
    SCHEMA_CODE,
    _OWNER,
    "A inscrição estadual do proprietário e a UF dela vão juntas.",
    hint="Informe stateRegistration e state do proprietário, ou nenhum dos dois.",
)
def half_of_the_owners_registration(document: OsInput) -> At | None:
    """Refuses a state registration of the owner without its state, and the other way round."""
    owner = _owner(document)
    if owner is None or bool(owner.state_registration) is bool(owner.state):
        return None
    return At("vehicle.owner.state" if owner.state_registration else "vehicle.owner.stateRegistration")


@RULES.rule(
    OWNER_IS_ISSUER,
    _OWNER,
    "O proprietário informado é a própria empresa.",
    hint="Retire vehicle.owner: o veículo sem proprietário é da empresa.",
)
def owner_that_is_the_issuer(document: OsInput) -> At | None:
    """Refuses the issuer as owner of the vehicle."""
    owner = _owner(document)
    is_issuer = owner is not None and owner.tax_id == document.issuer.cnpj
    return At("vehicle.owner.taxId") if is_issuer else None
