"""The road mode of a manifest (`rodo`), which has its own XSD: carrier, vehicles and drivers."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import ANY_NUMBER, INLINE, child, children, decimal, group, integer, text
from carimbo.fiscal.layouts.mdfe_v3.payment import FreightPayment

MAX_DRIVERS = 10
MAX_TRAILERS = 3


@group("infCIOT")
class Ciot:
    """`infCIOT`: the code of the transport operation, and who registered it at ANTT."""

    number: str | None = text("CIOT", 12, path="ciot", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)


@group("disp")
class TollVoucher:
    """`disp`: a toll voucher that was bought in advance."""

    supplier_tax_id: str = text("CNPJForn", 14)
    payer_cnpj: str | None = text("CNPJPg", 14, path="payerTaxId", default=None)
    payer_cpf: str | None = text("CPFPg", 11, path="payerTaxId", default=None)
    purchase_number: str | None = text("nCompra", 20, default=None)
    amount: Decimal = decimal("vValePed")
    type: str | None = text("tpValePed", 2, default=None)


@group("valePed")
class TollVouchers:
    """`valePed`: the toll vouchers, and the category of the vehicles by their axles."""

    vouchers: tuple[TollVoucher, ...] = children("disp", ANY_NUMBER, path="tollVouchers")
    category: str | None = text("categCombVeic", 2, path="/modal.tollAxles", default=None)


@group("infContrato")
class TransportContract:
    """`infContrato`: the contract of a contractor."""

    number: str = text("NroContrato", 20)
    amount: Decimal = decimal("vContratoGlobal", may_be_zero=False)


@group("infContratante")
class Contractor:
    """`infContratante`: who contracted the transport."""

    name: str | None = text("xNome", 60, default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    foreign_id: str | None = text("idEstrangeiro", 20, default=None)
    contract: TransportContract | None = child("infContrato", default=None)


@group("infANTT")
class RoadCarrier:
    """`infANTT`: what the agency of road transport asks for."""

    rntrc: str | None = text("RNTRC", 8, default=None)
    ciots: tuple[Ciot, ...] = children("infCIOT", ANY_NUMBER, default=())
    toll: TollVouchers | None = child("valePed", path=INLINE, default=None)
    contractors: tuple[Contractor, ...] = children("infContratante", ANY_NUMBER, default=())
    payments: tuple[FreightPayment, ...] = children("infPag", ANY_NUMBER, path="/payments", default=())


@group("prop")
class RoadVehicleOwner:
    """`prop`: the owner of a vehicle that is not the issuer's."""

    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    rntrc: str = text("RNTRC", 8)
    name: str = text("xNome", 60)
    state_registration: str | None = text("IE", 14, default=None)
    state: str | None = text("UF", 2, default=None)
    type: str = text("tpProp", 1)


@group("condutor")
class Driver:
    """`condutor`: a driver."""

    name: str = text("xNome", 60)
    cpf: str = text("CPF", 11, path="taxId")


@group("veicTracao")
class RoadVehicle:
    """`veicTracao`: the vehicle that drives, with its drivers."""

    code: str | None = text("cInt", 10, default=None)
    plate: str = text("placa", 7)
    renavam: str | None = text("RENAVAM", 11, default=None)
    tare_kg: int = integer("tara")
    capacity_kg: int | None = integer("capKG", default=None)
    capacity_m3: int | None = integer("capM3", default=None)
    owner: RoadVehicleOwner | None = child("prop", default=None)
    drivers: tuple[Driver, ...] = children("condutor", MAX_DRIVERS, path="/drivers")
    wheel_type: str = text("tpRod", 2)
    body_type: str = text("tpCar", 2)
    state: str | None = text("UF", 2, default=None)


@group("veicReboque")
class Trailer:
    """`veicReboque`: a vehicle that is drawn."""

    code: str | None = text("cInt", 10, default=None)
    plate: str = text("placa", 7)
    renavam: str | None = text("RENAVAM", 11, default=None)
    tare_kg: int = integer("tara")
    capacity_kg: int = integer("capKG")
    capacity_m3: int | None = integer("capM3", default=None)
    owner: RoadVehicleOwner | None = child("prop", default=None)
    body_type: str = text("tpCar", 2)
    state: str | None = text("UF", 2, default=None)


@group("lacRodo")
class RoadSeal:
    """`lacRodo`: the number of a seal."""

    number: str = text("nLacre", 20, path=INLINE)


@group("rodo")
class ManifestRoad:
    """`rodo`: the transport by road."""

    carrier: RoadCarrier | None = child("infANTT", path=INLINE, default=None)
    vehicle: RoadVehicle = child("veicTracao")
    trailers: tuple[Trailer, ...] = children("veicReboque", MAX_TRAILERS, default=())
    port_scheduling_code: str | None = text("codAgPorto", 16, default=None)
    seals: tuple[RoadSeal, ...] = children("lacRodo", ANY_NUMBER, default=())
