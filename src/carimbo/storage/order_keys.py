"""The keys of a company's orders: `Idempotency-Key` and `externalId`.

An order is a document that a caller creates directly, or a sale. Triggers claim its keys when it is stored
(migrations 0017 and 0018), so a key belongs to one order, even if several arrive at once.
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
# Reads documents and sales, not order_keys: in the first release a document and a sale could have the same
# key. Documents of that release without an Idempotency-Key have their externalId in both columns.
_FIND = """
    select d.idempotency_key as key, d.idempotency_key is distinct from d.external_id or k.is_header is true
        as is_header, d.id as document_id, null::uuid as sale_id, d.external_id
    from documents d
    left join order_keys k on k.subscription_id = d.subscription_id and k.company_id = d.company_id
        and k.namespace = d.namespace and k.key = d.idempotency_key and k.document_id = d.id
    where d.subscription_id = $1 and d.company_id = $2 and d.namespace = $3 and d.idempotency_key = any($4)
    union all
    select external_id, false, id, null, external_id from documents
    where subscription_id = $1 and company_id = $2 and namespace = $3 and external_id = any($4) and is_direct
    union all
    select idempotency_key, true, null, id, external_id from sales
    where subscription_id = $1 and company_id = $2 and $3 = 'invoices' and idempotency_key = any($4)
    union all
    select external_id, false, null, id, external_id from sales
    where subscription_id = $1 and company_id = $2 and $3 = 'invoices' and external_id = any($4)
        and not is_direct
"""


class OrderKeyTaken(Exception):
    """Another order of the company has the key; the transaction has failed."""


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
        """Returns the uses of some keys by orders of the company; a key may have several."""
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
