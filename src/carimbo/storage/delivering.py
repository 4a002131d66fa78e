"""Deliveries in a worker's hands: which are due, what each needs, and how it went.

A row is taken by a lease, as every row of work (see work.py), but not by the queue: limits are those of a
webhook, so that what waits for a slow one waits here, in its own row, and takes nobody else's place.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.forgetting import forget_some
from carimbo.storage.work import HELD, LeaseLost

WAITS_FOR_ANOTHER = """
    coalesce((
        select true from deliveries earlier
        where earlier.webhook_id = d.webhook_id and earlier.document_id = d.document_id
            and earlier.ordinal < d.ordinal and earlier.status = 'pending'
        limit 1
    ), false)
"""
"""SQL: whether a delivery `d` comes after one of the same document that is still on its way.

Told as `exists`, it is planned as a join of all that waits.
"""
# Whoever has shown to answer quickly has several places, anybody else one: who hangs takes nobody else's. Of
# those others, who fails comes last, and who has nothing under way first. Tests wait for nobody.
_CLAIM = f"""
    with due as (
        select due.*, w.id = any ($3::uuid[]) and w.failing_since is null as is_quick,
            w.failing_since is not null as is_failing,
            coalesce(busy.deliveries, 0)
                + row_number() over (partition by w.id order by due.next_action_at, due.ordinal) as turn
        from webhooks w
        left join unnest($1::uuid[], $2::integer[]) as busy (webhook_id, deliveries) on busy.webhook_id = w.id
        cross join lateral (
            select d.subscription_id, d.id, d.next_action_at, d.ordinal
            from deliveries d
            where d.webhook_id = w.id and d.next_action_at <= now()
                and (d.lease_until is null or d.lease_until <= now()) and not d.is_test
                and not ({WAITS_FOR_ANOTHER})
            order by d.next_action_at, d.ordinal
            limit greatest(
                case when w.id = any ($3::uuid[]) and w.failing_since is null then $4::integer else 1 end
                    - coalesce(busy.deliveries, 0), 0
            )
            for update skip locked
        ) as due
        where w.is_active
    ), placed as (
        select subscription_id, id, is_quick,
            row_number() over (partition by is_quick order by is_failing, turn, next_action_at) as place
        from due
    ), tests as (
        select subscription_id, id from deliveries
        where is_test and next_action_at <= now() and (lease_until is null or lease_until <= now())
        order by next_action_at limit $4 for update skip locked
    ), picked as (
        select subscription_id, id from placed
        where place <= case when is_quick then $5::integer else $6::integer end
        union all
        select subscription_id, id from tests
    )
    update deliveries d
    set lease_token = lease_token + 1, lease_until = now() + $7::interval, attempts = attempts + 1
    from picked
    where d.subscription_id = picked.subscription_id and d.id = picked.id
    returning d.subscription_id, d.id, d.webhook_id, d.event_id, d.lease_token as token, d.is_test,
        d.failures, d.attempts_made, d.attempts as claims
"""
# What came of an attempt is told of a webhook only if it still has the address that was called, and it is
# disabled only for the failures that it was judged by. What follows goes now, or when this is tried again.
_CONCLUDE = f"""
    with webhook as (
        update webhooks w
        set failing_since = case when $4::text <> 'delivered' then coalesce(w.failing_since, $8) end,
            is_active = w.is_active and not coalesce(w.failing_since = $17 and $16::text is not null, false),
            disabled_reason = case when w.failing_since = $17 then $16::text else w.disabled_reason end,
            updated_at = case when $16::text is null then w.updated_at else now() end
        from deliveries d
        where d.subscription_id = $1 and d.id = $2 and d.lease_token = $3 and d.lease_until is not null
            and not d.is_test and w.subscription_id = $1 and w.id = d.webhook_id and w.url = $10
            and ($16::text is not null or (w.failing_since is null) = ($4::text <> 'delivered'))
    ), held as (
        update deliveries
        set status = $4, failures = $5, attempts_made = $6, response_status = $7, attempted_at = $8,
            next_action_at = now() + $9::interval, lease_until = null, attempts = 0
        {HELD} returning *
    ), following as (
        update deliveries d set next_action_at = coalesce(held.next_action_at, now())
        from held
        where d.webhook_id = held.webhook_id and d.document_id = held.document_id
            and d.ordinal > held.ordinal and d.status = 'pending' and d.subscription_id = held.subscription_id
            and (d.next_action_at < held.next_action_at
                or held.next_action_at is null and d.next_action_at > now())
    ), attempt as (
        insert into delivery_attempts (subscription_id, delivery_id, number, url, request_headers,
            request_body, response_status, response_body, error, started_at, milliseconds, next_attempt_at)
        select subscription_id, id, $6, $10, $11, $12, $7, $13, $14, $8, $15, next_action_at from held
    )
    select id from held
"""
# Whoever was called lately, or is being called, keeps others waiting by itself: it is slow, or it fails.
# The order has the index of what is due serve, rather than that of all that a webhook ever got.
_OVERDUE = f"""
    select count(*) from webhooks w
    join deliveries d on d.webhook_id = w.id
    where w.is_active and d.next_action_at < now() - $1::interval and not ({WAITS_FOR_ANOTHER})
        and not coalesce((
            select true from deliveries called
            where called.webhook_id = w.id and called.attempted_at > now() - $1::interval limit 1
        ), false)
        and not coalesce((
            select true from deliveries held
            where held.webhook_id = w.id and held.next_action_at <= now() and held.lease_until > now()
            order by held.next_action_at limit 1
        ), false)
