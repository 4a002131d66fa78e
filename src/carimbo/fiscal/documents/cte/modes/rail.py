"""The rail mode: the kind of traffic, and the railways that share it."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import (
    TAKES_NUMBERS,
    Body,
    Cnpj,
    Coded,
    Money,
    StateRegistrationNumber,
    Text,
    Zipcode,
)
from carimbo.fiscal.documents.cte.modes.mode import missing_in_mode
from carimbo.fiscal.layouts.cte_v4.rail import MutualTraffic, Rail, Railway, RailwayAddress
from carimbo.fiscal.parties.address import PartialAddress
from carimbo.fiscal.parties.company import Name
from carimbo.fiscal.parties.recipient import shortened_name
from carimbo.fiscal.problems import MISSING_FIELD, Incomplete, Problem
from carimbo.fiscal.transport.places import plain_name
from carimbo.fiscal.transport.request import DocumentKey, TransportMode


class RailTraffic(Coded):
    """The kind of traffic (`tpTraf`)."""

    OWN = "own", "0"
    MUTUAL = "mutual", "1"
    ROAD_RAIL = "roadRail", "2"
    ROAD = "road", "3"


class RailwayRole(Coded):
    """Which of two railways bills the freight (`respFat`) or issues the CT-e (`ferrEmi`)."""

    ORIGIN = "origin", "1"
    DESTINATION = "destination", "2"


class RailwayAddressBody(PartialAddress):
    """The address of a railway; the municipality by its code, or by name and state."""

    street: Annotated[Text, StringConstraints(min_length=2, max_length=255)] = Field(
        description="Logradouro (xLgr).", examples=["Avenida Paulista"]
    )
    district: Annotated[Text, StringConstraints(min_length=2, max_length=60)] | None = Field(
        default=None, description="Bairro (xBairro)."
    )
    zipcode: Zipcode = Field(description="CEP, com ou sem hífen (CEP).")


class RailwayBody(Body):
    """A railway that takes part in the transport."""

    tax_id: Cnpj = Field(description="CNPJ da ferrovia.")
    code: Annotated[Text, StringConstraints(max_length=10), TAKES_NUMBERS] | None = Field(
        default=None, description="Código interno da ferrovia (cInt)."
    )
    state_registration: StateRegistrationNumber | None = Field(
        default=None, description="Inscrição estadual (IE)."
    )
    name: Name = Field(description="Razão social ou nome (xNome).")
    address: RailwayAddressBody = Field(description="Endereço (enderFerro).")


class MutualTrafficBody(Body):
    """How several railways share the transport."""

    billed_by: RailwayRole = Field(
        description="Ferrovia que fatura: origin (de origem) ou destination (de destino) (respFat)."
    )
    issued_by: RailwayRole = Field(
        description="Ferrovia que emite o CT-e: origin ou destination; com billedBy origin, origin (ferrEmi)."
    )
    freight_amount: Money = Field(description="Frete do tráfego mútuo, em reais (vFrete).")
    origin_access_key: DocumentKey | None = Field(
        default=None,
        description="Chave do CT-e da ferrovia de origem, obrigatória com billedBy destination"
        " (chCTeFerroOrigem).",
    )
    railways: Annotated[tuple[RailwayBody, ...], Field(max_length=100)] = Field(
        default=(), description="Ferrovias envolvidas (ferroEnv)."
    )


class RailBody(Body):
    """Transport by rail."""

    kind: Literal[TransportMode.RAIL] = Field(description="Modal: rail (ferroviário).")
    traffic: RailTraffic | None = Field(
        default=None,
        description="Tráfego: own (próprio), mutual (mútuo), roadRail (rodoferroviário) ou road (rodoviário);"
        " obrigatório, exceto no complemento (tpTraf).",
    )
    mutual_traffic: MutualTrafficBody | None = Field(
        default=None, description="Tráfego mútuo, obrigatório com traffic mutual e só com ele (trafMut)."
    )
    flow: Annotated[Text, StringConstraints(max_length=10), TAKES_NUMBERS] | None = Field(
        default=None,
        description="Fluxo ferroviário, o número do contrato com o cliente; obrigatório, exceto no"
        " complemento (fluxo).",
    )


def rail_group(body: RailBody) -> Rail:
    """Returns the group of a transport by rail."""
    traffic, flow, mutual = body.traffic, body.flow, body.mutual_traffic
    if traffic is None or flow is None:
        raise missing_in_mode(traffic=traffic, flow=flow)
    return Rail(traffic=traffic.code, mutual_traffic=_mutual_traffic(mutual) if mutual else None, flow=flow)


def _mutual_traffic(body: MutualTrafficBody) -> MutualTraffic:
    return MutualTraffic(
        billed_by=body.billed_by.code,
        issued_by=body.issued_by.code,
        freight_amount=body.freight_amount,
        origin_access_key=body.origin_access_key,
        railways=tuple(_railway(railway, position) for position, railway in enumerate(body.railways)),
    )


def _railway(body: RailwayBody, position: int) -> Railway:
    address = body.address
    if address.city_code is None or address.city is None or address.state is None:
        message = "Campo obrigatório: informe o município e a UF, ou cityCode (código IBGE)."
        path = f"modal.mutualTraffic.railways[{position}].address.city"
        raise Incomplete(Problem(MISSING_FIELD, path, message))
    return Railway(
        cnpj=body.tax_id,
        code=body.code,
        state_registration=body.state_registration,
        name=shortened_name(body.name),
        address=RailwayAddress(
            street=address.street,
            number=address.number,
            complement=address.complement,
            district=address.district,
            city_code=address.city_code,
            city=plain_name(address.city),
            zipcode=address.zipcode,
            state=address.state,
        ),
    )
