"""Numbers of the whole installation, read every few seconds: none looks through what is settled."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from carimbo.storage.connection import Connection, only
from carimbo.storage.work import TABLES, WorkKind


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """The jobs of the queue."""

    waiting: int
    """Due, and in nobody's hands."""
    running: int
    later: int
    """Not due yet."""
    oldest_seconds: float
    """For how long the first of those that wait has been due."""


@dataclass(frozen=True, kw_only=True)
class WebhookStates:
    """Webhooks by how they do."""

    answering: int
    failing: int
    """Nothing but failures came back of late, and something waits to be tried again."""
    given_up: int
    """What it failed at was given up, and nothing has come since: whether it answers now, nobody knows."""
    disabled: int
    """Not called any more, for its failures; one that its owner turned off is none."""


_QUEUE = """
    select count(*) filter (where is_due) as waiting, count(*) filter (where status = 'picked') as running,
        count(*) filter (where status = 'queued' and not is_due) as later,
        coalesce(extract(epoch from now() - min(execute_after) filter (where is_due)), 0)::float8
            as oldest_seconds
    from (
        select status, execute_after, status = 'queued' and execute_after <= now() as is_due from pgqueuer
    ) as jobs
"""
# A probe that failed has told what it was asked: nobody takes it up again.
_PARKED = " union all ".join(
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
# A day that has begun counts as a whole.
_CERTIFICATES = """
    select greatest(0, ceil(extract(epoch from e.expires_at - $1) / 86400))::integer as days_left,
        count(*) as certificates
    from certificates e
    join companies c on c.subscription_id = e.subscription_id and c.id = e.company_id
    where c.deleted_at is null and e.expires_at <= $2
    group by 1
"""


async def queue_state(connection: Connection) -> QueueState:
    """How much waits for a worker, and for how long."""
    return QueueState(**only(await connection.fetchrow(_QUEUE)))


async def parked_by_kind(connection: Connection) -> dict[str, int]:
    """How much of each kind of work was set aside for a person to look at."""
    return {row["kind"]: row["parked"] for row in await connection.fetch(_PARKED)}


async def webhook_states(connection: Connection) -> WebhookStates:
    """How many webhooks answer, fail, have nothing to answer, and are not called any more."""
    return WebhookStates(**only(await connection.fetchrow(_WEBHOOKS)))


async def certificates_by_days_left(
    connection: Connection, now: datetime, within: timedelta
) -> dict[int, int]:
    """How many certificates end in how many days; those that have ended are under 0."""
    rows = await connection.fetch(_CERTIFICATES, now, now + within)
    return {row["days_left"]: row["certificates"] for row in rows}
