"""The modes of a manifest in requests: air, water and rail, and the choice between all modes."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, StringConstraints, Tag, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from carimbo.fiscal.body.date_fields import Day, LocalMoment
from carimbo.fiscal.body.fields import TAKES_NUMBERS, Body, Coded, Integer, NotNegative, Text
from carimbo.fiscal.body.reading import drop_blanks_of
from carimbo.fiscal.documents.mdfe.mode import AirKind, ManifestMode, RailKind, WaterKind, mode_word
from carimbo.fiscal.documents.mdfe.road_body import ManifestRoadBody
from carimbo.fiscal.transport.units import CargoUnitType

_Code = Annotated[Text, StringConstraints(max_length=10), TAKES_NUMBERS]
_Terminal = Annotated[Text, StringConstraints(max_length=8), TAKES_NUMBERS]
_Airport = Annotated[Text, StringConstraints(min_length=3, max_length=4)]
_Port = Annotated[Text, StringConstraints(max_length=5), TAKES_NUMBERS]
_Station = Annotated[Text, StringConstraints(max_length=3), TAKES_NUMBERS]
_Name = Annotated[Text, StringConstraints(max_length=60)]
_UnitId = Annotated[str, StringConstraints(pattern="^[A-Z0-9]{1,20}$")]
_Tons = Annotated[NotNegative, Field(lt=1000, decimal_places=3)]
# The layout has no form for weights below a ton, except with two decimals.
_Weight = Annotated[_Tons, Field(ge=1)]
_ThreeLetters = Annotated[Text, StringConstraints(min_length=3, max_length=3), TAKES_NUMBERS]


class ManifestAirBody(Body):
    """Transport by air."""

    kind: AirKind = Field(description="Modal: 2 ou air (aéreo).")
    nationality: Annotated[Text, StringConstraints(max_length=4)] = Field(
        description="Marca da nacionalidade da aeronave (nac).", examples=["PT"]
    )
    registration: Annotated[Text, StringConstraints(max_length=6)] = Field(
        description="Marca de matrícula da aeronave (matr).", examples=["ABC"]
    )
    flight_number: Annotated[Text, StringConstraints(min_length=5, max_length=9), TAKES_NUMBERS] = Field(
        description="Número do voo, de 5 a 9 caracteres (nVoo).", examples=["AB1234"]
    )
    boarding_airport: _Airport = Field(description="Aeródromo de embarque (cAerEmb).", examples=["GRU"])
    destination_airport: _Airport = Field(description="Aeródromo de destino (cAerDes).", examples=["REC"])
    flight_date: Day = Field(description="Data do voo (dVoo).")


class WaterNavigation(Coded):
    """The kind of navigation (`tpNav`)."""

    INTERIOR = "interior", "0"
    COASTAL = "coastal", "1"


class EmptyVehicleType(Coded):
    """The type of an empty vehicle (`tpUnidTranspVazia`)."""

    TRACTOR = "tractor", "1"
    TRAILER = "trailer", "2"


class TerminalBody(Body):
    """A terminal of a port."""

    code: _Terminal = Field(description="Código do terminal, até 8 caracteres.")
    name: _Name = Field(description="Nome do terminal.")


class ConvoyVesselBody(Body):
    """A vessel of the convoy."""

    code: _Code = Field(description="Código da embarcação (cEmbComb).")
    name: _Name = Field(description="Nome da balsa (xBalsa).")


class EmptyCargoUnitBody(Body):
    """An empty container or other unit of cargo."""

    id: _UnitId = Field(description="Identificação, letras e números (idUnidCargaVazia).")
    type: CargoUnitType = Field(description="Tipo: container, uld, pallet ou other (tpUnidCargaVazia).")


class EmptyTransportUnitBody(Body):
    """An empty vehicle."""

    id: _UnitId = Field(description="Identificação, como a placa (idUnidTranspVazia).")
    type: EmptyVehicleType = Field(description="Tipo: tractor ou trailer (tpUnidTranspVazia).")


class ManifestWaterBody(Body):
    """Transport by water."""

    kind: WaterKind = Field(description="Modal: 3 ou water (aquaviário).")
    irin: _Code = Field(description="IRIN da embarcação (irin).")
    vessel_type: Annotated[str, StringConstraints(pattern="^[0-9]{2}$")] = Field(
        description="Tipo da embarcação, 2 dígitos (tpEmb)."
    )
    vessel_code: _Code = Field(description="Código da embarcação (cEmbar).")
    vessel_name: _Name = Field(description="Nome da embarcação (xEmbar).")
    trip_number: Annotated[str, StringConstraints(pattern="^[1-9][0-9]{0,9}$"), TAKES_NUMBERS] = Field(
        description="Número da viagem, até 10 dígitos (nViag)."
    )
    boarding_port: _Port = Field(description="Porto de embarque (cPrtEmb).", examples=["BRSSZ"])
    destination_port: _Port = Field(description="Porto de destino (cPrtDest).", examples=["BRMAO"])
    transshipment_port: _Name | None = Field(default=None, description="Porto de transbordo (prtTrans).")
    navigation: WaterNavigation | None = Field(
        default=None, description="Navegação: interior ou coastal (cabotagem) (tpNav)."
    )
    loading_terminals: Annotated[tuple[TerminalBody, ...], Field(max_length=5)] = Field(
        default=(), description="Terminais de carregamento, até 5 (infTermCarreg)."
    )
    unloading_terminals: Annotated[tuple[TerminalBody, ...], Field(max_length=5)] = Field(
        default=(), description="Terminais de descarregamento, até 5 (infTermDescarreg)."
    )
    convoy: Annotated[tuple[ConvoyVesselBody, ...], Field(max_length=30)] = Field(
        default=(), description="Embarcações do comboio, até 30 (infEmbComb)."
    )
    empty_cargo_units: Annotated[tuple[EmptyCargoUnitBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Unidades de carga vazias (infUnidCargaVazia)."
    )
    empty_transport_units: Annotated[tuple[EmptyTransportUnitBody, ...], Field(max_length=1000)] = Field(
        default=(), description="Veículos vazios (infUnidTranspVazia)."
    )
    mmsi: Annotated[str, StringConstraints(pattern="^[0-9]{9}$"), TAKES_NUMBERS] | None = Field(
        default=None, description="MMSI da embarcação, 9 dígitos (MMSI)."
    )


class TrainBody(Body):
    """A train."""

    prefix: _Code = Field(description="Prefixo do trem (xPref).")
    departed_at: LocalMoment | None = Field(
        default=None, description="Data e hora da saída; sem fuso, no da empresa (dhTrem)."
    )
    origin: _Station = Field(description="Origem, até 3 caracteres (xOri).")
    destination: _Station = Field(description="Destino, até 3 caracteres (xDest).")


class WagonBody(Body):
    """A wagon."""

    base_weight: _Weight = Field(description="Peso base de cálculo, em toneladas, até 3 casas (pesoBC).")
    real_weight: _Weight = Field(description="Peso real, em toneladas, até 3 casas (pesoR).")
    type: _ThreeLetters | None = Field(default=None, description="Tipo do vagão, 3 caracteres (tpVag).")
    series: _ThreeLetters = Field(description="Série, 3 caracteres (serie).")
    number: Annotated[str, StringConstraints(pattern="^[1-9][0-9]{0,7}$"), TAKES_NUMBERS] = Field(
        description="Número do vagão, até 8 dígitos (nVag)."
    )
    sequence: Annotated[Integer, Field(ge=1, le=999)] | None = Field(
        default=None, description="Posição no trem (nSeq)."
    )
    useful_tons: _Tons = Field(description="Tonelada útil, até 3 casas (TU).")


class ManifestRailBody(Body):
    """Transport by rail."""

    kind: RailKind = Field(description="Modal: 4 ou rail (ferroviário).")
    train: TrainBody = Field(description="Trem (trem).")
    wagons: Annotated[tuple[WagonBody, ...], Field(min_length=1, max_length=999)] = Field(
        description="Vagões (vag)."
    )


_BODIES = (ManifestRoadBody, ManifestAirBody, ManifestWaterBody, ManifestRailBody)
_BY_ROAD = "by road"
_MODES = " ou ".join(f"'{mode}'" for mode in ManifestMode)
_KIND_MISSING = "Informe kind: há campos de outro modal que não o rodoviário."
# No tag may be the name of a field: paths of errors leave tags out.
_TAGS = {
    ManifestMode.ROAD: _BY_ROAD,
    ManifestMode.AIR: "by air",
    ManifestMode.WATER: "by water",
    ManifestMode.RAIL: "by rail",
}


def _tag(modal: Any) -> str:
    """Returns the union tag of a mode; a body without a known mode is that of a transport by road."""
    if isinstance(modal, _BODIES):
        return _TAGS[modal.kind]
    kind = modal.get("kind") if isinstance(modal, dict) else None
    return next((tag for mode, tag in _TAGS.items() if mode == kind), _BY_ROAD)


_FIELDS_OF_OTHERS = {field.alias for body in _BODIES[1:] for field in body.model_fields.values()} - {
    field.alias for field in ManifestRoadBody.model_fields.values()
}


def _with_word(modal: Any) -> Any:
    """Returns a mode whose kind is a word; the specification has its code.

    An unknown kind is refused alone, and so is a missing one beside fields of another mode than road:
    otherwise every field of the mode would be reported too.
    """
    if not isinstance(modal, dict):
        return modal
    kind = mode_word(modal.get("kind"))
    if kind in list(ManifestMode):
        return {**modal, "kind": kind}
    fault = InitErrorDetails(type="enum", ctx={"expected": _MODES}, loc=("kind",), input=kind)
    if kind in (None, ""):
        if "vehicle" in modal or _FIELDS_OF_OTHERS.isdisjoint(modal):
            return modal
        fault["type"] = PydanticCustomError("modal_kind", _KIND_MISSING)
    raise ValidationError.from_exception_data("modal", [fault])


ManifestModeBody = Annotated[
    Annotated[ManifestRoadBody, Tag(_BY_ROAD)]
    | Annotated[ManifestAirBody, Tag("by air")]
    | Annotated[ManifestWaterBody, Tag("by water")]
    | Annotated[ManifestRailBody, Tag("by rail")],
    Discriminator(_tag),
    drop_blanks_of(*_BODIES),
    BeforeValidator(_with_word),
]
