"""Units of transport and of cargo in requests, and their groups in the document."""

from typing import Annotated

from pydantic import Field, StringConstraints

from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Coded, NotNegative, Text
from carimbo.fiscal.layouts.dfe_v1 import units as layout

_Seal = Annotated[Text, StringConstraints(max_length=20), TAKES_NUMBERS]
_UnitId = Annotated[str, StringConstraints(pattern="^[A-Z0-9]{1,20}$")]


class CargoUnitType(Coded):
    """The type of a unit of cargo (`tpUnidCarga`)."""

    CONTAINER = "container", "1"
    ULD = "uld", "2"
    PALLET = "pallet", "3"
    OTHER = "other", "4"


class TransportUnitType(Coded):
    """The type of a unit of transport (`tpUnidTransp`)."""

    TRACTOR = "tractor", "1"
    TRAILER = "trailer", "2"
    SHIP = "ship", "3"
    FERRY = "ferry", "4"
    AIRCRAFT = "aircraft", "5"
    WAGON = "wagon", "6"
    OTHER = "other", "7"


class CargoUnitBody(Body):
    """A unit of cargo with its seals."""

    type: CargoUnitType = Field(description="Tipo: container, uld, pallet ou other (tpUnidCarga).")
    id: _UnitId = Field(description="Identificação, letras e números (idUnidCarga).")
    seals: Annotated[tuple[_Seal, ...], Field(max_length=100)] = Field(
        default=(), description="Lacres (nLacre)."
    )
    apportioned_quantity: Annotated[NotNegative, Field(lt=1000, decimal_places=3)] | None = Field(
        default=None, description="Quantidade rateada, até 3 casas (qtdRat)."
    )


class TransportUnitBody(Body):
    """A unit of transport with its seals and units of cargo."""

    type: TransportUnitType = Field(
        description="Tipo: tractor, trailer, ship, ferry, aircraft, wagon ou other (tpUnidTransp)."
    )
    id: _UnitId = Field(description="Identificação, como a placa (idUnidTransp).")
    seals: Annotated[tuple[_Seal, ...], Field(max_length=100)] = Field(
        default=(), description="Lacres (nLacre)."
    )
    cargo_units: Annotated[tuple[CargoUnitBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Unidades de carga dentro desta (infUnidCarga)."
    )
    apportioned_quantity: Annotated[NotNegative, Field(lt=1000, decimal_places=3)] | None = Field(
        default=None, description="Quantidade rateada, até 3 casas (qtdRat)."
    )


def transport_unit(body: TransportUnitBody) -> layout.TransportUnit:
    """Returns the group of a unit of transport."""
    return layout.TransportUnit(
        type=body.type.code,
        id=body.id,
        seals=tuple(layout.UnitSeal(number=seal) for seal in body.seals),
        cargo_units=tuple(map(cargo_unit, body.cargo_units)),
        apportioned_quantity=body.apportioned_quantity,
    )


def cargo_unit(body: CargoUnitBody) -> layout.CargoUnit:
    """Returns the group of a unit of cargo."""
    return layout.CargoUnit(
        type=body.type.code,
        id=body.id,
        seals=tuple(layout.UnitSeal(number=seal) for seal in body.seals),
        apportioned_quantity=body.apportioned_quantity,
    )
