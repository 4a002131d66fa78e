"""The block of the price with its components."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from carimbo.fiscal.layouts.cte_v4.waybill import PriceComponent, ServicePrice
from carimbo.printing import formats
from carimbo.printing.engine.canvas import Align, Canvas
from carimbo.printing.sheet import CONTENT, Block, PrintedField, Row, row

_COMPONENTS_PER_ROW = 4


def price_block(canvas: Canvas, price: ServicePrice) -> Block:
    """Returns the components in columns, the total and the amount to receive."""
    amounts = (
        ("VALOR LÍQUIDO DO SERVIÇO", price.net_amount),
        ("VALOR TOTAL DO SERVIÇO", price.amount),
        ("VALOR A RECEBER", price.receivable_amount),
    )
    present = [(title, formats.number(amount)) for title, amount in amounts if amount is not None]
    width = CONTENT / len(present)
    totals = row(
        canvas, *(PrintedField(title, amount, width, Align.RIGHT, bold=True) for title, amount in present)
    )
    rows = (*_component_rows(canvas, price.components), totals)
    return Block("COMPONENTES DO VALOR DA PRESTAÇÃO DO SERVIÇO", rows)


def _component_rows(canvas: Canvas, components: Sequence[PriceComponent]) -> Iterator[Row]:
    """Yields rows of names and values; only the first has titles."""
    value = 22.0
    name = CONTENT / _COMPONENTS_PER_ROW - value
    for start in range(0, max(len(components), 1), _COMPONENTS_PER_ROW):
        part = [(item.name, item.amount) for item in components[start : start + _COMPONENTS_PER_ROW]]
        empty: list[tuple[str, Decimal | None]] = [("", None)] * (_COMPONENTS_PER_ROW - len(part))
        titles = ("", "") if start else ("NOME", "VALOR")
        fields = (
            field
            for text, amount in [*part, *empty]
            for field in (
                PrintedField(titles[0], text, name),
                PrintedField(titles[1], formats.optional(amount), value, Align.RIGHT),
            )
        )
        yield row(canvas, *fields, size=8)
