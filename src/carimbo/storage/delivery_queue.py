"""Webhook deliveries on the side of the worker: claiming due ones, and deleting old ones.

A delivery is claimed by a lease, as all work (see work.py), but by its own statement, because each webhook
has its own limits. Deliveries to a slow webhook wait in their rows and take no place from others.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.sql import delete_batch
from carimbo.storage.work import WHERE_HELD, LeaseLost

OUTBOUND = "carimbo_outbound"
"""The NOTIFY channel of new deliveries (triggers of 0012_webhooks.sql)."""


WAITS_FOR_ANOTHER = """
    coalesce((
        select true from deliveries earlier
        where earlier.webhook_id = d.webhook_id and earlier.document_id = d.document_id
            and earlier.ordinal < d.ordinal and earlier.status = 'pending'
        limit 1
    ), false)
"""
"""SQL condition: an earlier delivery of the same document is still pending for delivery `d`.

Not written as `exists`, which is planned as a join of all pending deliveries.
"""
# Webhooks that answered quickly get several deliveries at once. Each of the others gets one, so that a
# webhook that hangs takes no place from them; among them, those without a running delivery come first and
# failing ones last. Tests do not wait for other deliveries.
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
# Webhooks that were called lately, or are being called, are left out: their deliveries are late because the
# receiver is slow or fails. With the `order by`, the planner uses the index of due deliveries and not the
# index of all deliveries of a webhook.
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
    """A delivery that this worker holds until its lease ends."""

    subscription_id: UUID
    id: UUID
    webhook_id: UUID
    event_id: UUID
    token: int
    is_test: bool
    failures: int
    attempts_made: int
    claims: int
    """How often it was claimed since its last attempt; more than once if a worker died with it."""
    held_until: float
    """Until when nobody else can claim it, by the monotonic clock of this process."""

    def require_held(self) -> None:
        """Raises LeaseLost if another worker may have claimed it; called before the request is sent."""
        if time.monotonic() >= self.held_until:
            raise self.lease_lost()

    def lease_lost(self) -> LeaseLost:
        """Returns the error of a delivery that another worker has claimed."""
        return LeaseLost(f"delivery:{self.subscription_id}:{self.id}")


@dataclass(frozen=True)
class DeliveryLimits:
    """How many deliveries to claim: for each quick webhook, for all quick ones, and for all others."""

    each: int
    quick: int
    others: int


async def claim_deliveries(
    connection: Connection,
    busy: Mapping[UUID, int],
    quick: Collection[UUID],
    limits: DeliveryLimits,
    lease: timedelta,
) -> list[ClaimedDelivery]:
    """Claims due deliveries within the limits; `busy` has how many of each webhook this worker is sending."""
    held_until = time.monotonic() + lease.total_seconds()
    rows = await connection.fetch(
        _CLAIM, list(busy), list(busy.values()), list(quick), limits.each, limits.quick, limits.others, lease
    )
    return [ClaimedDelivery(**row, held_until=held_until) for row in rows]


async def release_delivery(connection: Connection, claimed: ClaimedDelivery) -> None:
    """Releases a delivery as if it had not been claimed: a worker that is stopped has not failed."""
    await connection.execute(
        f"update deliveries set lease_until = null, attempts = greatest(attempts - 1, 0) {WHERE_HELD}",
        claimed.subscription_id, claimed.id, claimed.token,
    )  # fmt: skip


async def delete_old_deliveries(connection: Connection, keep: timedelta) -> bool:
    """Deletes a batch of old settled deliveries with their attempts; returns whether there may be more.

    The events are kept.
    """
    return await delete_batch(
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


async def purge_deleted_webhooks(connection: Connection) -> bool:
    """Deletes a batch of deliveries of deleted webhooks; returns whether there may be more.

    Webhooks without deliveries are deleted at the end.
    """
    may_be_more = await delete_batch(
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


async def count_overdue_deliveries(connection: Connection, overdue_after: timedelta) -> int:
    """Returns how many deliveries are overdue for longer than this, though their webhooks are not busy."""
    count: int = await connection.fetchval(_OVERDUE, overdue_after)
    return count
