"""Webhook deliveries as callers see them; `delivery_queue.py` is the side of the worker."""

from collections.abc import Collection
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, only
from carimbo.storage.delivery_queue import OUTBOUND, WAITS_FOR_ANOTHER
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, older_than


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """The delivery of one event to one webhook."""

    id: UUID
    webhook_id: UUID
    event_id: UUID
    topic: str
    document_id: UUID | None
    is_test: bool
    status: str
    attempts_made: int
    response_status: int | None
    attempted_at: datetime | None
    next_action_at: datetime | None
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class DocumentDelivery(Delivery):
    """A delivery about a document."""

    webhook_name: str
    """The name of the webhook, or its address if it has none."""


@dataclass(frozen=True, kw_only=True)
class DeliveryAttempt:
    """An attempt of a delivery: the request and the response."""

    number: int
    url: str
    request_headers: dict[str, str] = field(repr=False)
    request_body: str = field(repr=False)
    response_status: int | None
    response_body: str | None = field(repr=False)
    error: str | None
    started_at: datetime
    milliseconds: int
    next_attempt_at: datetime | None


@dataclass(frozen=True)
class DeliveryFilter:
    """A filter of a webhook's deliveries; None matches all."""

    status: str | None = None
    topics: list[str] | None = None
    created_from: datetime | None = None
    created_before: datetime | None = None


_SPECIAL = {
    "topic": "e.topic",
    # A delivery that waits for an earlier one has no time of its own.
    "next_action_at": f"case when not ({WAITS_FOR_ANOTHER}) then d.next_action_at end as next_action_at",
}
_COLUMNS = ", ".join(_SPECIAL.get(column.name, f"d.{column.name}") for column in fields(Delivery))
_ATTEMPT_COLUMNS = ", ".join(column.name for column in fields(DeliveryAttempt))
_JOIN_EVENT = "join events e on e.subscription_id = $1 and e.id = d.event_id"
_OF_WEBHOOK = f"""
    select {_COLUMNS} from deliveries d {_JOIN_EVENT} where d.subscription_id = $1 and d.webhook_id = $2
"""
_MATCHES = """
    ($3::text is null or d.status = $3)
    and ($4::timestamptz is null or d.created_at >= $4) and ($5::timestamptz is null or d.created_at < $5)
"""
_FILTERED = f"{_OF_WEBHOOK} and {_MATCHES} and ($6::text[] is null or e.topic = any ($6))"
_COUNT = f"""
    select count(*) from deliveries d where d.subscription_id = $1 and d.webhook_id = $2 and {_MATCHES}
"""
_LATEST = f"""
    select {_COLUMNS}
    from unnest($2::uuid[]) as wanted (webhook_id)
    cross join lateral (
        select * from deliveries
        where subscription_id = $1 and webhook_id = wanted.webhook_id and attempted_at is not null
        order by attempted_at desc limit 1
    ) as d {_JOIN_EVENT}
"""
_OF_DOCUMENT = f"""
    select {_COLUMNS}, coalesce(w.name, w.url) as webhook_name
    from deliveries d {_JOIN_EVENT}
    join webhooks w on w.subscription_id = $1 and w.id = d.webhook_id and w.deleted_at is null
    where d.subscription_id = $1 and d.document_id = $2
    order by d.ordinal desc, d.id limit $3
"""
_ADD_TEST = """
    with event as (
        insert into events (subscription_id, topic, details) values ($1, $3, $4) returning id, ordinal
    )
    insert into deliveries (subscription_id, webhook_id, event_id, ordinal, is_test)
    select $1, $2, id, ordinal, true from event returning id
"""
# A row whose lease has ended is not held any more: its worker has died or frozen.
_REDELIVER = """
    update deliveries
    set status = 'pending', failures = 0, next_action_at = now(), attempts = 0, lease_until = null
    where subscription_id = $1 and id = $2 and (lease_until is null or lease_until <= now())
    returning pg_notify($3, 'deliveries')
"""
# In the order of the events, so that no later batch has an earlier event of a document.
_REDELIVER_FAILED = """
    with failed as (
        select subscription_id, id from deliveries
        where subscription_id = $1 and webhook_id = $2 and status = 'failed' and not is_test
            and attempted_at >= $3 and ordinal > $4
        order by ordinal limit $5 for update
    ), queued as (
        update deliveries d
        set status = 'pending', failures = 0, next_action_at = now(), attempts = 0, lease_until = null
        from failed where d.subscription_id = failed.subscription_id and d.id = failed.id
        returning d.ordinal
    )
    select count(*) as deliveries, coalesce(max(ordinal), $4) as last_ordinal, pg_notify($6, 'deliveries')
    from queued
"""


