"""A subscription alone in its database, its webhooks, and the worker that sends their deliveries."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from carimbo.service.delivery.attempt import DeliverySender, DeliveryStatus, deliver
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.delivery.webhook_headers import SIGNING, new_secret
from carimbo.service.documents.files import Links
from carimbo.service.ports import WebhookClient
from carimbo.storage.database import Database
from carimbo.storage.delivery_queue import ClaimedDelivery, DeliveryLimits, claim_deliveries
from carimbo.storage.identifiers import new_id
from carimbo.storage.webhooks import Webhook, WebhookFacts
from carimbo.worker.claim_loop import ClaimLoop, LoopOptions
from carimbo.worker.delivery import DeliveryOptions, DeliverySource
from integration.storage.document_rows import Shop
from support import BASE_URL, TIMEOUT_SECONDS, wait_until_true

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
AMPLE = DeliveryLimits(each=5, quick=100, others=100)
OPTIONS = DeliveryOptions(max_deliveries=10, max_per_webhook=5, lease=MINUTE)
WAITS = LoopOptions(poll=HOUR, reconnect_after=timedelta(seconds=0.05), grace=timedelta(0))
"""Polls only every hour: earlier deliveries follow a notification or a free slot."""
RETRIES = RetrySchedule((HOUR, HOUR))
NO_RETRIES = RetrySchedule(())
_DOCUMENT_TOPICS = ["nfe.authorized", "nfe.rejected", "nfe.canceled"]


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Outbox:
    """A subscription alone in its database."""

    url: str
    database: Database
    shop: Shop
    client: WebhookClient

    @property
    def subscription_id(self) -> UUID:
        return self.shop.subscription_id

    async def webhook(self, url: str = f"{BASE_URL}/hook", *, failing_for: timedelta | None = None) -> UUID:
        """Adds a webhook for all document events and for one topic of its own."""
        webhook_id = new_id()
        topics = [*_DOCUMENT_TOPICS, _own_topic(webhook_id)]
        async with self.database.tenant(self.subscription_id) as tenant:
            await tenant.secrets.put(webhook_id, SIGNING, new_secret())
            facts = WebhookFacts(name=None, url=url, events=topics, topics=topics)
            await tenant.webhooks.add(webhook_id, facts, is_active=True)
        if failing_for is not None:
            await self.set_failing_for(webhook_id, failing_for)
        return webhook_id

    async def set_failing_for(self, webhook_id: UUID, age: timedelta) -> None:
        """Marks a webhook as failing for this long."""
        await self.fetch(
            "update webhooks set failing_since = now() - $2::interval where id = $1", webhook_id, age
        )

    async def add_event(
        self, webhook_id: UUID, *, due_for: timedelta = timedelta(0), topic: str = ""
    ) -> UUID:
        """Adds an event for one webhook, and returns the id of its delivery."""
        (event,) = await self.fetch(
            "insert into events (subscription_id, topic) values ($1, $2) returning id",
            self.subscription_id, topic or _own_topic(webhook_id),
        )  # fmt: skip
        (delivery,) = await self.fetch("select id from deliveries where event_id = $1", event["id"])
        if due_for:
            await self.change(delivery["id"], f"next_action_at = now() - interval '{due_for}'")
        delivery_id: UUID = delivery["id"]
        return delivery_id

    async def add_events(self, webhook_id: UUID, count: int) -> None:
        """Adds this many events for one webhook in one statement."""
        await self.fetch(
            "insert into events (subscription_id, topic) select $1, $2 from generate_series(1, $3)",
            self.subscription_id, _own_topic(webhook_id), count,
        )  # fmt: skip

    async def add_test(self, webhook_id: UUID) -> UUID:
        """Adds a test delivery to a webhook."""
        async with self.database.tenant(self.subscription_id) as tenant:
            return await tenant.deliveries.add_test(webhook_id, "webhook.test", {})

    async def document(self, *statuses: str) -> UUID:
        """Adds a document, and gives it these statuses in turn."""
        document_id = (await self.shop.added()).id
        for status in statuses:
            await self.set_status(document_id, status)
        return document_id

    async def set_status(self, document_id: UUID, status: str) -> None:
        await self.fetch("update documents set status = $2 where id = $1", document_id, status)

    async def claim(
        self,
        busy: Mapping[UUID, int] = {},
        quick: Collection[UUID] = (),
        limits: DeliveryLimits = AMPLE,
        lease: timedelta = MINUTE,
    ) -> list[ClaimedDelivery]:
        """Claims due deliveries, as the worker does."""
        async with self.database.connection() as connection:
            return await claim_deliveries(connection, busy, quick, limits, lease)

    async def deliver(self, **changes: Any) -> list[DeliveryStatus | None]:
        """Claims due deliveries, and attempts each once."""
        delivery_sender = self.delivery_sender(**changes)
        return [await deliver(delivery_sender, claimed) for claimed in await self.claim()]

    def delivery_sender(self, **changes: Any) -> DeliverySender:
        links = Links(b"k" * 32, BASE_URL, 7 * DAY, now)
        return replace(DeliverySender(self.database, self.client, links, RETRIES, 5 * DAY, now), **changes)

    @asynccontextmanager
    async def delivery_worker(
        self,
        delivery_sender: DeliverySender | None = None,
        options: DeliveryOptions = OPTIONS,
        waits: LoopOptions = WAITS,
    ) -> AsyncIterator[None]:
        """Runs a delivery worker for the length of a block."""
        deliveries = DeliverySource(delivery_sender or self.delivery_sender(), options)
        running = asyncio.create_task(ClaimLoop(self.url, deliveries, waits).run())
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def read_webhook(self, webhook_id: UUID) -> Webhook:
        async with self.database.autocommit(self.subscription_id) as tenant:
            webhook = await tenant.webhooks.get(webhook_id)
        assert webhook is not None
        return webhook

    async def row_of(self, delivery_id: UUID) -> dict[str, Any]:
        """Returns the row of a delivery, and the time of the query."""
        (row,) = await self.fetch("select *, now() from deliveries where id = $1", delivery_id)
        return dict(row)

    async def rows(self) -> list[dict[str, Any]]:
        """Returns all deliveries in the order of their events."""
        return [dict(row) for row in await self.fetch("select *, now() from deliveries order by ordinal")]

    async def attempts(self, delivery_id: UUID) -> list[dict[str, Any]]:
        rows = await self.fetch(
            "select * from delivery_attempts where delivery_id = $1 order by number", delivery_id
        )
        return [dict(row) for row in rows]

    async def change(self, delivery_id: UUID, changes: str) -> None:
        await self.fetch(f"update deliveries set {changes} where id = $1", delivery_id)

    async def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        async with self.database.connection() as connection:
            return await connection.fetch(query, *arguments)

    async def until(self, condition: str) -> None:
        await wait_until_true(self.fetch, condition, TIMEOUT_SECONDS)


def _own_topic(webhook_id: UUID) -> str:
    return f"thing.{webhook_id}"
