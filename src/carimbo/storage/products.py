"""The products and services in each company's catalog."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg

from carimbo.storage.connection import Connection, Row, only
from carimbo.storage.identifiers import new_id
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than
from carimbo.storage.sql import NamedSql, json_object, json_objects, search_condition

_ULID_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID_LENGTH = 26
_BITS_OF_DIGIT = 5


class SkuTaken(Exception):
    """Another item of the catalog has the SKU."""


@dataclass(frozen=True, slots=True)
class ProductFilter:
    """A filter of a catalog's items; None matches all."""

    type: str | None = None
    search: str | None = None


@dataclass(frozen=True, kw_only=True)
class NewProduct:
    """A product or service to store in a catalog."""

    id: str
    company_id: UUID
    sku: str
    name: str
    type: str
    category: str | None
    price: Decimal | None = None
    guarantee: int | None = None
    """Days."""
    follows_company_defaults: bool
    fiscal: Mapping[str, Any] = field(default_factory=dict)
    """The item's own codes and rates, as JSON values."""
    components: Sequence[Mapping[str, str]] = field(default_factory=list)
    """The parts of a split item: `id`, and `percentage` as a text, so that no digit is lost."""


@dataclass(frozen=True, kw_only=True)
class ProductRow(NewProduct):
    """A product or service in a company's catalog."""

    created_at: datetime
    updated_at: datetime


_INSERTED = tuple(field.name for field in fields(NewProduct))
_CHANGEABLE = tuple(name for name in _INSERTED if name not in ("id", "company_id"))
_COLUMNS = ", ".join(field.name for field in fields(ProductRow))
_OF_COMPANY = "subscription_id = $1 and company_id = $2 and deleted_at is null"
_SELECT = f"select {_COLUMNS} from products where {_OF_COMPANY}"
_MATCHING = f"{_OF_COMPANY} and ($3::text is null or type = $3) and {search_condition('$4')}"
_ADD = NamedSql(
    f"insert into products (subscription_id, {', '.join(_INSERTED)})"
    f" values ($1, {', '.join(f':{name}' for name in _INSERTED)})"
    f" on conflict do nothing returning {_COLUMNS}"
)
_WRITE = NamedSql(
    f"update products set {', '.join(f'{name} = :{name}' for name in _CHANGEABLE)}, updated_at = now()"
    f" where {_OF_COMPANY} and id = $3 returning {_COLUMNS}"
)


class Products:
    """Products and services of one subscription's companies; deleted ones are found only by their ids."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, product: NewProduct) -> ProductRow | None:
        """Inserts an item; returns None if the SKU is taken."""
        row = await self._connection.fetchrow(
            _ADD.text, self._subscription_id, *_ADD.arguments(vars(product))
        )
        return row and _product(row)

    async def hold(self, company_id: UUID) -> None:
        """Locks the catalog of a company against other changes until the transaction ends.

        So no item is deleted or changed while a split item is made of it.
        """
        await self._connection.execute(
            "select pg_advisory_xact_lock(hashtextextended('catalog:' || $1::uuid, 0))", company_id
        )

    async def get(self, company_id: UUID, product_id: str) -> ProductRow | None:
        """Returns an item of a company's catalog, or None."""
        row = await self._connection.fetchrow(
            f"{_SELECT} and id = $3", self._subscription_id, company_id, product_id
        )
        return row and _product(row)

    async def find_by_sku(self, company_id: UUID, sku: str) -> ProductRow | None:
        """Returns the item of a company's catalog that has the SKU, or None."""
        row = await self._connection.fetchrow(
            f"{_SELECT} and sku = $3", self._subscription_id, company_id, sku
        )
        return row and _product(row)

    async def by_skus(self, company_id: UUID, skus: Sequence[str]) -> list[ProductRow]:
        """Returns the items with some SKUs, in any order."""
        rows = await self._connection.fetch(
            f"{_SELECT} and sku = any($3)", self._subscription_id, company_id, skus
        )
        return [_product(row) for row in rows]

    async def by_ids(
        self, company_id: UUID, ids: Sequence[str], deleted_too: Sequence[str] = ()
    ) -> list[ProductRow]:
        """Returns the items with some ids, in any order; deleted ones only if they are in `deleted_too`."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from products where subscription_id = $1 and company_id = $2"
            " and id = any($3) and (deleted_at is null or id = any($4))",
            self._subscription_id, company_id, ids, deleted_too,
        )  # fmt: skip
        return [_product(row) for row in rows]

    async def splits_with(self, company_id: UUID, product_id: str) -> list[ProductRow]:
        """Returns the split items that an item is part of, oldest first."""
        rows = await self._connection.fetch(
            f"{_SELECT} and components @> $3 order by created_at, id",
            self._subscription_id, company_id, [{"id": product_id}],
        )  # fmt: skip
        return [_product(row) for row in rows]

    async def page(self, company_id: UUID, wanted: ProductFilter, offset: int, size: int) -> list[ProductRow]:
        """Returns a page of a catalog, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from products where {_MATCHING}"
            " order by created_at desc, id desc offset $5 limit $6",
            self._subscription_id, company_id, wanted.type, wanted.search, offset, size,
        )  # fmt: skip
        return [_product(row) for row in rows]

    async def older(
        self, company_id: UUID, wanted: ProductFilter, after: Position | None, size: int
    ) -> KeysetPage[ProductRow]:
        """Returns the items after a place in a catalog, newest first."""
        values = [self._subscription_id, company_id, wanted.type, wanted.search]
        beyond = older_than(after, "created_at, id", values)
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from products where {_MATCHING}{beyond}"
            f" order by created_at desc, id desc limit {size}",
            *values,
        )
        return keyset_page(list(map(_product, rows)), size, lambda row: (row.created_at, row.id))

    async def count(self, company_id: UUID, wanted: ProductFilter) -> int:
        """Returns how many items of a catalog a filter matches."""
        total: int = await self._connection.fetchval(
            f"select count(*) from products where {_MATCHING}",
            self._subscription_id, company_id, wanted.type, wanted.search,
        )  # fmt: skip
        return total

    async def write(self, product: NewProduct) -> ProductRow:
        """Replaces an item's columns except its ids. Raises SkuTaken; the transaction can go on then."""
        try:
            async with self._connection.transaction():
                row = await self._connection.fetchrow(
                    _WRITE.text,
                    self._subscription_id, product.company_id, product.id, *_WRITE.arguments(vars(product)),
                )  # fmt: skip
        except asyncpg.UniqueViolationError as error:
            raise SkuTaken(product.sku) from error
        return _product(only(row))

    async def delete(self, company_id: UUID, product_id: str) -> bool:
        """Marks an item as deleted, as sales go on referring to it; returns False if there is none."""
        result = await self._connection.execute(
            f"update products set deleted_at = now(), updated_at = now() where {_OF_COMPANY} and id = $3",
            self._subscription_id, company_id, product_id,
        )  # fmt: skip
        return bool(result == "UPDATE 1")


def _product(row: Row) -> ProductRow:
    values = dict(row)
    fiscal = json_object("products", row["id"], "fiscal", row["fiscal"]) or {}
    components = json_objects("products", row["id"], "components", row["components"])
    return ProductRow(**values | {"fiscal": fiscal, "components": components})


def new_product_id() -> str:
    """Returns a new ULID: the bits of an id that sorts by time, in Crockford's base 32."""
    value = new_id().int
    return "".join(
        _ULID_DIGITS[value >> _BITS_OF_DIGIT * place & 31] for place in reversed(range(_ULID_LENGTH))
    )
