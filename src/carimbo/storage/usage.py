"""The documents of a whole subscription, from the counters of days: no document is read."""

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from carimbo.storage.connection import Connection

# By company: the key of the counters has the day after the company.
_SINCE = """
    select d.type, d.status, sum(d.documents)::bigint as documents
    from companies c join document_days d on d.subscription_id = c.subscription_id and d.company_id = c.id
    where c.subscription_id = $1 and d.day >= $2 and d.environment = $3
    group by d.type, d.status having sum(d.documents) > 0
"""


@dataclass(frozen=True)
class TypeCount:
    """How many documents have a type and a status."""

    type: str
    status: str
    documents: int


async def documents_since(
    connection: Connection, subscription_id: UUID, day: date, environment: str
) -> list[TypeCount]:
    """Returns the documents of all companies of a subscription since a day, also of deleted companies."""
    rows = await connection.fetch(_SINCE, subscription_id, day, environment)
    return [TypeCount(**row) for row in rows]
