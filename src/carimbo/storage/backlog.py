"""Documents that are under way, and those that were set aside: what people and monitors look at."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection, only


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """Documents under way."""

    processing: int
    overdue: int
    parked: int
    oldest_queued_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ParkedDocument:
    """A document that nobody works on until a person says so."""

    subscription_id: UUID
    company_id: UUID
    id: UUID
    type: str
    queued_at: datetime
    parked_reason: str


_BACKLOG = """
    select count(*) as processing,
        count(*) filter (where queued_at < now() - $1::interval) as overdue,
        count(*) filter (where parked_reason is not null) as parked,
        min(queued_at) as oldest_queued_at
    from documents where status = 'processing'
"""


async def backlog_of_company(
    connection: Connection, subscription_id: UUID, company_id: UUID, overdue: timedelta
) -> Backlog:
    """What of a company is under way, and for how long."""
    row = await connection.fetchrow(
        f"{_BACKLOG} and subscription_id = $2 and company_id = $3", overdue, subscription_id, company_id
    )
    return Backlog(**only(row))


async def whole_backlog(connection: Connection, overdue: timedelta) -> Backlog:
    """What is under way in this installation."""
    return Backlog(**only(await connection.fetchrow(_BACKLOG, overdue)))


async def parked_documents(connection: Connection) -> list[ParkedDocument]:
    """What was set aside in this installation, oldest first."""
    rows = await connection.fetch(
        "select subscription_id, company_id, id, type, queued_at, parked_reason from documents"
        " where status = 'processing' and parked_reason is not null order by queued_at, id"
    )
    return [ParkedDocument(**row) for row in rows]
