"""The block of the cargo with its quantities."""

import unicodedata
from collections.abc import Iterator, Sequence

from carimbo.fiscal.layouts.cte_v4.cargo import Cargo, CargoQuantity
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row

_PER_ROW = 5
_CUBIC_METRES, _KILOGRAMS, _TONS, _PIECES = "00", "01", "02", "03"
_UNITS = {
    _CUBIC_METRES: "M3",
    _KILOGRAMS: "KG",
    _TONS: "TON",
    _PIECES: "UN",
    "04": "LITROS",
    "05": "MMBTU",
}
_TITLES = ("PESO BRUTO (KG)", "PESO BASE DE CÁLCULO (KG)", "PESO AFERIDO (KG)", "CUBAGEM (M3)", "VOLUMES")
_GROSS, _BASE, _MEASURED, _CUBAGE, _VOLUMES = range(_PER_ROW)


def cargo_block(canvas: Canvas, cargo: Cargo) -> Block:
    """Returns product, value and quantities of the cargo."""
    described = row(
        canvas,
        PrintedField("PRODUTO PREDOMINANTE", cargo.predominant_product, 90),
        PrintedField("OUTRAS CARACTERÍSTICAS DA CARGA", cargo.other_characteristics or "", 66),
        PrintedField("VALOR TOTAL DA CARGA", formats.optional(cargo.amount), CONTENT - 156, Align.RIGHT),
    )
    return Block("CARGA", (described, *_quantity_rows(canvas, cargo.quantities)))


def _quantity_rows(canvas: Canvas, quantities: Sequence[CargoQuantity]) -> Iterator[Row]:
    """Yields the row of the usual measures, then rows of all others with their own titles."""
    usual: dict[int, CargoQuantity] = {}
    others = []
    for quantity in quantities:
        place = _place(quantity)
        if place is None or place in usual:
            others.append(quantity)
        else:
            usual[place] = quantity

    width = CONTENT / _PER_ROW
    values = (_value(usual.get(place), is_volume=place == _VOLUMES) for place in range(_PER_ROW))
    fields = (
        PrintedField(title, value, width, Align.RIGHT) for title, value in zip(_TITLES, values, strict=True)
    )
    yield row(canvas, *fields)
    for start in range(0, len(others), _PER_ROW):
        part = others[start : start + _PER_ROW]
        named = [PrintedField(_title(quantity), _value(quantity), width, Align.RIGHT) for quantity in part]
        yield row(canvas, *named, *[PrintedField("", "", width)] * (_PER_ROW - len(named)))


def _place(quantity: CargoQuantity) -> int | None:
    """Returns the place of a quantity among the usual measures, by its unit and the words of its type."""
    if quantity.unit in (_KILOGRAMS, _TONS):
        words = unicodedata.normalize("NFD", quantity.measure_type).upper()
        places = {"BRUTO": _GROSS, "BASE": _BASE, "BC": _BASE, "AFERIDO": _MEASURED}
        return next((place for word, place in places.items() if word in words), None)
    return {_CUBIC_METRES: _CUBAGE, _PIECES: _VOLUMES}.get(quantity.unit)


def _title(quantity: CargoQuantity) -> str:
    unit = _KILOGRAMS if quantity.unit == _TONS else quantity.unit
    return f"{quantity.measure_type} ({_UNITS.get(unit, unit)})"


def _value(quantity: CargoQuantity | None, *, is_volume: bool = False) -> str:
    """Returns a quantity; tons are printed as kilograms (MOC CT-e 4.00, Anexo II)."""
    if quantity is None:
        return ""
    value = quantity.quantity * 1000 if quantity.unit == _TONS else quantity.quantity
    number = formats.number(value, 0 if quantity.unit == _PIECES else 3, 4)
    return f"{number} {quantity.measure_type}" if is_volume else number
