"""The road mode of a manifest as a group of the layout, with what follows from the owner of the vehicle."""

from collections.abc import Mapping

from carimbo.fiscal.documents.mdfe.payment_body import payment_group
from carimbo.fiscal.documents.mdfe.request import CarrierType, IssuerType, MdfeRequest
from carimbo.fiscal.documents.mdfe.road_body import (
    BodyType,
    CiotBody,
    ContractorBody,
    ManifestOwnerBody,
    ManifestOwnerType,
    ManifestRoadBody,
    ManifestVehicleBody,
    TollVoucherBody,
    TrailerBody,
    WheelType,
)
from carimbo.fiscal.identity.tax_ids import is_cpf
from carimbo.fiscal.issuance import Issuance
from carimbo.fiscal.layouts.mdfe_v3 import road as layout
from carimbo.fiscal.parties.company import Company
from carimbo.fiscal.parties.recipient import shortened_name, split_tax_id
from carimbo.fiscal.problems import MISSING_FIELD, Findings, Problem
from carimbo.fiscal.transport.settings import CarrierSettings

_CATEGORIES: Mapping[int, str] = {
    2: "02",
    3: "04",
    4: "06",
    5: "07",
    6: "08",
    7: "10",
    8: "11",
    9: "12",
    10: "13",
}
"""The category of vehicles for the toll by their axles (`categCombVeic`)."""
_MORE_AXLES = "14"
_CARRIERS = frozenset({IssuerType.CARRIER, IssuerType.GLOBALIZED_CARRIER})
_NO_CARRIER = layout.RoadCarrier()


def owner_of_vehicle(request: MdfeRequest) -> ManifestOwnerBody | None:
    """Returns the owner of the vehicle that drives, if it is not the issuer's."""
    return request.road.vehicle.owner if request.road else None


def carrier_type_of(request: MdfeRequest) -> str | None:
    """Returns the kind of carrier that was hired (`tpTransp`): the caller's, else by the owner."""
    if request.carrier_type is not None:
        return request.carrier_type.code
    owner = owner_of_vehicle(request)
    if owner is None:
        return None
    return (CarrierType.TAC if is_cpf(owner.tax_id) else CarrierType.ETC).code


def road_group(
    request: MdfeRequest, body: ManifestRoadBody, issuance: Issuance, findings: Findings
) -> layout.ManifestRoad:
    """Returns the group of a transport by road; what it lacks is added to the findings."""
    if not request.all_drivers:
        message = "Campo obrigatório: informe ao menos um condutor."
        findings.add_problem(Problem(MISSING_FIELD, "drivers", message))
    carrier = _carrier_group(request, body, issuance, findings)
    return layout.ManifestRoad(
        carrier=None if carrier == _NO_CARRIER else carrier,
        vehicle=_vehicle_group(request, body.vehicle, findings),
        trailers=tuple(
            _trailer_group(trailer, f"modal.trailers[{position}]", findings)
            for position, trailer in enumerate(body.trailers)
        ),
        port_scheduling_code=body.port_scheduling_code,
        seals=tuple(layout.RoadSeal(number=seal) for seal in body.seals),
    )


def _carrier_group(
    request: MdfeRequest, body: ManifestRoadBody, issuance: Issuance, findings: Findings
) -> layout.RoadCarrier:
    return layout.RoadCarrier(
        rntrc=body.rntrc or _rntrc_of_settings(request, issuance),
        ciots=tuple(map(_ciot_group, body.ciots)),
        toll=_toll_group(body),
        contractors=_contractors(request, body, issuance.company, findings),
        payments=tuple(map(payment_group, request.payments)),
    )


def _rntrc_of_settings(request: MdfeRequest, issuance: Issuance) -> str | None:
    """Returns the RNTRC of the company's settings of CT-e; carriers have it, own cargo need not."""
    if request.effective_issuer_type not in _CARRIERS:
        return None
    of_carriers = (settings for settings in issuance.other_settings if isinstance(settings, CarrierSettings))
    return next((settings.rntrc for settings in of_carriers if settings.rntrc), None)


