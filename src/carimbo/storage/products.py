"""The products and services in each company's catalog."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.identifiers import new_id

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH = 26
_BITS = 5


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


@dataclass(frozen=True, kw_only=True)
class Product(NewProduct):
    """A product or service in a company's catalog."""

    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


_INSERTED = tuple(field.name for field in fields(NewProduct))
_COLUMNS = ", ".join(field.name for field in fields(Product))


class Products:
    """Products and services of one subscription's companies; a deleted one is not seen."""

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
        return row and Product(**row)

    async def find_by_sku(self, company_id: UUID, sku: str) -> Product | None:
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from products where subscription_id = $1 and company_id = $2 and sku = $3"
            " and deleted_at is null",
            self._subscription_id, company_id, sku,
        )  # fmt: skip
        return row and Product(**row)


def new_product_id() -> str:
    """Make a ULID: the bits of an id that sorts by time, in Crockford's base 32."""
    value = new_id().int
    return "".join(_DIGITS[value >> _BITS * place & 31] for place in reversed(range(_LENGTH)))
