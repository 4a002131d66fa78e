"""When the delivery worker looks for due deliveries: on a notification, on a free slot, and by polling."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from carimbo.storage.connection import DatabaseUnavailable
from carimbo.storage.delivery_queue import ClaimedDelivery, claim_deliveries
from carimbo.worker import claim_loop
from carimbo.worker import delivery as delivery_module
from integration.deliveries.outbox import OPTIONS, WAITS, Outbox
from receiver import Receiver, Reply
from support import TIMEOUT_SECONDS

LISTENING = (
    "exists (select from pg_stat_activity where datname = current_database() and query like 'LISTEN%')"
)
SOON = timedelta(seconds=0.05)


async def ignore_notifications(*_: Any) -> None:
    await asyncio.Event().wait()


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set while the worker sleeps: its last look found no due delivery."""
    asleep = asyncio.Event()

    async def claim(connection: Any, busy: Mapping[UUID, int], *arguments: Any) -> list[ClaimedDelivery]:
        claimed = await claim_deliveries(connection, busy, *arguments)
        (asleep.clear if claimed else asleep.set)()
        return claimed

    monkeypatch.setattr(delivery_module, "claim_deliveries", claim)
    return asleep


class TestSleepingWorker:
    async def test_sleeping_worker_is_woken_by_the_database_at_once(
        self, outbox: Outbox, receiver: Receiver, asleep: asyncio.Event
    ) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        async with outbox.delivery_worker():
            await outbox.until(LISTENING)
            for count in (1, 2, 3):
                await asyncio.wait_for(asleep.wait(), TIMEOUT_SECONDS)
                await outbox.add_event(webhook_id)
                await receiver.until(count, TIMEOUT_SECONDS)

    async def test_sleeping_worker_is_woken_by_a_status_change_and_by_a_test(
        self, outbox: Outbox, receiver: Receiver, asleep: asyncio.Event
    ) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        document_id = await outbox.document()
        async with outbox.delivery_worker():
            await outbox.until(LISTENING)
            await asyncio.wait_for(asleep.wait(), TIMEOUT_SECONDS)
            await outbox.set_status(document_id, "authorized")
            await receiver.until(1, TIMEOUT_SECONDS)
            await asyncio.wait_for(asleep.wait(), TIMEOUT_SECONDS)
            await outbox.add_test(webhook_id)
            await receiver.until(2, TIMEOUT_SECONDS)

    async def test_sleeping_worker_wakes_when_a_slot_is_free(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        """The notifications of the waiting deliveries came long ago."""
        webhook_id = await outbox.webhook(receiver.url)
        for _ in range(6):
            await outbox.add_event(webhook_id)
        async with outbox.delivery_worker(options=replace(OPTIONS, max_per_webhook=1, max_deliveries=1)):
            await receiver.until(6, TIMEOUT_SECONDS)

    async def test_sleeping_worker_wakes_when_the_previous_event_is_delivered(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        await outbox.webhook(receiver.url)
        await outbox.document("rejected", "processing", "authorized", "canceled")
        async with outbox.delivery_worker():
            await receiver.until(3, TIMEOUT_SECONDS)

    async def test_sleeping_worker_polls_without_notifications(
        self, outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, asleep: asyncio.Event
    ) -> None:
        """Polling finds deliveries of lost notifications, and those that become due later."""
        monkeypatch.setattr(claim_loop, "listen", ignore_notifications)
        webhook_id = await outbox.webhook(receiver.url)
        async with outbox.delivery_worker(waits=replace(WAITS, poll=SOON)):
            for count in (1, 2):
                await asyncio.wait_for(asleep.wait(), TIMEOUT_SECONDS)
                await outbox.add_event(webhook_id)
                await receiver.until(count, TIMEOUT_SECONDS)

    async def test_worker_listens_again_after_its_connection_was_lost(
        self, outbox: Outbox, receiver: Receiver, asleep: asyncio.Event
    ) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        async with outbox.delivery_worker():
            await outbox.until(LISTENING)
            await outbox.fetch(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity where query like 'LISTEN%'"
                " and datname = current_database()"
            )
            await outbox.until(LISTENING)
            await asyncio.wait_for(asleep.wait(), TIMEOUT_SECONDS)
            await outbox.add_event(webhook_id)
            await receiver.until(1, TIMEOUT_SECONDS)


class TestFailingWorker:
    @pytest.mark.parametrize(
        "error",
        [DatabaseUnavailable("gone"), asyncpg.UndefinedTableError("not migrated"), KeyError("a bug")],
        ids=["lost", "refused", "bug"],
    )
    async def test_worker_that_fails_to_claim_tries_again(
        self, outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        errors = [error, error]

        async def claim_at_last(
            connection: Any, busy: Mapping[UUID, int], *arguments: Any
        ) -> list[ClaimedDelivery]:
            if errors:
                raise errors.pop()
            return await claim_deliveries(connection, busy, *arguments)

        monkeypatch.setattr(delivery_module, "claim_deliveries", claim_at_last)
        await outbox.add_event(await outbox.webhook(receiver.url))
        async with outbox.delivery_worker(waits=replace(WAITS, poll=SOON)):
            await receiver.until(1, TIMEOUT_SECONDS)
        assert errors == []

    async def test_worker_that_fails_to_listen_continues_to_poll(
        self, outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, asleep: asyncio.Event
    ) -> None:
        async def fail(*_: Any) -> None:
            raise asyncpg.InternalServerError("whatever PostgreSQL may say")

        monkeypatch.setattr(claim_loop, "listen", fail)
        webhook_id = await outbox.webhook(receiver.url)
        async with outbox.delivery_worker(waits=replace(WAITS, poll=SOON)):
            await asyncio.wait_for(asleep.wait(), TIMEOUT_SECONDS)
            await outbox.add_event(webhook_id)
            await receiver.until(1, TIMEOUT_SECONDS)


class TestStoppedWorker:
    async def test_stopped_worker_finishes_deliveries_in_progress(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = Reply(delay=0.2)
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        async with outbox.delivery_worker(waits=replace(WAITS, grace=timedelta(seconds=TIMEOUT_SECONDS))):
            await receiver.until(1, TIMEOUT_SECONDS)
        assert (await outbox.row_of(delivery_id))["status"] == "delivered"

    async def test_stopped_worker_releases_a_delivery_that_does_not_end(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = Reply(hangs=True)
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        async with outbox.delivery_worker(waits=replace(WAITS, grace=SOON)):
            await receiver.until(1, TIMEOUT_SECONDS)
        row = await outbox.row_of(delivery_id)
        assert (row["status"], row["lease_until"]) == ("pending", None)
        assert [delivery.id for delivery in await outbox.claim()] == [delivery_id]
