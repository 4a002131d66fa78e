"""The water mode: the vessel, its trip, the surcharge on the freight, and containers."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Coded, Money, NotNegative, Text
from carimbo.fiscal.documents.cte.modes.mode import missing_in_mode
from carimbo.fiscal.layouts.cte_v4.water import (
    ContainedInvoice,
    Container,
    ContainerDocuments,
    ContainerSeal,
    Ferry,
    Water,
)
from carimbo.fiscal.transport.request import DocumentKey, TransportMode

_VesselName = Annotated[Text, StringConstraints(max_length=60)]


class Direction(Coded):
    """The direction of the trip (`direc`)."""

    NORTH = "north", "N"
    SOUTH = "south", "S"
    EAST = "east", "L"
    WEST = "west", "O"


class Navigation(Coded):
    """The kind of navigation (`tpNav`)."""

    INTERIOR = "interior", "0"
    COASTAL = "coastal", "1"


class ContainedInvoiceBody(Body):
    """An NF-e of goods in a container."""

    access_key: DocumentKey = Field(description="Chave da NF-e (chave).")
    apportioned_quantity: Annotated[NotNegative, Field(gt=0, lt=1000)] | None = Field(
        default=None, description="Peso ou volume rateado, até 3 casas (unidRat)."
    )


class ContainerBody(Body):
    """A container with its seals and NF-e."""

    id: Annotated[str, StringConstraints(pattern="^[A-Z0-9]{1,20}$")] = Field(
        description="Identificação, letras e números (nCont).", examples=["MSCU1234567"]
    )
    seals: Annotated[
        tuple[Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS], ...], Field(max_length=3)
    ] = Field(default=(), description="Lacres, até 3 (nLacre).")
    nfes: Annotated[tuple[ContainedInvoiceBody, ...], Field(max_length=2000)] = Field(
        default=(), description="NF-e do contêiner (infNFe)."
    )


class WaterBody(Body):
    """Transport by water."""

    kind: Literal[TransportMode.WATER] = Field(description="Modal: water (aquaviário).")
    afrmm_base: Money | None = Field(
        default=None,
        description="Base do AFRMM, em reais; obrigatória, exceto no complemento (vPrest).",
    )
    afrmm_amount: Money | None = Field(
        default=None,
        description="Adicional ao frete para a renovação da marinha mercante, em reais; obrigatório, exceto"
        " no complemento (vAFRMM).",
    )
    vessel_name: _VesselName | None = Field(
        default=None, description="Navio; obrigatório, exceto no complemento (xNavio)."
    )
    ferries: Annotated[tuple[_VesselName, ...], Field(max_length=3)] = Field(
        default=(), description="Balsas, até 3 (xBalsa)."
    )
    trip_number: Annotated[str, StringConstraints(pattern="^[1-9][0-9]{0,9}$")] | None = Field(
        default=None, description="Número da viagem, até 10 dígitos (nViag)."
    )
    direction: Direction | None = Field(
        default=None,
        description="Direção: north, south, east ou west; obrigatória, exceto no complemento (direc).",
    )
    irin: Annotated[Text, StringConstraints(max_length=10)] | None = Field(
        default=None, description="IRIN do navio; obrigatório, exceto no complemento (irin)."
    )
    containers: Annotated[tuple[ContainerBody, ...], Field(max_length=1000)] = Field(
        default=(),
        description="Contêineres; obrigatórios com intermediateRedispatch e multimodalLinked, e só com eles"
        " (detCont).",
    )
    navigation: Navigation | None = Field(
        default=None, description="Navegação: interior ou coastal (cabotagem) (tpNav)."
    )


def water_group(body: WaterBody) -> Water:
    """Returns the group of a transport by water."""
    base, surcharge, vessel = body.afrmm_base, body.afrmm_amount, body.vessel_name
    direction, irin = body.direction, body.irin
    if base is None or surcharge is None or vessel is None or direction is None or irin is None:
        raise missing_in_mode(
            afrmmBase=base, afrmmAmount=surcharge, vesselName=vessel, direction=direction, irin=irin
        )
    return Water(
        afrmm_base=base,
        afrmm_amount=surcharge,
        vessel_name=vessel,
        ferries=tuple(Ferry(name=name) for name in body.ferries),
        trip_number=body.trip_number,
        direction=direction.code,
        irin=irin,
        containers=tuple(map(_container, body.containers)),
        navigation=body.navigation.code if body.navigation else None,
    )


def _container(body: ContainerBody) -> Container:
    nfes = tuple(
        ContainedInvoice(access_key=nfe.access_key, apportioned_quantity=nfe.apportioned_quantity)
        for nfe in body.nfes
    )
    return Container(
        id=body.id,
        seals=tuple(ContainerSeal(number=seal) for seal in body.seals),
        documents=ContainerDocuments(nfes=nfes) if nfes else None,
    )
