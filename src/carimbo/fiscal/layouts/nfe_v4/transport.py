"""Transport of the goods (`transp`)."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import child, children, decimal, group, integer, text


@group("transporta")
class Carrier:
    """`transporta`: the carrier of the goods."""

    cnpj: str | None = text("CNPJ", 14, path="taxId", default=None)
    cpf: str | None = text("CPF", 11, path="taxId", default=None)
    name: str | None = text("xNome", 60, default=None)
    state_registration: str | None = text("IE", 14, default=None)
    address: str | None = text("xEnder", 60, default=None)
    city: str | None = text("xMun", 60, default=None)
    state: str | None = text("UF", 2, default=None)


@group("retTransp")
class RetainedTransportIcms:
    """`retTransp`: ICMS of the freight that the issuer withholds from the carrier."""

    service_amount: Decimal = decimal("vServ")
    base: Decimal = decimal("vBCRet")
    rate: Decimal = decimal("pICMSRet", 4)
    amount: Decimal = decimal("vICMSRet")
    cfop: str = text("CFOP", 4)
    taxable_city_code: str = text("cMunFG", 7)


@group("veicTransp")
class TransportVehicle:
    """`veicTransp`, `reboque`: a truck or its trailer."""

    plate: str = text("placa", 7)
    state: str | None = text("UF", 2, default=None)
    rntc: str | None = text("RNTC", 20, default=None)


@group("lacres")
class VolumeSeal:
    """`lacres`: the seal of a volume."""

    number: str = text("nLacre", 60)


@group("vol")
class Volume:
    """`vol`: packages of the same kind."""

    quantity: int | None = integer("qVol", default=None)
    kind: str | None = text("esp", 60, default=None)
    brand: str | None = text("marca", 60, default=None)
    numbering: str | None = text("nVol", 60, default=None)
    net_weight: Decimal | None = decimal("pesoL", 3, default=None)
    gross_weight: Decimal | None = decimal("pesoB", 3, default=None)
    seals: tuple[VolumeSeal, ...] = children("lacres", 5000, default=())


@group("transp")
class GoodsTransport:
    """`transp`: freight mode, carrier, vehicles and volumes."""

    freight_mode: str = text("modFrete", 1, path="mode")
    carrier: Carrier | None = child("transporta", default=None)
    retained_icms: RetainedTransportIcms | None = child("retTransp", default=None)
    vehicle: TransportVehicle | None = child("veicTransp", default=None)
    trailers: tuple[TransportVehicle, ...] = children("reboque", 5, default=())
    wagon: str | None = text("vagao", 20, default=None)
    ferry: str | None = text("balsa", 20, default=None)
    volumes: tuple[Volume, ...] = children("vol", 5000, default=())
