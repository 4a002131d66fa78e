"""The block of the road mode of a CT-e OS: registration of the carrier, vehicle with its owner, charter."""

from collections.abc import Iterator

from carimbo.fiscal.layouts.cteos_v4.road import OsRoad, VehicleOwner
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Canvas
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row
from carimbo.printing.transport_words import OWNER_TYPES

_CHARTERS = {"1": "EVENTUAL", "2": "CONTÍNUO"}
_REGISTRATION = "TAF / Nº DE REGISTRO ESTADUAL"


def road_block(canvas: Canvas, road: OsRoad) -> Block:
    """Returns registration, vehicle and charter; then the owner, if it is not the issuer."""
    vehicle, charter = road.vehicle, road.charter
    owner = vehicle.owner if vehicle else None
    trip = formats.day_and_hour(charter.trip_at) if charter and charter.trip_at else ""
    named = row(
        canvas,
        PrintedField(_REGISTRATION, _registration(road), 50),
        PrintedField("PLACA DO VEÍCULO", vehicle.plate if vehicle else "", 20),
        PrintedField("UF", (vehicle.state if vehicle else None) or "", 10),
        PrintedField("RENAVAM DO VEÍCULO", (vehicle.renavam if vehicle else None) or "", 25),
        PrintedField(
            "CNPJ / CPF DO PROPRIETÁRIO", formats.tax_id(owner.cnpj, owner.cpf) if owner else "", 37
        ),
        PrintedField("TIPO DE FRETAMENTO", _CHARTERS.get(charter.type, charter.type) if charter else "", 22),
        PrintedField("DATA E HORA DA VIAGEM", trip, CONTENT - 164),
    )
    return Block("DADOS ESPECÍFICOS DO MODAL RODOVIÁRIO", (named, *_owner_row(canvas, owner)))


def _owner_row(canvas: Canvas, owner: VehicleOwner | None) -> Iterator[Row]:
    if owner:
        yield row(
            canvas,
            PrintedField("PROPRIETÁRIO DO VEÍCULO", owner.name, CONTENT - 125),
            PrintedField("IE", owner.state_registration or "", 30),
            PrintedField("UF", owner.state or "", 10),
            PrintedField(_REGISTRATION, _registration(owner), 50),
            PrintedField("TIPO DO PROPRIETÁRIO", OWNER_TYPES.get(owner.type, owner.type), 35),
        )


def _registration(holder: OsRoad | VehicleOwner) -> str:
    """Returns the number at the ANTT, or at the agency of the state."""
    return " / ".join(filter(None, (holder.taf, holder.state_agency_registration)))
