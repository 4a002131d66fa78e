"""Divides the lines of a sale by kind of item; each kind becomes one document.

The parts add up to the whole, to the cent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.catalog.sale import ItemType, SoldLine
from carimbo.fiscal.money import ZERO, cents, split_amount
from carimbo.storage.products import NewProduct

# The precision of the layouts; even for ten million units price times quantity is the total, to the cent.
_FINEST_PRICE = Decimal("0.0000000001")


@dataclass(frozen=True, slots=True)
class Component:
    """A component of a split item."""

    product: NewProduct
    percentage: Decimal


@dataclass(frozen=True, slots=True)
class PricedLine:
    """A line of a sale with its item and price."""

    product: NewProduct
    name: str
    price: Decimal
    quantity: Decimal
    components: tuple[Component, ...] = ()

    @property
    def total(self) -> Decimal:
        return cents(self.price * self.quantity)


@dataclass(frozen=True, slots=True)
class _Part:
    """A line, or the part of a line that belongs to a component."""

    position: int
    line: PricedLine
    product: NewProduct
    name: str
    total: Decimal

    @property
    def price(self) -> Decimal:
        if self.product is self.line.product:
            return self.line.price
        return (self.total / self.line.quantity).quantize(_FINEST_PRICE)


def item_types(lines: Sequence[PricedLine]) -> list[ItemType]:
    """Returns the kinds of items in the lines; for split items, those of their components."""
    present = {part.product.type for line in lines for part in _parts(0, line)}
    return [item_type for item_type in ItemType if item_type in present]


def divide_lines(
    lines: Sequence[PricedLine], discount: Decimal, shipping: Decimal
) -> dict[ItemType, tuple[SoldLine, ...]]:
    """Returns the lines of each document, with their shares of the discount and of the shipping.

    The discount is divided among all lines in proportion to their totals. Shipping is divided among goods;
    only a sale without goods charges it on services.
    """
    parts = [part for position, line in enumerate(lines) for part in _parts(position, line)]
    types = [ItemType(part.product.type) for part in parts]
    discounts = split_amount(discount, [part.total for part in parts])

    has_goods = ItemType.PRODUCT in types
    is_shipped = [item_type is ItemType.PRODUCT or not has_goods for item_type in types]
    totals = [part.total for part, shipped in zip(parts, is_shipped, strict=True) if shipped]
    charges = iter(split_amount(shipping, totals))
    shippings = [next(charges) if shipped else ZERO for shipped in is_shipped]

    divided: dict[ItemType, list[SoldLine]] = {item_type: [] for item_type in ItemType if item_type in types}
    for part, item_type, part_discount, part_shipping in zip(parts, types, discounts, shippings, strict=True):
        divided[item_type].append(_sold_line(part, part_discount, part_shipping))
    return {item_type: tuple(sold_lines) for item_type, sold_lines in divided.items()}


def _parts(position: int, line: PricedLine) -> Iterator[_Part]:
    if not line.components:
        yield _Part(position, line, line.product, line.name, line.total)
        return
    totals = split_amount(line.total, [component.percentage for component in line.components])
    for component, total in zip(line.components, totals, strict=True):
        yield _Part(position, line, component.product, component.product.name, total)


def _sold_line(part: _Part, discount: Decimal, shipping: Decimal) -> SoldLine:
    return SoldLine(
        position=part.position,
        sku=part.product.sku,
        name=part.name,
        category=part.product.category,
        quantity=part.line.quantity,
        price=part.price,
        total=part.total,
        discount=discount,
        shipping=shipping,
        guarantee=part.product.guarantee,
        fiscal=part.product.fiscal,
        follows_company_defaults=part.product.follows_company_defaults,
    )
