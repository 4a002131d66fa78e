"""How a sale divides into the lines of its documents: every part adds up to the whole, to the cent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from carimbo.fiscal.catalog_sale import ItemType, SoldLine
from carimbo.fiscal.money import ZERO, cents, shares
from carimbo.storage.products import NewProduct

# What the layouts have room for; of ten million units the price still makes up their total to the cent.
_FINEST_PRICE = Decimal("0.0000000001")


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a split item."""

    product: NewProduct
    percentage: Decimal


@dataclass(frozen=True, slots=True)
class PricedLine:
    """A line of a sale whose item and price are known."""

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
    """A line, or what one component has of it."""

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
    """Returns what kinds of items the lines sell, those of the components of split items."""
    present = {part.product.type for line in lines for part in _parts(0, line)}
    return [kind for kind in ItemType if kind in present]


def divided(
    lines: Sequence[PricedLine], discount: Decimal, shipping: Decimal
) -> dict[ItemType, tuple[SoldLine, ...]]:
    """The lines of each document, with their parts of the discount and of the shipping.

    The discount falls on all in proportion to their totals. What is shipped is goods: only a sale without any
    charges its shipping on services.
    """
    parts = [part for position, line in enumerate(lines) for part in _parts(position, line)]
    goods = [part.product.type == ItemType.PRODUCT for part in parts]
    discounts = shares(discount, [part.total for part in parts])
    carried = [part for part, is_good in zip(parts, goods, strict=True) if is_good or not any(goods)]
    charged = iter(shares(shipping, [part.total for part in carried]))
    shippings = [next(charged) if is_good or not any(goods) else ZERO for is_good in goods]
    sold = [_sold(*given) for given in zip(parts, discounts, shippings, strict=True)]
    kinds = [ItemType(part.product.type) for part in parts]
    return {
        kind: tuple(line for line, own in zip(sold, kinds, strict=True) if own is kind)
        for kind in ItemType
        if kind in kinds
    }


def _parts(position: int, line: PricedLine) -> Iterator[_Part]:
    if not line.components:
        yield _Part(position, line, line.product, line.name, line.total)
        return
    totals = shares(line.total, [component.percentage for component in line.components])
    for component, total in zip(line.components, totals, strict=True):
        yield _Part(position, line, component.product, component.product.name, total)


def _sold(part: _Part, discount: Decimal, shipping: Decimal) -> SoldLine:
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
