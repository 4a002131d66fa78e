"""The modes of a manifest other than road: air, water and rail, each with its own XSD."""

from datetime import date, datetime
from decimal import Decimal

from carimbo.fiscal.layouts.group import (
    ANY_NUMBER,
    child,
    children,
    day,
    decimal,
    group,
    integer,
    moment,
    text,
)


@group("aereo")
class ManifestAir:
    """`aereo`: the aircraft and its flight."""

    nationality: str = text("nac", 4)
    registration: str = text("matr", 6)
    flight_number: str = text("nVoo", 9)
    boarding_airport: str = text("cAerEmb", 4)
    destination_airport: str = text("cAerDes", 4)
    flight_date: date = day("dVoo")


@group("infTermCarreg")
class LoadingTerminal:
    """`infTermCarreg`: a terminal of loading."""

    code: str = text("cTermCarreg", 8)
    name: str = text("xTermCarreg", 60)


@group("infTermDescarreg")
class UnloadingTerminal:
    """`infTermDescarreg`: a terminal of unloading."""

    code: str = text("cTermDescarreg", 8)
    name: str = text("xTermDescarreg", 60)


@group("infEmbComb")
class ConvoyVessel:
    """`infEmbComb`: a vessel of the convoy."""

    code: str = text("cEmbComb", 10)
    name: str = text("xBalsa", 60)


@group("infUnidCargaVazia")
class EmptyCargoUnit:
    """`infUnidCargaVazia`: an empty container or other unit of cargo."""

    id: str = text("idUnidCargaVazia", 20)
    type: str = text("tpUnidCargaVazia", 1)


@group("infUnidTranspVazia")
class EmptyTransportUnit:
    """`infUnidTranspVazia`: an empty vehicle."""

    id: str = text("idUnidTranspVazia", 20)
    type: str = text("tpUnidTranspVazia", 1)


@group("aquav")
class ManifestWater:
    """`aquav`: the vessel, its trip, its terminals and empty units."""

    irin: str = text("irin", 10)
    vessel_type: str = text("tpEmb", 2)
    vessel_code: str = text("cEmbar", 10)
    vessel_name: str = text("xEmbar", 60)
    trip_number: str = text("nViag", 10)
    boarding_port: str = text("cPrtEmb", 5)
    destination_port: str = text("cPrtDest", 5)
    transshipment_port: str | None = text("prtTrans", 60, default=None)
    navigation: str | None = text("tpNav", 1, default=None)
    loading_terminals: tuple[LoadingTerminal, ...] = children("infTermCarreg", 5, default=())
    unloading_terminals: tuple[UnloadingTerminal, ...] = children("infTermDescarreg", 5, default=())
    convoy: tuple[ConvoyVessel, ...] = children("infEmbComb", 30, default=())
    empty_cargo_units: tuple[EmptyCargoUnit, ...] = children("infUnidCargaVazia", ANY_NUMBER, default=())
    empty_transport_units: tuple[EmptyTransportUnit, ...] = children(
        "infUnidTranspVazia", ANY_NUMBER, default=()
    )
    mmsi: str | None = text("MMSI", 9, default=None)


@group("trem")
class Train:
    """`trem`: a train."""

    prefix: str = text("xPref", 10)
    departed_at: datetime | None = moment("dhTrem", default=None)
    origin: str = text("xOri", 3)
    destination: str = text("xDest", 3)
    wagon_count: int = integer("qVag", path="/modal.wagons")


@group("vag")
class Wagon:
    """`vag`: a wagon."""

    base_weight: Decimal = decimal("pesoBC", 3)
    real_weight: Decimal = decimal("pesoR", 3)
    type: str | None = text("tpVag", 3, default=None)
    series: str = text("serie", 3)
    number: str = text("nVag", 8)
    sequence: int | None = integer("nSeq", default=None)
    useful_tons: Decimal = decimal("TU", 3)


@group("ferrov")
class ManifestRail:
    """`ferrov`: a train and its wagons."""

    train: Train = child("trem")
    wagons: tuple[Wagon, ...] = children("vag", ANY_NUMBER)
