"""Figures of work, queue, webhooks and certificates, for operators and metrics.

Metrics are read every few seconds, so none of these statements reads settled rows.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection, only
from carimbo.storage.work import TABLES, WorkKind


@dataclass(frozen=True, kw_only=True)
class Backlog:
    """Counts of documents that are processing."""

    processing: int
    overdue: int
    parked: int
    oldest_queued_at: datetime | None


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
    """Returns the backlog of a company; documents queued longer ago than `overdue` count as overdue."""
    row = await connection.fetchrow(
        f"{_BACKLOG} and subscription_id = $2 and company_id = $3", overdue, subscription_id, company_id
    )
    return Backlog(**only(row))


async def total_backlog(connection: Connection, overdue: timedelta) -> Backlog:
    """Returns the backlog of the whole installation."""
    return Backlog(**only(await connection.fetchrow(_BACKLOG, overdue)))


_OPEN_FILINGS = """
    select (select count(*) from event_filings
            where subscription_id = $1 and company_id = $2 and state in ('queued', 'signed', 'sent'))
        + (select count(*) from inutilizations
            where subscription_id = $1 and company_id = $2 and state in ('queued', 'signed', 'sent'))
        + (select count(*) from manifestations
            where subscription_id = $1 and company_id = $2 and state in ('queued', 'signed', 'sent'))
        + (select count(*) from strays where subscription_id = $1 and company_id = $2
            and (next_action_at is not null or parked_reason is not null))
"""


async def count_open_filings(connection: Connection, subscription_id: UUID, company_id: UUID) -> int:
    """Returns how many filings and superseded attempts of a company are not settled."""
    count: int = await connection.fetchval(_OPEN_FILINGS, subscription_id, company_id)
    return count


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """Counts of the rows with work."""

    waiting: int
    """Due, and not taken by a worker."""
    running: int
    later: int
    """Not due yet."""
    oldest_seconds: float
    """How long the oldest waiting row has been due."""


@dataclass(frozen=True, kw_only=True)
class WebhookStates:
    """Counts of webhooks by state."""

    answering: int
    failing: int
    """Failing since their last success, with deliveries that will be retried."""
    given_up: int
    """Failing, but with no delivery left to retry: whether they answer now is unknown."""
    disabled: int
    """Disabled because of their failures; not those that their owner disabled."""


@dataclass(frozen=True, kw_only=True)
class StreamStates:
    """Counts of the streams that companies follow; one may be in several states."""

    followed: int
    blocked: int
    """The authority blocks all questions for about an hour."""
    behind: int
    """With documents that were announced, or given to another program, and did not come yet."""
    silent: int
    """Without an answer for two days; after sixty the authority adds no more documents."""


# No index has all documents with work: one has those that wait for their turn, and one has the others.
_WITH_WORK = " union all ".join(
    f"select next_action_at, coalesce(lease_until > now(), false) as is_held from {table}"
    f" where next_action_at is not null{turns}"
    for kind, table in TABLES.items()
    for turns in ((" and turn > 0", " and turn = 0") if kind is WorkKind.DOCUMENT else ("",))
)
_QUEUE = f"""
    select count(*) filter (where is_due) as waiting, count(*) filter (where is_held) as running,
        count(*) filter (where not is_held and not is_due) as later,
        coalesce(extract(epoch from now() - min(next_action_at) filter (where is_due)), 0)::float8
            as oldest_seconds
    from (
        select next_action_at, is_held, not is_held and next_action_at <= now() as is_due
        from ({_WITH_WORK}) as rows
    ) as rows
"""
# Not probes: nobody resumes a probe that failed.
_PARKED_BY_KIND = " union all ".join(
    f"select '{kind}' as kind, count(*) as parked from {table} where parked_reason is not null"
    for kind, table in TABLES.items()
    if kind is not WorkKind.PROBE
)
_WEBHOOKS = """
    select count(*) filter (where is_active and failing_since is null) as answering,
        count(*) filter (where is_active and failing_since is not null and is_owed) as failing,
        count(*) filter (where is_active and failing_since is not null and not is_owed) as given_up,
        count(*) filter (where not is_active and disabled_reason is not null) as disabled
    from (
        select is_active, failing_since, disabled_reason, failing_since is not null and (
            select min(next_action_at) from deliveries d where d.webhook_id = w.id
        ) is not null as is_owed
        from webhooks w where deleted_at is null
    ) as webhooks
"""
# Only streams that a company follows: nothing is asked for the others.
_STREAMS = """
    select count(*) as followed,
        count(*) filter (where blocked_until > now()) as blocked,
        count(*) filter (where last_nsu < max_nsu or exists (
            select from stream_gaps g where g.stream_id = s.id and g.filled_at is null
        )) as behind,
        count(*) filter (where coalesce(answered_at, created_at) < now() - interval '2 days') as silent
    from streams s
    where exists (select from receptions r where r.stream_id = s.id and r.is_active)
"""
# A started day counts as a whole one.
_CERTIFICATES = """
    select greatest(0, ceil(extract(epoch from e.expires_at - $1) / 86400))::integer as days_left,
        count(*) as certificates
    from certificates e
    join companies c on c.subscription_id = e.subscription_id and c.id = e.company_id
    where c.deleted_at is null and e.expires_at <= $2
    group by 1
"""


async def queue_state(connection: Connection) -> QueueState:
    """Returns how many rows wait for a worker, and for how long."""
    return QueueState(**only(await connection.fetchrow(_QUEUE)))


async def parked_by_kind(connection: Connection) -> dict[str, int]:
    """Returns how much work of each kind is parked."""
    return {row["kind"]: row["parked"] for row in await connection.fetch(_PARKED_BY_KIND)}


async def webhook_states(connection: Connection) -> WebhookStates:
    """Returns how many webhooks are in each state."""
    return WebhookStates(**only(await connection.fetchrow(_WEBHOOKS)))


async def stream_states(connection: Connection) -> StreamStates:
    """Returns how many streams are in each state."""
    return StreamStates(**only(await connection.fetchrow(_STREAMS)))


async def certificates_by_days_left(
    connection: Connection, now: datetime, within: timedelta
) -> dict[int, int]:
    """Returns how many certificates expire in how many days; the expired ones are counted at 0."""
    rows = await connection.fetch(_CERTIFICATES, now, now + within)
    return {row["days_left"]: row["certificates"] for row in rows}
