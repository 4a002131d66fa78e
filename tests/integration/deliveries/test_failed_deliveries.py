"""All deliveries of a webhook that failed since a moment are sent again, and those of a document in order."""

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.delivery import deliveries
from carimbo.service.delivery.deliveries import redeliver_failed
from carimbo.storage.actors import Actor, ActorKind
from carimbo.storage.identifiers import new_id
from integration.deliveries.outbox import DAY, HOUR, NO_RETRIES, Outbox, now
from receiver import Receiver, Reply
from support import TIMEOUT_SECONDS

ANA = Actor(ActorKind.PERSON, new_id(), "Ana Souza")
BROKEN = Reply(503)


@pytest.fixture
async def webhook_id(outbox: Outbox, receiver: Receiver) -> UUID:
    """A webhook whose receiver is broken."""
    receiver.default = BROKEN
    return await outbox.webhook(receiver.url)


async def fail_all(outbox: Outbox) -> None:
    """Attempts due deliveries until none is left; none is retried."""
    while await outbox.deliver(schedule=NO_RETRIES):
        pass


async def deliver_all(outbox: Outbox, receiver: Receiver) -> list[Any]:
    """Repairs the receiver, attempts all due deliveries, and returns what arrived, in order."""
    receiver.default = Reply()
    receiver.calls.clear()
    while await outbox.deliver(schedule=NO_RETRIES):
        pass
    return [json.loads(call.body) for call in receiver.calls]


async def redeliver(outbox: Outbox, webhook_id: UUID, since: datetime | None = None) -> int:
    moment = since or now() - HOUR
    database = outbox.database.acting_as(ANA)
    return (await redeliver_failed(database, outbox.subscription_id, webhook_id, moment)).deliveries


async def statuses(outbox: Outbox) -> list[str]:
    return [row["status"] for row in await outbox.rows()]


class TestRepairedReceiver:
    async def test_failed_deliveries_arrive_with_the_same_ids(
        self, outbox: Outbox, receiver: Receiver, webhook_id: UUID
    ) -> None:
        await outbox.add_events(webhook_id, 3)
        await fail_all(outbox)
        failed = [call.headers["webhook-id"] for call in receiver.calls]
        assert await statuses(outbox) == ["failed"] * 3
        assert await redeliver(outbox, webhook_id) == 3
        arrived = await deliver_all(outbox, receiver)
        assert sorted(payload["id"] for payload in arrived) == sorted(failed)
        assert await statuses(outbox) == ["delivered"] * 3

    async def test_worker_is_woken(self, outbox: Outbox, receiver: Receiver, webhook_id: UUID) -> None:
        """It polls only every hour."""
        await outbox.add_events(webhook_id, 1)
        await fail_all(outbox)
        receiver.default = Reply()
        async with outbox.delivery_worker():
            await redeliver(outbox, webhook_id)
            await receiver.until(2)

    @pytest.mark.parametrize("size", [1, 3, 500])
    async def test_events_of_a_document_arrive_in_their_order(
        self,
        outbox: Outbox,
        receiver: Receiver,
        webhook_id: UUID,
        monkeypatch: pytest.MonkeyPatch,
        size: int,
    ) -> None:
        monkeypatch.setattr(deliveries, "_FAILED_AT_ONCE", size)
        ids = [str(await outbox.document("authorized", "canceled")) for _ in range(2)]
        await fail_all(outbox)
        assert await redeliver(outbox, webhook_id) == 4
        arrived = await deliver_all(outbox, receiver)
        for document_id in ids:
            events = [payload["event"] for payload in arrived if payload["data"]["id"] == document_id]
            assert events == ["nfe.authorized", "nfe.cancelled"]

    async def test_first_batch_has_the_earlier_event_of_a_document(
        self, outbox: Outbox, webhook_id: UUID
    ) -> None:
        """A worker that claims between two batches must not send the later event first."""
        await outbox.document("authorized", "canceled")
        await fail_all(outbox)
        first, later = await outbox.rows()
        # The later event was stored by a transaction that began earlier.
        await outbox.change(later["id"], f"created_at = now() - interval '{DAY}'")
        async with outbox.database.tenant(outbox.subscription_id) as tenant:
            batch = await tenant.deliveries.redeliver_failed(webhook_id, now() - HOUR, 0, 1)
        assert (batch.deliveries, batch.last_ordinal) == (1, first["ordinal"])


