"""The keys that orders of a company are known by: `Idempotency-Key` and `externalId`.

An order is a document that a caller creates directly, or a sale. Triggers claim its keys when it is stored
(migration 0017), so a key names one order, however many arrive at once.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from carimbo.storage.connection import Connection

_CONSTRAINTS = frozenset((
    "order_keys_pkey", "documents_by_idempotency_key", "documents_by_external_id", "sales_by_idempotency_key",
    "sales_by_external_id",
))  # fmt: skip
_FIND = """
    select k.key, k.is_header, k.document_id, k.sale_id, coalesce(d.external_id, s.external_id) as external_id
    from order_keys k
    left join documents d on d.subscription_id = k.subscription_id and d.id = k.document_id
    left join sales s on s.subscription_id = k.subscription_id and s.id = k.sale_id
    where k.subscription_id = $1 and k.company_id = $2 and k.namespace = $3 and k.key = any($4)
"""


class OrderKeyTaken(Exception):
    """Another order of the company has the key; the transaction is lost."""


@dataclass(frozen=True, slots=True)
class OrderKey:
    """A key and the order that has it: either a document or a sale."""

    key: str
    is_header: bool
    """Whether the order sent it as `Idempotency-Key`."""
    document_id: UUID | None
    sale_id: UUID | None
    external_id: str | None
    """The order's own `externalId`."""


class OrderKeys:
    """Keys of one subscription's orders."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def find(self, company_id: UUID, namespace: str, keys: Sequence[str]) -> list[OrderKey]:
        """Returns those of the keys that an order of the company has."""
        rows = await self._connection.fetch(_FIND, self._subscription_id, company_id, namespace, keys)
        return [OrderKey(**row) for row in rows]


@contextmanager
def claiming_keys() -> Iterator[None]:
    """Raises OrderKeyTaken if the statement inside stores an order whose key is taken."""
    try:
        yield
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name not in _CONSTRAINTS:
            raise
        raise OrderKeyTaken(error.constraint_name) from error
