"""Rules about vehicles, owners, drivers and what ANTT asks for."""

import re
from collections.abc import Iterator

from carimbo.fiscal.calendar import DatedRule
from carimbo.fiscal.documents.mdfe.request import CarrierType
from carimbo.fiscal.documents.mdfe.road import owner_of_vehicle
from carimbo.fiscal.documents.mdfe.road_body import ManifestOwnerBody, WheelType
from carimbo.fiscal.documents.mdfe.rules.rule import ManifestCheck, ManifestInput, manual
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.layouts.mdfe_v3.road import Contractor
from carimbo.fiscal.rules import At, RuleBook, Severity
from carimbo.fiscal.transport.places import ABROAD
from carimbo.fiscal.transport.rules.rule import MODE_CODE

RULES: RuleBook[ManifestCheck] = RuleBook(when=lambda document: document.road is not None)

AXLES_WITHOUT_VOUCHERS = "AXLES_WITHOUT_VOUCHERS"
_NATIONAL_PLATE = re.compile("[A-Z]{3}[0-9][A-Z0-9][0-9]{2}")
_VEHICLES, _OWNER, _DRIVERS = manual("veículos"), manual("proprietário do veículo"), manual("condutores")
_HIRED, _CONTRACTORS = manual("tipo de transportador"), manual("contratantes")
_TOLL, _ROAD = manual("vale-pedágio"), manual("modal rodoviário")
_TAC, _ETC, _CTC = (kind.code for kind in (CarrierType.TAC, CarrierType.ETC, CarrierType.CTC))


def _owners(document: ManifestInput) -> Iterator[tuple[str, ManifestOwnerBody]]:
    """Yields the owners of all vehicles with their paths in the body."""
    road = document.request.road
    if road is None:
        return
    if road.vehicle.owner:
        yield "modal.vehicle.owner", road.vehicle.owner
    for position, trailer in enumerate(road.trailers):
        if trailer.owner:
            yield f"modal.trailers[{position}].owner", trailer.owner


@RULES.rule("646", _VEHICLES, "A placa não tem o formato nacional: AAA9999 ou AAA9A99.")
def national_plate(document: ManifestInput) -> Iterator[At]:
    """Refuses plates of another form in a transport within Brazil."""
    road = document.road
    if road is None or ABROAD in (document.start_state, document.end_state):
        return
    plates = {"modal.vehicle.plate": road.vehicle.plate} | {
        f"modal.trailers[{position}].plate": trailer.plate for position, trailer in enumerate(road.trailers)
    }
    yield from (At(path) for path, plate in plates.items() if not _NATIONAL_PLATE.fullmatch(plate))


@RULES.rule("523", _VEHICLES, "O cavalo mecânico não anda sem reboque.")
def tractor_without_trailer(document: ManifestInput) -> At | None:
    """Refuses a tractor without a trailer."""
    road = document.request.road
    is_tractor = road is not None and road.vehicle.wheel_type is WheelType.TRACTOR
    return At("modal.trailers") if road and is_tractor and not road.trailers else None


@RULES.rule(
    MODE_CODE,
    _DRIVERS,
    "Os condutores estão em drivers e em modal.drivers.",
    hint="Informe todos os condutores em um só dos dois lugares.",
)
def drivers_in_two_places(document: ManifestInput) -> At | None:
    """Refuses drivers in both places: one list might be meant to replace the other."""
    road = document.request.road
    return At("modal.drivers") if road and road.drivers and document.request.drivers else None


@RULES.rule("577", _DRIVERS, "O mesmo condutor está mais de uma vez no MDF-e.")
def repeated_driver(document: ManifestInput) -> Iterator[At]:
    """Refuses a driver that is listed twice."""
    path = "drivers" if document.request.drivers else "modal.drivers"
    seen: set[str] = set()
    for position, driver in enumerate(document.request.all_drivers):
        if driver.tax_id in seen:
            yield At(f"{path}[{position}].taxId")
        seen.add(driver.tax_id)


@RULES.rule("740", _OWNER, "O proprietário informado é o próprio emitente: o grupo só cabe a terceiros.")
def issuer_as_owner(document: ManifestInput) -> Iterator[At]:
    """Refuses the issuer as the owner of a vehicle."""
    issuer = document.issuer.cnpj or document.issuer.cpf
    return (At(path) for path, owner in _owners(document) if owner.tax_id == issuer)


@RULES.rule(
    MODE_CODE,
    _OWNER,
    "A inscrição estadual do proprietário e a UF dela devem ir juntas.",
    hint="Informe as duas, ou nenhuma.",
)
def whole_registration_of_an_owner(document: ManifestInput) -> Iterator[At]:
    """Refuses a registration of an owner without its state, and a state without registration."""
    for path, owner in _owners(document):
        if (owner.state_registration is None) is not (owner.state is None):
            yield At(f"{path}.{'state' if owner.state is None else 'stateRegistration'}")


@RULES.rule("743", _HIRED, "O veículo é de pessoa física: o transportador contratado é tac.")
def person_as_owner(document: ManifestInput) -> At | None:
    """Refuses another kind of carrier than an autonomous one if a person owns the vehicle."""
    owner = document.owner
    is_wrong = document.identification.carrier_type != _TAC
    return At("carrierType") if owner and is_cpf(owner.tax_id) and is_wrong else None


@RULES.rule("744", _HIRED, "O veículo é de empresa: o transportador contratado é etc ou ctc.")
def company_as_owner(document: ManifestInput) -> At | None:
    """Refuses an autonomous carrier if a company owns the vehicle."""
    owner = document.owner
    is_wrong = document.identification.carrier_type not in (_ETC, _CTC)
    return At("carrierType") if owner and not is_cpf(owner.tax_id) and is_wrong else None