class TestSelection:
    async def test_only_failures_since_the_moment_are_sent_again(
        self, outbox: Outbox, webhook_id: UUID
    ) -> None:
        """The last attempt counts: the event itself may be older than the failure."""
        await outbox.add_events(webhook_id, 3)
        await fail_all(outbox)
        before, at, _ = await outbox.rows()
        since = now() - HOUR
        await outbox.change(before["id"], f"attempted_at = '{since - timedelta(seconds=1)}'")
        await outbox.change(at["id"], f"attempted_at = '{since}', created_at = now() - interval '{DAY}'")
        assert await redeliver(outbox, webhook_id, since) == 2
        assert await statuses(outbox) == ["failed", "pending", "pending"]

    async def test_delivered_pending_and_test_deliveries_stay_as_they_are(
        self, outbox: Outbox, webhook_id: UUID
    ) -> None:
        test = await outbox.add_test(webhook_id)
        delivered = await outbox.add_event(webhook_id)
        await fail_all(outbox)
        await outbox.change(delivered, "status = 'delivered'")
        waiting = await outbox.add_event(webhook_id)
        await outbox.change(waiting, f"next_action_at = now() + interval '{DAY}', failures = 2")
        before = [await outbox.row_of(delivery_id) for delivery_id in (test, delivered, waiting)]
        assert await redeliver(outbox, webhook_id) == 0
        after = [await outbox.row_of(delivery_id) for delivery_id in (test, delivered, waiting)]
        assert [row | {"now": None} for row in after] == [row | {"now": None} for row in before]

    async def test_deliveries_of_another_webhook_stay_failed(
        self, outbox: Outbox, receiver: Receiver, webhook_id: UUID
    ) -> None:
        other_id = await outbox.webhook(receiver.url)
        await outbox.document("authorized")
        await fail_all(outbox)
        assert await redeliver(outbox, webhook_id) == 1
        status_of = {row["webhook_id"]: row["status"] for row in await outbox.rows()}
        assert status_of == {webhook_id: "pending", other_id: "failed"}

    async def test_delivery_that_fails_again_meanwhile_is_counted_once(
        self, outbox: Outbox, webhook_id: UUID, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Otherwise a broken receiver without retries would keep the request busy for ever."""
        monkeypatch.setattr(deliveries, "_FAILED_AT_ONCE", 1)
        await outbox.add_events(webhook_id, 3)
        await fail_all(outbox)
        await outbox.fetch(
            "create or replace function fail_again() returns trigger language plpgsql as $$"
            " begin new.status := 'failed'; new.next_action_at := null; return new; end $$"
        )
        await outbox.fetch(
            "create trigger fail_again before update on deliveries for each row"
            " when (new.status = 'pending') execute function fail_again()"
        )
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                assert await redeliver(outbox, webhook_id) == 3
        finally:
            await outbox.fetch("drop trigger fail_again on deliveries")


class TestAudit:
    async def test_person_and_moment_are_in_the_audit(self, outbox: Outbox, webhook_id: UUID) -> None:
        since = now() - HOUR
        await redeliver(outbox, webhook_id, since)
        (entry,) = await outbox.fetch("select * from audit_entries where subject_id = $1", str(webhook_id))
        assert (entry["action"], entry["actor"]["name"]) == ("webhook.resent", "Ana Souza")
        assert datetime.fromisoformat(entry["details"]["since"]) == since