"""


@dataclass(frozen=True, kw_only=True)
class ClaimedDelivery:
    """A delivery that is ours until its lease ends."""

    subscription_id: UUID
    id: UUID
    webhook_id: UUID
    event_id: UUID
    token: int
    is_test: bool
    failures: int
    attempts_made: int
    claims: int
    """How often it was taken since it was last let go of: more than once when whoever had it died."""
    held_until: float
    """Until when, by the clock of this process, nobody else can have taken it."""

    def require_held(self) -> None:
        """Raise LeaseLost if it may be somebody else's by now: what is sent can't be taken back."""
        if time.monotonic() >= self.held_until:
            raise LeaseLost(f"delivery:{self.subscription_id}:{self.id}")


@dataclass(frozen=True)
class Receiver:
    """Where a delivery goes."""

    url: str
    failing_since: datetime | None


@dataclass(frozen=True)
class Room:
    """How much may be under way: to each webhook that answers quickly, to all of these, and to all others."""

    each: int
    quick: int
    others: int


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What was sent, and what came back."""

    url: str
    request_headers: Mapping[str, str] = field(repr=False)
    request_body: str = field(repr=False)
    response_status: int | None
    response_body: str = field(repr=False)
    error: str | None
    started_at: datetime
    milliseconds: int


@dataclass(frozen=True, kw_only=True)
class DeliveryFate:
    """What follows from an attempt."""

    status: str
    failures: int
    pause: timedelta | None = None
    """After which it is tried again."""
    judged_since: datetime | None = None
    """Since when the webhook was known to fail."""
    disabled_reason: str | None = None
    """Why the webhook is not called any more."""


async def claim_deliveries(
    connection: Connection, busy: Mapping[UUID, int], quick: Collection[UUID], room: Room, lease: timedelta
) -> list[ClaimedDelivery]:
    """Take what is due and has a place; `busy` is what each webhook has under way."""
    held_until = time.monotonic() + lease.total_seconds()
    rows = await connection.fetch(
        _CLAIM, list(busy), list(busy.values()), list(quick), room.each, room.quick, room.others, lease
    )
    return [ClaimedDelivery(**row, held_until=held_until) for row in rows]


async def receiver_of(connection: Connection, claimed: ClaimedDelivery) -> Receiver | None:
    """Where a delivery goes as of now; None when the webhook is gone."""
    row = await connection.fetchrow(
        "select url, failing_since from webhooks"
        " where subscription_id = $1 and id = $2 and deleted_at is null",
        claimed.subscription_id, claimed.webhook_id,
    )  # fmt: skip
    return row and Receiver(**row)


async def conclude_delivery(
    connection: Connection, claimed: ClaimedDelivery, attempt: Attempt, fate: DeliveryFate
) -> None:
    """Write an attempt with everything that follows from it, or raise LeaseLost."""
    row = await connection.fetchrow(
        _CONCLUDE,
        claimed.subscription_id, claimed.id, claimed.token, fate.status, fate.failures,
        claimed.attempts_made + 1, attempt.response_status, attempt.started_at, fate.pause, attempt.url,
        attempt.request_headers, attempt.request_body, attempt.response_body, attempt.error,
        attempt.milliseconds, fate.disabled_reason, fate.judged_since,
    )  # fmt: skip
    if row is None:
        raise LeaseLost(f"delivery:{claimed.subscription_id}:{claimed.id}")


async def release_delivery(connection: Connection, claimed: ClaimedDelivery) -> None:
    """Leave a delivery to whoever comes next: who was stopped did not die of it."""
    await connection.execute(
        f"update deliveries set lease_until = null, attempts = greatest(attempts - 1, 0) {HELD}",
        claimed.subscription_id, claimed.id, claimed.token,
    )  # fmt: skip


async def forget_deliveries(connection: Connection, keep: timedelta) -> bool:
    """Forget some of what was settled long ago, with its attempts; the events themselves stay.

    Tells whether there may be more.
    """
    return await forget_some(
        connection,
        """
        delete from deliveries where (subscription_id, id) in (
            select subscription_id, id from deliveries
            where status <> 'pending' and attempted_at < now() - $1::interval limit $2
            for update skip locked
        )
        """,
        keep,
    )


async def forget_deleted_webhooks(connection: Connection) -> bool:
    """Forget some of what deleted webhooks were sent, and those of which nothing is left.

    Tells whether there may be more.
    """
    may_be_more = await forget_some(
        connection,
        """
        delete from deliveries where (subscription_id, id) in (
            select d.subscription_id, d.id from webhooks w
            join deliveries d on d.subscription_id = w.subscription_id and d.webhook_id = w.id
            where w.deleted_at is not null limit $1
        )
        """,
    )
    if may_be_more:
        return True
    await connection.execute(
        "delete from webhooks w where deleted_at is not null and not exists (select from deliveries d"
        " where d.subscription_id = w.subscription_id and d.webhook_id = w.id)"
    )
    return False


async def overdue_deliveries(connection: Connection, overdue_after: timedelta) -> int:
    """How many should have gone out long ago, to those that nobody has called since."""
    count: int = await connection.fetchval(_OVERDUE, overdue_after)
    return count
