"""Sales, and the lines that each has."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection

_NOTHING = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class SaleLine:
    """What was sold, and at which price."""

    product_id: str
    name: str
    price: Decimal
    quantity: Decimal
    total: Decimal


@dataclass(frozen=True, kw_only=True)
class NewSale:
    """A sale to be stored."""

    id: UUID
    company_id: UUID
    external_id: str | None
    is_direct: bool
    """Whether a document that was created directly makes it."""
    customer_id: UUID
    amount: Decimal
    discount: Decimal = _NOTHING
    shipping: Decimal = _NOTHING
    sold_on: date
    payment_method: str | None = None
    emit_when: str
    guarantee_date: date | None = None


@dataclass(frozen=True, kw_only=True)
class Sale(NewSale):
    """A stored sale; how it stands is what its documents say."""

    created_at: datetime
    updated_at: datetime


_IDENTITY = ("id", "company_id", "external_id", "is_direct")
_INSERTED = tuple(field.name for field in fields(NewSale))
_CHANGEABLE = tuple(name for name in _INSERTED if name not in _IDENTITY)
_COLUMNS = ", ".join(field.name for field in fields(Sale))
_LINE_COLUMNS = ", ".join(field.name for field in fields(SaleLine))
_LINE_TYPES = ("text", "text", "numeric", "numeric", "numeric")


def _lines_added(of: str, first: int) -> str:
    """SQL that writes lines in the statement of their sale, by parameters from the first one on."""
    arrays = ", ".join(f"${first + place}::{kind}[]" for place, kind in enumerate(_LINE_TYPES))
    return (
        f"insert into sale_lines (subscription_id, sale_id, {_LINE_COLUMNS}, position)"
        f" select {of}.subscription_id, {of}.id, line.*"
        f" from {of}, unnest({arrays}) with ordinality as line"
    )


_ADD = f"""
    with added as (
        insert into sales (subscription_id, {", ".join(_INSERTED)})
        values ($1, {", ".join(f"${position}" for position in range(2, 2 + len(_INSERTED)))})
        on conflict do nothing returning *
    ), listed as ({_lines_added("added", 2 + len(_INSERTED))})
    select {_COLUMNS} from added
"""
_REWRITE = f"""
    with changed as (
        update sales set {", ".join(f"{name} = ${place}" for place, name in enumerate(_CHANGEABLE, 3))},
            updated_at = now()
        where subscription_id = $1 and id = $2 returning *
    ) {_lines_added("changed", 3 + len(_CHANGEABLE))}
"""


class Sales:
    """Sales of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, sale: NewSale, lines: Sequence[SaleLine]) -> Sale | None:
        """Insert with its lines; None when another sale has the external id."""
        row = await self._connection.fetchrow(
            _ADD, self._subscription_id, *(getattr(sale, name) for name in _INSERTED), *_line_columns(lines)
        )
        return row and Sale(**row)

    async def get(self, sale_id: UUID) -> Sale | None:
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from sales where subscription_id = $1 and id = $2",
            self._subscription_id, sale_id,
        )  # fmt: skip
        return row and Sale(**row)

    async def lines(self, sale_id: UUID) -> list[SaleLine]:
        """What a sale sells, in the order that it was told in."""
        rows = await self._connection.fetch(
            f"select {_LINE_COLUMNS} from sale_lines where subscription_id = $1 and sale_id = $2"
            " order by position",
            self._subscription_id, sale_id,
        )  # fmt: skip
        return [SaleLine(**row) for row in rows]

    async def rewrite(self, sale: Sale, lines: Sequence[SaleLine]) -> None:
        """Write all of a sale but what it is known by, in the caller's transaction."""
        await self._connection.execute(
            "delete from sale_lines where subscription_id = $1 and sale_id = $2",
            self._subscription_id, sale.id,
        )  # fmt: skip
        await self._connection.execute(
            _REWRITE,
            self._subscription_id, sale.id, *(getattr(sale, name) for name in _CHANGEABLE),
            *_line_columns(lines),
        )  # fmt: skip


def _line_columns(lines: Sequence[SaleLine]) -> tuple[list[Any], ...]:
    """The parameters of the lines, a list a column."""
    return tuple([getattr(line, field.name) for line in lines] for field in fields(SaleLine))