@RULES.rule("745", _HIRED, "Não há transportador contratado com veículo do próprio emitente.")
def carrier_without_owner(document: ManifestInput) -> At | None:
    """Refuses a hired carrier without the owner of the vehicle."""
    is_hired = document.identification.carrier_type is not None
    return At("carrierType") if owner_of_vehicle(document.request) is None and is_hired else None


@RULES.rule("688", _ROAD, "Falta o RNTRC do transportador.")
def registration_missing(document: ManifestInput) -> At | None:
    """Refuses a carrier without its registration at ANTT."""
    return At("modal.rntrc") if document.is_of_carrier and not document.carrier.rntrc else None


# Since these days the authority refuses it (NT MDF-e 2026.001).
@RULES.rule("684", "NT MDF-e 2026.001", "Falta o CIOT da operação de transporte.")
def operation_code_missing(document: ManifestInput) -> At | None:
    """Refuses hired transport without the code of the operation, from the day when it is required."""
    is_production = document.identification.environment == Environment.PRODUCTION.code
    rule = DatedRule.MDFE_CIOT_REQUIRED if is_production else DatedRule.MDFE_CIOT_REQUIRED_IN_HOMOLOGATION
    is_required = document.carries_for_others and rule in document.rules_in_force
    return At("modal.ciots") if is_required and not document.carrier.ciots else None


@RULES.rule("578", _CONTRACTORS, "Falta o contratante do transporte.")
def contractor_missing(document: ManifestInput) -> At | None:
    """Refuses hired transport without contractor, operation code and payer of the toll."""
    carrier = document.carrier
    vouchers = carrier.toll.vouchers if carrier.toll else ()
    has_payer = any(voucher.payer_cnpj or voucher.payer_cpf for voucher in vouchers)
    is_missing = not (carrier.contractors or carrier.ciots or has_payer)
    return At("modal.contractors") if document.carries_for_others and is_missing else None


def _tax_id(contractor: Contractor) -> str | None:
    return contractor.cnpj or contractor.cpf or contractor.foreign_id


def _field_of_id(contractor: Contractor) -> str:
    return "foreignId" if contractor.foreign_id else "taxId"


@RULES.rule("741", _CONTRACTORS, "Com veículo de terceiro, o contratante deve ser o próprio emitente.")
def another_contractor(document: ManifestInput) -> Iterator[At]:
    """Refuses contractors other than the issuer on the vehicle of an owner."""
    issuer = document.issuer.cnpj or document.issuer.cpf
    for position, contractor in enumerate(document.carrier.contractors):
        if document.owner and _tax_id(contractor) not in (None, issuer):
            yield At(f"modal.contractors[{position}].{_field_of_id(contractor)}")


@RULES.rule("742", _CONTRACTORS, "O mesmo contratante está mais de uma vez no MDF-e.")
def repeated_contractor(document: ManifestInput) -> Iterator[At]:
    """Refuses a contractor that is listed twice."""
    seen: set[str | None] = {None}
    for position, contractor in enumerate(document.carrier.contractors):
        tax_id = _tax_id(contractor)
        if tax_id in seen and tax_id is not None:
            yield At(f"modal.contractors[{position}].{_field_of_id(contractor)}")
        seen.add(tax_id)


@RULES.rule(
    MODE_CODE,
    _CONTRACTORS,
    "O contratante deve ter CPF ou CNPJ, ou documento de estrangeiro, só um deles.",
    hint="Informe taxId ou foreignId, um só dos dois.",
)
def contractor_with_one_id(document: ManifestInput) -> Iterator[At]:
    """Refuses a contractor with two identifications, or with none."""
    road = document.request.road
    for position, contractor in enumerate(road.contractors if road else ()):
        if (contractor.tax_id is None) is (contractor.foreign_id is None):
            yield At(f"modal.contractors[{position}].{'foreignId' if contractor.foreign_id else 'taxId'}")


@RULES.rule("731", _TOLL, "Com vale-pedágio, falta o número de eixos do conjunto de veículos.")
def axles_missing(document: ManifestInput) -> At | None:
    """Refuses toll vouchers without the number of axles."""
    toll = document.carrier.toll
    return At("modal.tollAxles") if toll and toll.category is None else None


@RULES.rule(
    AXLES_WITHOUT_VOUCHERS,
    _TOLL,
    "Os eixos só vão no MDF-e com vale-pedágio, e não foram escritos.",
    severity=Severity.WARNS,
    hint="Informe modal.tollVouchers, ou retire modal.tollAxles.",
)
def axles_without_vouchers(document: ManifestInput) -> At | None:
    """Warns of axles that are not written, because there are no toll vouchers."""
    road = document.request.road
    return At("modal.tollAxles") if road and road.toll_axles and not road.toll_vouchers else None


NOT_BY_ROAD: RuleBook[ManifestCheck] = RuleBook(when=lambda document: document.road is None)
"""Rules for the other modes."""


@NOT_BY_ROAD.rule(
    MODE_CODE,
    _ROAD,
    "O campo só existe no modal rodoviário.",
    hint="Retire o campo, ou informe modal.kind road com os dados dele.",
)
def fields_of_the_road(document: ManifestInput) -> Iterator[At]:
    """Refuses drivers, payments and a hired carrier in other modes."""
    request = document.request
    given = {"drivers": request.drivers, "payments": request.payments, "carrierType": request.carrier_type}
    return (At(name) for name, value in given.items() if value)
