"""A house that events leave: a database of its own, webhooks in it, and whoever carries deliveries out."""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from carimbo.service.delivery.attempt import DeliveryStatus, Postman, deliver
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.service.delivery.signature import SIGNING, new_secret
from carimbo.service.links import Links
from carimbo.service.ports import WebhookClient
from carimbo.storage.database import Database
from carimbo.storage.delivering import ClaimedDelivery, Room, claim_deliveries
from carimbo.storage.identifiers import new_id
from carimbo.storage.webhooks import Webhook, WebhookFacts
from carimbo.worker.courier import Courier, CourierOptions
from integration.storage.document_rows import Shop
from support import BASE_URL, PATIENCE, until_it_holds

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
AMPLE = Room(each=5, quick=100, others=100)
OPTIONS = CourierOptions(
    most=10, each=5, lease=MINUTE, poll=HOUR, reconnect_after=timedelta(seconds=0.05), grace=timedelta(0)
)
"""It looks by itself only in an hour: what goes out before that was told, or found a place."""
RETRIES = RetrySchedule((HOUR, HOUR))
NO_RETRIES = RetrySchedule(())
_DOCUMENT_TOPICS = ["nfe.authorized", "nfe.rejected", "nfe.canceled"]


def now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class House:
    """A subscription alone in its database."""

    url: str
    database: Database
    shop: Shop
    client: WebhookClient

    @property
    def subscription_id(self) -> UUID:
        return self.shop.subscription_id

    async def webhook(self, url: str = f"{BASE_URL}/hook", *, failing_for: timedelta | None = None) -> UUID:
        """Somebody who listens to documents, and to things of its own."""
        webhook_id = new_id()
        topics = [*_DOCUMENT_TOPICS, _thing(webhook_id)]
        async with self.database.tenant(self.subscription_id) as tenant:
            await tenant.secrets.put(webhook_id, SIGNING, new_secret())
            facts = WebhookFacts(name=None, url=url, events=topics, topics=topics)
            await tenant.webhooks.add(webhook_id, facts, is_active=True)
        if failing_for is not None:
            await self.fail_for(webhook_id, failing_for)
        return webhook_id

    async def fail_for(self, webhook_id: UUID, age: timedelta) -> None:
        """Let nothing but failures have come back for so long."""
        await self.fetch(
            "update webhooks set failing_since = now() - $2::interval where id = $1", webhook_id, age
        )

    async def tell(self, webhook_id: UUID, *, due_for: timedelta = timedelta(0), topic: str = "") -> UUID:
        """Let something happen that one webhook hears of; the delivery of it."""
        (event,) = await self.fetch(
            "insert into events (subscription_id, topic) values ($1, $2) returning id",
            self.subscription_id, topic or _thing(webhook_id),
        )  # fmt: skip
        (delivery,) = await self.fetch("select id from deliveries where event_id = $1", event["id"])
        if due_for:
            await self.change(delivery["id"], f"next_action_at = now() - interval '{due_for}'")
        found: UUID = delivery["id"]
        return found

    async def tell_at_once(self, webhook_id: UUID, count: int) -> None:
        """Let so much happen at one moment that one webhook hears of."""
        await self.fetch(
            "insert into events (subscription_id, topic) select $1, $2 from generate_series(1, $3)",
            self.subscription_id, _thing(webhook_id), count,
        )  # fmt: skip

    async def tell_test(self, webhook_id: UUID) -> UUID:
        """Owe a webhook an event of no consequence."""
        async with self.database.tenant(self.subscription_id) as tenant:
            return await tenant.deliveries.add_test(webhook_id, "webhook.test", {})

    async def document(self, *statuses: str) -> UUID:
        """Let a document live through something."""
        document_id = (await self.shop.added()).id
        for status in statuses:
            await self.become(document_id, status)
        return document_id

    async def become(self, document_id: UUID, status: str) -> None:
        await self.fetch("update documents set status = $2 where id = $1", document_id, status)

    async def claim(
        self,
        busy: Mapping[UUID, int] = {},
        quick: Collection[UUID] = (),
        room: Room = AMPLE,
        lease: timedelta = MINUTE,
    ) -> list[ClaimedDelivery]:
        """Take what is due, as a courier does."""
        async with self.database.connection() as connection:
            return await claim_deliveries(connection, busy, quick, room, lease)

    async def deliver(self, **changes: Any) -> list[DeliveryStatus | None]:
        """Take what is due, and try each once."""
        postman = self.postman(**changes)
        return [await deliver(postman, claimed) for claimed in await self.claim()]

    def postman(self, **changes: Any) -> Postman:
        links = Links(b"k" * 32, BASE_URL, 7 * DAY, now)
        return replace(Postman(self.database, self.client, links, RETRIES, 5 * DAY, now), **changes)

    @asynccontextmanager
    async def courier(self, postman: Postman | None = None, **options: Any) -> AsyncIterator[None]:
        """Have deliveries carried out for the length of a block."""
        courier = Courier(self.url, postman or self.postman(), replace(OPTIONS, **options))
        running = asyncio.create_task(courier.run())
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def seen(self, webhook_id: UUID) -> Webhook:
        async with self.database.autocommit(self.subscription_id) as tenant:
            webhook = await tenant.webhooks.get(webhook_id)
        assert webhook is not None
        return webhook

    async def row_of(self, delivery_id: UUID) -> dict[str, Any]:
        """A delivery as it stands, and the moment of asking."""
        (row,) = await self.fetch("select *, now() from deliveries where id = $1", delivery_id)
        return dict(row)

    async def rows(self) -> list[dict[str, Any]]:
        """All deliveries in the order of their events."""
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
        await until_it_holds(self.fetch, condition, PATIENCE)


def _thing(webhook_id: UUID) -> str:
    return f"thing.{webhook_id}"
