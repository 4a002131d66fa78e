"""The layout of an order, with every kind of element."""

from datetime import date, datetime
from decimal import Decimal

from carimbo.fiscal.layouts.group import (
    INLINE,
    attribute,
    child,
    children,
    day,
    decimal,
    group,
    integer,
    moment,
    text,
    texts,
    variant,
)


@group("porCanal")
class BySlot:
    """Shipping by slot."""

    slot: str = text("canal", 5)


@group("porPeso")
class ByWeight:
    """Shipping by weight."""

    weight: Decimal = decimal("peso", 3)


@group("linha")
class Line:
    """A line of an order."""

    position: int = attribute("n", 3, path=INLINE)
    flavour: str = attribute("aroma", 10, default="puro")
    name: str = text("nome", 10)
    price: Decimal | None = decimal("preco", path="unitPrice", default=None)


@group("endereco")
class Address:
    """The address of an order."""

    street: str = text("rua", 20, path="address.street")
    phone: str | None = text("fone", 14, default=None)


@group("desejo")
class Wish:
    """A group whose fields are all optional."""

    colour: str | None = text("cor", 10, default=None)
    words: tuple[str, ...] = texts("palavra", 10, 5, default=())


@group("gorjeta")
class Tip:
    """A group at the top of the caller's JSON that the layout writes further down."""

    amount: Decimal = decimal("valor")


@group("soma")
class Sums:
    """The sums of an order."""

    tip: Tip | None = child("gorjeta", path="/tip", default=None)


@group("pedido")
class Order:
    """An order, with every kind of element."""

    id: str = attribute("Id", 47)
    version: str = attribute("versao", 4, default="1.00")
    count: int | None = integer("quantos", default=None)
    placed_at: datetime | None = moment("dhPedido", default=None)
    due_date: date | None = day("dPrazo", default=None)
    notes: tuple[str, ...] = texts("nota", 10, 5, default=())
    buyer: Address | None = child("dest", default=None)
    wish: Wish | None = child("desejo", default=None)
    lines: tuple[Line, ...] = children("linha", 3, default=())
    wishes: tuple[Wish, ...] = children("outro", 2, default=())
    sums: Sums | None = child("soma", default=None)
    shipping: BySlot | ByWeight | None = variant("envio", default=None)
    packing: BySlot | ByWeight | None = variant(path=INLINE, default=None)
