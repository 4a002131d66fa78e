"""What is under way, and what was set aside: what people and monitors look at."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection, only
from carimbo.storage.work import WorkKey, WorkKind


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """Documents under way."""

    processing: int
    overdue: int
    parked: int
    oldest_queued_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ParkedWork:
    """A document or statement that nobody works on until a person says so."""

    kind: str
    subscription_id: UUID
    company_id: UUID
    id: UUID
    type: str
    queued_at: datetime
    parked_reason: str

    @property
    def key(self) -> WorkKey:
        return WorkKey(WorkKind(self.kind), self.subscription_id, self.id)


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


_PARKED = """
    select * from (
        select 'document' as kind, subscription_id, company_id, id, type, queued_at, parked_reason
        from documents where status = 'processing'
        union all
        select 'event', subscription_id, company_id, id, type, created_at, parked_reason from event_filings
        union all
        select 'inutilization', subscription_id, company_id, id, document_type, created_at, parked_reason
        from inutilizations
        union all
        select 'stray', subscription_id, company_id, id, 'emission', created_at, parked_reason from strays
        union all
        select 'sale', subscription_id, company_id, id, emit_when, created_at, parked_reason from sales
        union all
        select 'email', subscription_id, company_id, id, asked_by, created_at, parked_reason from emails
    ) as work where parked_reason is not null and ($1::uuid is null or id = $1) order by queued_at, id
"""
_STATEMENTS_UNDER_WAY = """
    select (select count(*) from event_filings
            where subscription_id = $1 and company_id = $2 and state in ('queued', 'signed', 'sent'))
        + (select count(*) from inutilizations
            where subscription_id = $1 and company_id = $2 and state in ('queued', 'signed', 'sent'))
        + (select count(*) from strays where subscription_id = $1 and company_id = $2
            and (next_action_at is not null or parked_reason is not null))
"""


async def parked_work(connection: Connection, work_id: UUID | None = None) -> list[ParkedWork]:
    """What was set aside in this installation, oldest first: all of it, or one thing."""
    return [ParkedWork(**row) for row in await connection.fetch(_PARKED, work_id)]


async def statements_under_way(connection: Connection, subscription_id: UUID, company_id: UUID) -> int:
    """How much of a company's, other than documents, an authority has still to be asked about."""
    count: int = await connection.fetchval(_STATEMENTS_UNDER_WAY, subscription_id, company_id)
    return count