def _ciot_group(body: CiotBody) -> layout.Ciot:
    cnpj, cpf = split_tax_id(body.tax_id)
    return layout.Ciot(number=body.ciot, cpf=cpf, cnpj=cnpj)


def _toll_group(body: ManifestRoadBody) -> layout.TollVouchers | None:
    if not body.toll_vouchers:
        return None
    axles = body.toll_axles
    return layout.TollVouchers(
        vouchers=tuple(map(_voucher_group, body.toll_vouchers)),
        category=None if axles is None else _CATEGORIES.get(axles, _MORE_AXLES),
    )


def _voucher_group(body: TollVoucherBody) -> layout.TollVoucher:
    cnpj, cpf = split_tax_id(body.payer_tax_id)
    return layout.TollVoucher(
        supplier_tax_id=body.supplier_tax_id,
        payer_cnpj=cnpj,
        payer_cpf=cpf,
        purchase_number=body.purchase_number,
        amount=body.amount,
        type=body.type.code if body.type else None,
    )


def _contractors(
    request: MdfeRequest, body: ManifestRoadBody, company: Company, findings: Findings
) -> tuple[layout.Contractor, ...]:
    """Returns the contractors; on the vehicle of an owner only the issuer can be one (741)."""
    if body.contractors or owner_of_vehicle(request) is None:
        return tuple(map(_contractor_group, body.contractors))
    findings.add_warning(
        "modal.contractors: Contratante não informado: usada a própria empresa, que contrata o veículo."
    )
    cnpj, cpf = split_tax_id(company.tax_id)
    return (layout.Contractor(name=shortened_name(company.legal_name), cpf=cpf, cnpj=cnpj),)


def _contractor_group(body: ContractorBody) -> layout.Contractor:
    cnpj, cpf = split_tax_id(body.tax_id)
    contract = body.contract
    return layout.Contractor(
        name=body.name,
        cpf=cpf,
        cnpj=cnpj,
        foreign_id=body.foreign_id,
        contract=layout.TransportContract(number=contract.number, amount=contract.amount)
        if contract
        else None,
    )


def _vehicle_group(request: MdfeRequest, body: ManifestVehicleBody, findings: Findings) -> layout.RoadVehicle:
    kind = body.body_type
    if kind is None and body.wheel_type is WheelType.TRACTOR:
        kind = BodyType.NONE
    if kind is None:
        findings.add_problem(Problem(MISSING_FIELD, "modal.vehicle.bodyType", "Campo obrigatório."))
    return layout.RoadVehicle(
        code=body.code,
        plate=body.plate,
        renavam=body.renavam,
        tare_kg=body.tare_kg,
        capacity_kg=body.capacity_kg,
        capacity_m3=body.capacity_m3,
        owner=_owner_group(body.owner, "modal.vehicle.owner", findings),
        drivers=tuple(layout.Driver(name=driver.name, cpf=driver.tax_id) for driver in request.all_drivers),
        wheel_type=body.wheel_type.code,
        body_type=(kind or BodyType.NONE).code,
        state=body.state,
    )


def _trailer_group(body: TrailerBody, path: str, findings: Findings) -> layout.Trailer:
    return layout.Trailer(
        code=body.code,
        plate=body.plate,
        renavam=body.renavam,
        tare_kg=body.tare_kg,
        capacity_kg=body.capacity_kg,
        capacity_m3=body.capacity_m3,
        owner=_owner_group(body.owner, f"{path}.owner", findings),
        body_type=body.body_type.code,
        state=body.state,
    )


def _owner_group(
    body: ManifestOwnerBody | None, path: str, findings: Findings
) -> layout.RoadVehicleOwner | None:
    if body is None:
        return None
    cnpj, cpf = split_tax_id(body.tax_id)
    if body.type is None and cpf:
        message = "Campo obrigatório: com CPF, informe aggregatedTac ou independentTac."
        findings.add_problem(Problem(MISSING_FIELD, f"{path}.type", message))
    return layout.RoadVehicleOwner(
        cpf=cpf,
        cnpj=cnpj,
        rntrc=body.rntrc,
        name=body.name,
        state_registration=body.state_registration,
        state=body.state,
        type=(body.type or ManifestOwnerType.OTHER).code,
    )
