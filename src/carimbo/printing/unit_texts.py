"""Texts about the units of transport and of cargo in which documents travel."""

from collections.abc import Iterator, Sequence

from carimbo.fiscal.layouts.dfe_v1.units import CargoUnit, TransportUnit, UnitSeal
from carimbo.printing import formats
from carimbo.printing.transport_words import CARGO_UNITS, TRANSPORT_UNITS


def transport_unit_texts(units: Sequence[TransportUnit]) -> Iterator[str]:
    """Yields a text for each unit of transport, followed by those of its units of cargo."""
    for unit in units:
        name = TRANSPORT_UNITS.get(unit.type, unit.type)
        yield _text(f"{name} {unit.id}", unit.seals, formats.optional(unit.apportioned_quantity, 3))
        yield from map(cargo_unit_text, unit.cargo_units)


def cargo_unit_text(unit: CargoUnit) -> str:
    """Returns type, number, seals and apportioned quantity of a unit of cargo."""
    name = CARGO_UNITS.get(unit.type, unit.type)
    return _text(f"{name} {unit.id}", unit.seals, formats.optional(unit.apportioned_quantity, 3))


def _text(name: str, seals: Sequence[UnitSeal], quantity: str) -> str:
    numbers = ", ".join(seal.number for seal in seals)
    parts = name, numbers and f"lacres {numbers}", quantity and f"quantidade rateada {quantity}"
    return "; ".join(filter(None, parts))