@dataclass(frozen=True)
class RedeliveredBatch:
    """How many failed deliveries became due again, and the place of the last one among the events."""

    deliveries: int
    last_ordinal: int


class Deliveries:
    """Deliveries to one subscription's webhooks."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def page(self, webhook_id: UUID, wanted: DeliveryFilter, offset: int, size: int) -> list[Delivery]:
        """Returns a page of the deliveries to a webhook, newest first."""
        rows = await self._connection.fetch(
            f"{_FILTERED} order by d.created_at desc, d.id desc offset $7 limit $8",
            *self._filter(webhook_id, wanted), wanted.topics, offset, size,
        )  # fmt: skip
        return [Delivery(**row) for row in rows]

    async def older(
        self, webhook_id: UUID, wanted: DeliveryFilter, after: Position | None, size: int
    ) -> KeysetPage[Delivery]:
        """Returns the deliveries after a place in the list of a webhook, newest first."""
        values = [*self._filter(webhook_id, wanted), wanted.topics]
        beyond = older_than(after, "d.created_at, d.id", values)
        rows = await self._connection.fetch(
            f"{_FILTERED}{beyond} order by d.created_at desc, d.id desc limit {size}", *values
        )
        return keyset_page([Delivery(**row) for row in rows], size, lambda row: (row.created_at, row.id))

    async def count(self, webhook_id: UUID, wanted: DeliveryFilter) -> int:
        """Returns how many deliveries to a webhook a filter matches."""
        if wanted.topics:
            counting, topics = f"select count(*) from ({_FILTERED}) as matches", [wanted.topics]
        else:
            # Without the events: they are needed only to filter by topic.
            counting, topics = _COUNT, []
        total: int = await self._connection.fetchval(counting, *self._filter(webhook_id, wanted), *topics)
        return total

    def _filter(self, webhook_id: UUID, wanted: DeliveryFilter) -> list[Any]:
        """Returns the first arguments of a list: whose deliveries, with which status and from when."""
        return [
            self._subscription_id, webhook_id, wanted.status, wanted.created_from, wanted.created_before,
        ]  # fmt: skip

    async def latest(self, webhook_ids: Collection[UUID]) -> dict[UUID, Delivery]:
        """Returns, for each webhook, the delivery that was attempted last."""
        rows = await self._connection.fetch(_LATEST, self._subscription_id, list(webhook_ids))
        return {row["webhook_id"]: Delivery(**row) for row in rows}

    async def of_document(self, document_id: UUID, limit: int) -> list[DocumentDelivery]:
        """Returns the newest deliveries about a document, except those to deleted webhooks."""
        rows = await self._connection.fetch(_OF_DOCUMENT, self._subscription_id, document_id, limit)
        return [DocumentDelivery(**row) for row in rows]

    async def get(self, webhook_id: UUID, delivery_id: UUID) -> Delivery | None:
        """Returns a delivery to a webhook, or None."""
        row = await self._connection.fetchrow(
            f"{_OF_WEBHOOK} and d.id = $3", self._subscription_id, webhook_id, delivery_id
        )
        return row and Delivery(**row)

    async def attempts(self, delivery_id: UUID) -> list[DeliveryAttempt]:
        """Returns every attempt of a delivery, in order."""
        rows = await self._connection.fetch(
            f"select {_ATTEMPT_COLUMNS} from delivery_attempts"
            " where subscription_id = $1 and delivery_id = $2 order by number",
            self._subscription_id, delivery_id,
        )  # fmt: skip
        return [DeliveryAttempt(**row) for row in rows]

    async def add_test(self, webhook_id: UUID, topic: str, details: dict[str, Any]) -> UUID:
        """Stores a test event for one webhook only; returns the id of its delivery."""
        delivery_id: UUID = await self._connection.fetchval(
            _ADD_TEST, self._subscription_id, webhook_id, topic, details
        )
        return delivery_id

    async def redeliver(self, delivery_id: UUID) -> None:
        """Makes a delivery due again, as if it had never failed, unless a worker is sending it now."""
        await self._connection.execute(_REDELIVER, self._subscription_id, delivery_id, OUTBOUND)

    async def redeliver_failed(
        self, webhook_id: UUID, since: datetime, after: int, size: int
    ) -> RedeliveredBatch:
        """Makes a batch of deliveries due again that failed since a moment, in the order of their events.

        `after` is the place of the last event of the batch before, at first 0. The caller has locked the
        webhook.
        """
        row = only(
            await self._connection.fetchrow(
                _REDELIVER_FAILED, self._subscription_id, webhook_id, since, after, size, OUTBOUND
            )
        )
        return RedeliveredBatch(row["deliveries"], row["last_ordinal"])
