"""The rail mode of a CT-e (`ferrov`), which has its own XSD."""

from decimal import Decimal

from carimbo.fiscal.layouts.group import ANY_NUMBER, child, children, decimal, group, text


@group("enderFerro")
class RailwayAddress:
    """`enderFerro`: the address of a railway."""

    street: str = text("xLgr", 255)
    number: str | None = text("nro", 60, default=None)
    complement: str | None = text("xCpl", 60, default=None)
    district: str | None = text("xBairro", 60, default=None)
    city_code: str = text("cMun", 7)
    city: str = text("xMun", 60)
    zipcode: str = text("CEP", 8)
    state: str = text("UF", 2)


@group("ferroEnv")
class Railway:
    """`ferroEnv`: a railway that takes part in the transport."""

    cnpj: str = text("CNPJ", 14, path="taxId")
    code: str | None = text("cInt", 10, default=None)
    state_registration: str | None = text("IE", 14, default=None)
    name: str = text("xNome", 60)
    address: RailwayAddress = child("enderFerro")


@group("trafMut")
class MutualTraffic:
    """`trafMut`: how several railways share the transport."""

    billed_by: str = text("respFat", 1)
    issued_by: str = text("ferrEmi", 1)
    freight_amount: Decimal = decimal("vFrete")
    origin_access_key: str | None = text("chCTeFerroOrigem", 44, default=None)
    railways: tuple[Railway, ...] = children("ferroEnv", ANY_NUMBER, default=())


@group("ferrov")
class Rail:
    """`ferrov`: the kind of traffic and the contract with the customer."""

    traffic: str = text("tpTraf", 1)
    mutual_traffic: MutualTraffic | None = child("trafMut", default=None)
    flow: str = text("fluxo", 10)
