"""The data of a transport by air, water or rail."""

from collections.abc import Iterator, Sequence

from carimbo.fiscal.layouts.mdfe_v3.modes import ManifestAir, ManifestRail, ManifestWater, Train, Wagon
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.entry_table import HALF, EntryColumn, EntryTable, PrintedEntry, entry_table
from carimbo.printing.sheet import CONTENT, Block, PrintedField, row
from carimbo.printing.transport_words import CARGO_UNITS, NAVIGATIONS, TRANSPORT_UNITS

_NAMED = EntryColumn("CÓDIGO", 24), EntryColumn("NOME", HALF - 24)
_UNITS = EntryColumn("TIPO", 36), EntryColumn("IDENTIFICAÇÃO", HALF - 36)
_WAGONS = (
    EntryColumn("SEQ.", 9),
    EntryColumn("SÉRIE", 10),
    EntryColumn("NÚMERO", 17),
    EntryColumn("TIPO", 9),
    EntryColumn("PESO BC (T)", 18, Align.RIGHT),
    EntryColumn("PESO REAL (T)", 18, Align.RIGHT),
    EntryColumn("TONELADA ÚTIL", HALF - 81, Align.RIGHT),
)


def air_block(canvas: Canvas, air: ManifestAir) -> Block:
    """Returns the aircraft and its flight."""
    width = CONTENT / 6
    fields = (
        PrintedField("MARCA DE NACIONALIDADE", air.nationality, width),
        PrintedField("MARCA DE MATRÍCULA", air.registration, width),
        PrintedField("NÚMERO DO VOO", air.flight_number, width),
        PrintedField("AERÓDROMO DE EMBARQUE", air.boarding_airport, width),
        PrintedField("AERÓDROMO DE DESTINO", air.destination_airport, width),
        PrintedField("DATA DO VOO", formats.day(air.flight_date), width),
    )
    return Block("AERONAVE E VOO", (row(canvas, *fields),))


def water_pieces(canvas: Canvas, water: ManifestWater) -> Iterator[Block | EntryTable]:
    """Yields the vessel and its trip, then terminals, convoy and empty units, if there are any."""
    yield _vessel_block(canvas, water)
    terminals = [(item.code, item.name) for item in water.loading_terminals]
    yield from _named_table(canvas, "TERMINAIS DE CARREGAMENTO", terminals)
    terminals = [(item.code, item.name) for item in water.unloading_terminals]
    yield from _named_table(canvas, "TERMINAIS DE DESCARREGAMENTO", terminals)
    convoy = [(item.code, item.name) for item in water.convoy]
    yield from _named_table(canvas, "EMBARCAÇÕES DO COMBOIO", convoy)
    units = (
        *(PrintedEntry((CARGO_UNITS.get(unit.type, unit.type), unit.id)) for unit in water.empty_cargo_units),
        *(
            PrintedEntry((TRANSPORT_UNITS.get(unit.type, unit.type), unit.id))
            for unit in water.empty_transport_units
        ),
    )
    if units:
        yield entry_table(canvas, "UNIDADES VAZIAS", _UNITS, units)


def rail_pieces(canvas: Canvas, rail: ManifestRail) -> Iterator[Block | EntryTable]:
    """Yields the train, then its wagons."""
    yield _train_block(canvas, rail.train)
    yield entry_table(canvas, "VAGÕES", _WAGONS, map(_wagon, rail.wagons))


def _vessel_block(canvas: Canvas, water: ManifestWater) -> Block:
    navigation = water.navigation or ""
    vessel = (
        PrintedField("EMBARCAÇÃO", water.vessel_name, CONTENT - 126),
        PrintedField("CÓDIGO DA EMBARCAÇÃO", water.vessel_code, 32),
        PrintedField("TIPO DA EMBARCAÇÃO", water.vessel_type, 28),
        PrintedField("IRIN", water.irin, 34),
        PrintedField("MMSI", water.mmsi or "", 32),
    )
    trip = (
        PrintedField("NÚMERO DA VIAGEM", water.trip_number, 32),
        PrintedField("NAVEGAÇÃO", NAVIGATIONS.get(navigation, navigation), 28),
        PrintedField("PORTO DE EMBARQUE", water.boarding_port, 34),
        PrintedField("PORTO DE DESTINO", water.destination_port, 32),
        PrintedField("PORTO DE TRANSBORDO", water.transshipment_port or "", CONTENT - 126),
    )
    return Block("EMBARCAÇÃO E VIAGEM", (row(canvas, *vessel), row(canvas, *trip)))


def _named_table(canvas: Canvas, caption: str, items: Sequence[tuple[str, str]]) -> Iterator[EntryTable]:
    if items:
        yield entry_table(canvas, caption, _NAMED, map(PrintedEntry, items))


def _train_block(canvas: Canvas, train: Train) -> Block:
    width = CONTENT / 5
    departed = formats.day_and_hour(train.departed_at) if train.departed_at else ""
    fields = (
        PrintedField("PREFIXO DO TREM", train.prefix, width),
        PrintedField("DATA E HORA DA LIBERAÇÃO DO TREM", departed, width),
        PrintedField("ORIGEM", train.origin, width),
        PrintedField("DESTINO", train.destination, width),
        PrintedField("QUANTIDADE DE VAGÕES", str(train.wagon_count), width),
    )
    return Block("TREM", (row(canvas, *fields),))


def _wagon(wagon: Wagon) -> PrintedEntry:
    return PrintedEntry(
        (
            "" if wagon.sequence is None else str(wagon.sequence),
            wagon.series,
            wagon.number,
            wagon.type or "",
            formats.number(wagon.base_weight, 3),
            formats.number(wagon.real_weight, 3),
            formats.number(wagon.useful_tons, 3),
        )
    )
