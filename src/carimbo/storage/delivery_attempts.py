"""Attempts of claimed webhook deliveries: what they send, and the storing of what came back.

Each statement serves any number of deliveries, because those of a backlog are sent many at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from carimbo.storage.connection import Connection
from carimbo.storage.delivery_queue import ClaimedDelivery
from carimbo.storage.envelope import Sealed
from carimbo.storage.events import SELECT_EVENT, PublishedEvent, published_event

_READ = f"""
    select wanted.position, w.url, w.failing_since, sealed.names, sealed.key_ids, sealed.contents, event.*
    from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality
        as wanted (subscription_id, webhook_id, event_id, position)
    join webhooks w on w.subscription_id = wanted.subscription_id and w.id = wanted.webhook_id
    join ({SELECT_EVENT}) as event
        on event.subscription_id = wanted.subscription_id and event.id = wanted.event_id
    cross join lateral (
        select array_agg(name) as names, array_agg(key_id) as key_ids, array_agg(sealed) as contents
        from secrets where subscription_id = wanted.subscription_id and owner_id = wanted.webhook_id
    ) as sealed
    where w.deleted_at is null
"""
# The columns of a concluded delivery, with their types.
_CONCLUDED = {
    "subscription_id": "uuid",
    "id": "uuid",
    "token": "bigint",
    "status": "text",
    "failures": "integer",
    "pause": "interval",
    "judged_since": "timestamptz",
    "disabled_reason": "text",
    "number": "integer",
    "url": "text",
    "request_headers": "jsonb",
    "request_body": "text",
    "response_status": "integer",
    "response_body": "text",
    "error": "text",
    "started_at": "timestamptz",
    "milliseconds": "integer",
}
_ARRAYS = ", ".join(f"${number}::{name}[]" for number, name in enumerate(_CONCLUDED.values(), 1))
# The outcome changes the webhook only if it still has the address that was called. It disables the webhook
# only if no success has arrived since the decision. Later deliveries of the document are due now, or
# together with the retry of this one. They are found in a subquery that `offset 0` keeps apart: as a join, it
# would be planned for the number of pending deliveries at the last ANALYZE, usually none, and read all of
# them for each outcome of a backlog.
_CONCLUDE = f"""
    with concluded as (
        select * from unnest({_ARRAYS}) as concluded ({", ".join(_CONCLUDED)})
    ), held as (
        update deliveries d
        set status = c.status, failures = c.failures, attempts_made = c.number,
            response_status = c.response_status, attempted_at = c.started_at,
            next_action_at = now() + c.pause, lease_until = null, attempts = 0
        from concluded c
        where d.subscription_id = c.subscription_id and d.id = c.id and d.lease_token = c.token
            and d.lease_until is not null
        returning d.subscription_id, d.id, d.webhook_id, d.document_id, d.ordinal, d.is_test, d.next_action_at
    ), webhook as (
        update webhooks w
        set failing_since = case when c.status <> 'delivered'
                then coalesce(w.failing_since, c.started_at) end,
            is_active = w.is_active and not coalesce(
                w.failing_since = c.judged_since and c.disabled_reason is not null, false
            ),
            disabled_reason = case when w.failing_since = c.judged_since then c.disabled_reason
                else w.disabled_reason end,
            updated_at = case when c.disabled_reason is null then w.updated_at else now() end
        from held join concluded c using (subscription_id, id)
        where not held.is_test and w.subscription_id = held.subscription_id and w.id = held.webhook_id
            and w.url = c.url
            and (c.disabled_reason is not null or (w.failing_since is null) = (c.status <> 'delivered'))
    ), following as (
        update deliveries d set next_action_at = coalesce(later.next_action_at, now())
        from (
            select later.subscription_id, later.id, held.next_action_at
            from held
            cross join lateral (
                select subscription_id, id from deliveries
                where webhook_id = held.webhook_id and document_id = held.document_id
                    and ordinal > held.ordinal and status = 'pending'
                offset 0
            ) as later
        ) as later
        where d.subscription_id = later.subscription_id and d.id = later.id
            and (d.next_action_at < later.next_action_at
                or later.next_action_at is null and d.next_action_at > now())
    ), attempt as (
        insert into delivery_attempts (subscription_id, delivery_id, number, url, request_headers,
            request_body, response_status, response_body, error, started_at, milliseconds, next_attempt_at)
        select subscription_id, id, c.number, c.url, c.request_headers, c.request_body, c.response_status,
            c.response_body, c.error, c.started_at, c.milliseconds, held.next_action_at
        from held join concluded c using (subscription_id, id)
    )
    select subscription_id, id from held
"""


@dataclass(frozen=True)
class Receiver:
    """The webhook that a delivery is sent to."""

    url: str
    failing_since: datetime | None


@dataclass(frozen=True)
class DeliveryContent:
    """The event of a delivery, with its receiver and the secrets of the webhook by name."""

    receiver: Receiver
    event: PublishedEvent
    secrets: Mapping[str, Sealed] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class NewDeliveryAttempt:
    """An attempt to store: the request and the response."""

    url: str
    request_headers: Mapping[str, str] = field(repr=False)
    request_body: str = field(repr=False)
    response_status: int | None
    response_body: str = field(repr=False)
    error: str | None
    started_at: datetime
    milliseconds: int


@dataclass(frozen=True, kw_only=True)
class DeliveryOutcome:
    """The state of a delivery after an attempt."""

    status: str
    failures: int
    pause: timedelta | None = None
    """The time until the next attempt; None if there is none."""
    judged_since: datetime | None = None
    """The `failing_since` of the webhook that the decision was based on."""
    disabled_reason: str | None = None
    """Why the webhook is disabled; None if it is not."""


@dataclass(frozen=True)
class ConcludedDelivery:
    """A claimed delivery with its attempt and what follows from it."""

    claimed: ClaimedDelivery
    attempt: NewDeliveryAttempt
    outcome: DeliveryOutcome

    def columns(self) -> dict[str, Any]:
        """Returns the values to store, by the names of their columns."""
        number = self.claimed.attempts_made + 1
        return {**vars(self.claimed), **vars(self.attempt), **vars(self.outcome), "number": number}


async def read_contents(
    connection: Connection, deliveries: Sequence[ClaimedDelivery]
) -> list[DeliveryContent | None]:
    """Returns what each delivery sends now; None if its webhook was deleted."""
    rows = await connection.fetch(
        _READ,
        [claimed.subscription_id for claimed in deliveries],
        [claimed.webhook_id for claimed in deliveries],
        [claimed.event_id for claimed in deliveries],
    )
    contents: list[DeliveryContent | None] = [None] * len(deliveries)
    for row in rows:
        names, sealed = row["names"] or [], map(Sealed, row["key_ids"] or [], row["contents"] or [])
        contents[row["position"] - 1] = DeliveryContent(
            Receiver(row["url"], row["failing_since"]),
            published_event(row),
            dict(zip(names, sealed, strict=True)),
        )
    return contents


async def conclude_deliveries(connection: Connection, deliveries: Sequence[ConcludedDelivery]) -> list[bool]:
    """Stores attempts with all their consequences; returns for each whether its lease was still held.

    An attempt without a lease is not stored. Several deliveries to one webhook must all have succeeded, as
    any of them may decide whether the webhook fails.
    """
    values = [delivery.columns() for delivery in deliveries]
    rows = await connection.fetch(_CONCLUDE, *([value[name] for value in values] for name in _CONCLUDED))
    held = {(row["subscription_id"], row["id"]) for row in rows}
    return [(value["subscription_id"], value["id"]) in held for value in values]
