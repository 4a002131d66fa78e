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
from carimbo.storage.json_columns import json_object, json_objects
from carimbo.storage.searching import matches_search

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26
_BITS = 5


class SkuTaken(Exception):
    """Another item of the catalog has the SKU."""


@dataclass(frozen=True, slots=True)
class ProductFilter:
    """Which items of a catalog are meant; None is all."""

    type: str | None = None
    search: str | None = None


@dataclass(frozen=True, kw_only=True)
class NewProduct:
    """A product or service to be put into a catalog."""

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
    """Codes and rates of its own, plain values of JSON."""
    components: Sequence[Mapping[str, str]] = field(default_factory=list)
    """Of a split item: `id` and `percentage`, a text in which no digit is lost."""


@dataclass(frozen=True, kw_only=True)
class Product(NewProduct):
    """A product or service in a company's catalog."""

    created_at: datetime
    updated_at: datetime


_INSERTED = tuple(field.name for field in fields(NewProduct))
_CHANGEABLE = tuple(name for name in _INSERTED if name not in ("id", "company_id"))
_COLUMNS = ", ".join(field.name for field in fields(Product))
_OF_COMPANY = "subscription_id = $1 and company_id = $2 and deleted_at is null"
_SELECT = f"select {_COLUMNS} from products where {_OF_COMPANY}"
_MATCHING = f"{_OF_COMPANY} and ($3::text is null or type = $3) and {matches_search(4)}"


class Products:
    """Products and services of one subscription's companies; deleted ones are seen only by their ids."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def add(self, product: NewProduct) -> Product | None:
        """Insert; None when the SKU is taken."""
        arguments = ", ".join(f"${position}" for position in range(2, 2 + len(_INSERTED)))
        row = await self._connection.fetchrow(
            f"insert into products (subscription_id, {', '.join(_INSERTED)}) values ($1, {arguments})"
            f" on conflict do nothing returning {_COLUMNS}",
            self._subscription_id, *(getattr(product, name) for name in _INSERTED),
        )  # fmt: skip
        return row and _product(row)

    async def hold(self, company_id: UUID) -> None:
        """Wait for whoever changes the catalog, and keep others from it until the transaction ends.

        So no item leaves the catalog, or becomes another, while a split is made of it.
        """
        await self._connection.execute(
            "select pg_advisory_xact_lock(hashtextextended('catalog:' || $1::uuid, 0))", company_id
        )

    async def get(self, company_id: UUID, product_id: str) -> Product | None:
        """An item of a company's catalog."""
        row = await self._connection.fetchrow(
            f"{_SELECT} and id = $3", self._subscription_id, company_id, product_id
        )
        return row and _product(row)

    async def find_by_sku(self, company_id: UUID, sku: str) -> Product | None:
        """The item of a company's catalog that has the SKU."""
        row = await self._connection.fetchrow(
            f"{_SELECT} and sku = $3", self._subscription_id, company_id, sku
        )
        return row and _product(row)

    async def by_skus(self, company_id: UUID, skus: Sequence[str]) -> list[Product]:
        """Those of these SKUs that the catalog has, in no order."""
        rows = await self._connection.fetch(
            f"{_SELECT} and sku = any($3)", self._subscription_id, company_id, skus
        )
        return [_product(row) for row in rows]

    async def by_ids(
        self, company_id: UUID, ids: Sequence[str], deleted_too: Sequence[str] = ()
    ) -> list[Product]:
        """Returns the items that have these ids, in no order; deleted ones only if they are named as such."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from products where subscription_id = $1 and company_id = $2"
            " and id = any($3) and (deleted_at is null or id = any($4))",
            self._subscription_id, company_id, ids, deleted_too,
        )  # fmt: skip
        return [_product(row) for row in rows]

    async def splits_with(self, company_id: UUID, product_id: str) -> list[Product]:
        """The split items that divide into an item, oldest first."""
        rows = await self._connection.fetch(
            f"{_SELECT} and components @> $3 order by created_at, id",
            self._subscription_id, company_id, [{"id": product_id}],
        )  # fmt: skip
        return [_product(row) for row in rows]

    async def page(self, company_id: UUID, wanted: ProductFilter, offset: int, size: int) -> list[Product]:
        """A page of a catalog, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from products where {_MATCHING}"
            " order by created_at desc, id desc offset $5 limit $6",
            self._subscription_id, company_id, wanted.type, wanted.search, offset, size,
        )  # fmt: skip
        return [_product(row) for row in rows]

    async def count(self, company_id: UUID, wanted: ProductFilter) -> int:
        """How many items of a catalog a filter matches."""
        total: int = await self._connection.fetchval(
            f"select count(*) from products where {_MATCHING}",
            self._subscription_id, company_id, wanted.type, wanted.search,
        )  # fmt: skip
        return total

    async def write(self, product: NewProduct) -> Product:
        """Replace all but what it is known by; raises SkuTaken, and the transaction may go on."""
        changes = ", ".join(f"{name} = ${position}" for position, name in enumerate(_CHANGEABLE, 4))
        try:
            async with self._connection.transaction():
                row = await self._connection.fetchrow(
                    f"update products set {changes}, updated_at = now()"
                    f" where {_OF_COMPANY} and id = $3 returning {_COLUMNS}",
                    self._subscription_id, product.company_id, product.id,
                    *(getattr(product, name) for name in _CHANGEABLE),
                )  # fmt: skip
        except asyncpg.UniqueViolationError as error:
            raise SkuTaken(product.sku) from error
        return _product(only(row))

    async def delete(self, company_id: UUID, product_id: str) -> bool:
        """Mark as deleted: sales go on naming it."""
        result = await self._connection.execute(
            f"update products set deleted_at = now(), updated_at = now() where {_OF_COMPANY} and id = $3",
            self._subscription_id, company_id, product_id,
        )  # fmt: skip
        return bool(result == "UPDATE 1")


def _product(row: Row) -> Product:
    values = dict(row)
    fiscal = json_object("products", row["id"], "fiscal", row["fiscal"]) or {}
    components = json_objects("products", row["id"], "components", row["components"])
    return Product(**values | {"fiscal": fiscal, "components": components})


def new_product_id() -> str:
    """Make a ULID: the bits of an id that sorts by time, in Crockford's base 32."""
    value = new_id().int
    return "".join(_DIGITS[value >> _BITS * place & 31] for place in reversed(range(_LENGTH)))
