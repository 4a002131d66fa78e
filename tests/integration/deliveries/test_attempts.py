"""One delivery attempt: when it is sent, what is recorded, and when the next one is due."""

import asyncio
import time
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.delivery import attempt as attempts
from carimbo.service.delivery.attempt import DeliveryStatus, deliver
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.storage.delivery_queue import ClaimedDelivery
from carimbo.storage.work import LeaseLost
from integration.deliveries.outbox import HOUR, MINUTE, Outbox
from receiver import Receiver, Reply

SECONDLY = RetrySchedule((timedelta(seconds=1),))
RETRY_AFTER = {"Retry-After": "3600"}


async def pause_of(outbox: Outbox, delivery_id: UUID) -> timedelta:
    """Returns the time from an attempt to the next one."""
    (attempt,) = await outbox.attempts(delivery_id)
    pause: timedelta = attempt["next_attempt_at"] - attempt["started_at"]
    return pause


class TestTheNextAttempt:
    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    async def test_retry_after_of_an_overloaded_receiver_is_followed(
        self, outbox: Outbox, receiver: Receiver, status: int
    ) -> None:
        receiver.default = Reply(status, headers=RETRY_AFTER)
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        await outbox.deliver(schedule=SECONDLY)
        assert HOUR <= await pause_of(outbox, delivery_id) < HOUR + MINUTE

    @pytest.mark.parametrize("status", [301, 400, 408, 500, 501])
    async def test_retry_after_with_other_statuses_is_ignored(
        self, outbox: Outbox, receiver: Receiver, status: int
    ) -> None:
        receiver.default = Reply(status, headers=RETRY_AFTER)
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        await outbox.deliver(schedule=SECONDLY)
        assert await pause_of(outbox, delivery_id) < MINUTE

    @pytest.mark.parametrize(("random_value", "minutes"), [(0.0, 60), (0.5, 66), (1.0, 72)], ids=str)
    async def test_next_attempt_is_delayed_by_jitter(
        self,
        outbox: Outbox,
        receiver: Receiver,
        monkeypatch: pytest.MonkeyPatch,
        random_value: float,
        minutes: int,
    ) -> None:
        monkeypatch.setattr(attempts, "jitter", lambda: random_value)
        receiver.default = Reply(500)
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        await outbox.deliver()
        planned = timedelta(minutes=minutes)
        assert planned <= await pause_of(outbox, delivery_id) < planned + MINUTE


class TestTheLog:
    async def test_attempt_records_how_long_the_receiver_took(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = Reply(delay=0.2)
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        before = time.monotonic()
        await outbox.deliver()
        (attempt,) = await outbox.attempts(delivery_id)
        assert 200 <= attempt["milliseconds"] <= (time.monotonic() - before) * 1000


class TestAWorkerWhoseLeaseHasEnded:
    async def test_worker_sends_nothing_after_its_lease_has_ended(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        (claimed,) = await outbox.claim(lease=timedelta(0))
        with pytest.raises(LeaseLost):
            await deliver(outbox.delivery_sender(), claimed)
        assert (receiver.calls, await outbox.attempts(delivery_id)) == ([], [])

    async def test_worker_sends_while_its_lease_lasts(self, outbox: Outbox, receiver: Receiver) -> None:
        await outbox.add_event(await outbox.webhook(receiver.url))
        before = time.monotonic()
        (claimed,) = await outbox.claim(lease=MINUTE)
        assert before + 60 <= claimed.held_until <= time.monotonic() + 60
        await deliver(outbox.delivery_sender(), claimed)
        assert len(receiver.calls) == 1

    async def test_worker_writes_nothing_after_another_has_taken_over(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        (frozen,) = await outbox.claim(lease=timedelta(0))
        (claimed,) = await outbox.claim()
        frozen = replace(frozen, held_until=claimed.held_until)
        with pytest.raises(LeaseLost):
            await deliver(outbox.delivery_sender(), frozen)
        row = await outbox.row_of(delivery_id)
        assert (row["status"], row["attempts_made"], row["lease_token"]) == ("pending", 0, claimed.token)
        assert await outbox.attempts(delivery_id) == []


class TestDeliveriesAtOnce:
    """Deliveries that are read together, and whose outcomes are stored together."""

    async def test_each_delivery_gets_its_own_event_and_receiver(
        self, outbox: Outbox, receiver: Receiver, other_receiver: Receiver
    ) -> None:
        webhooks = {
            await outbox.webhook(f"{receiver.url}/a"): (receiver, "/a"),
            await outbox.webhook(f"{receiver.url}/b"): (receiver, "/b"),
            await outbox.webhook(other_receiver.url): (other_receiver, "/"),
        }
        for webhook_id in webhooks:
            await outbox.add_events(webhook_id, 3)
        claimed = await outbox.claim(quick=set(webhooks))
        assert await deliver_all(outbox, claimed) == [DeliveryStatus.DELIVERED] * 9
        for delivery in claimed:
            called, path = webhooks[delivery.webhook_id]
            (call,) = [c for c in called.calls if c.headers["webhook-id"] == str(delivery.event_id)]
            assert call.path == path
            (attempt,) = await outbox.attempts(delivery.id)
            assert (attempt["request_body"].encode(), attempt["number"]) == (call.body, 1)
        assert {row["status"] for row in await outbox.rows()} == {"delivered"}

    async def test_only_the_delivery_without_a_lease_is_not_stored(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        await outbox.add_events(webhook_id, 3)
        first, frozen, last = await outbox.claim(quick={webhook_id})
        await outbox.change(frozen.id, "lease_token = lease_token + 1")
        results = await deliver_all(outbox, [first, frozen, last])
        assert [type(result) for result in results] == [DeliveryStatus, LeaseLost, DeliveryStatus]
        assert (await outbox.row_of(frozen.id))["status"] == "pending"
        assert await outbox.attempts(frozen.id) == []

    async def test_only_the_delivery_that_cannot_be_prepared_fails(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        webhook_id, broken = await outbox.webhook(receiver.url), await outbox.webhook(receiver.url)
        await outbox.fetch("delete from secrets where owner_id = $1", broken)
        delivery_id = await outbox.add_event(webhook_id)
        await outbox.add_event(broken)
        results = await deliver_all(outbox, await outbox.claim())
        assert {type(result) for result in results} == {DeliveryStatus, KeyError}
        assert (await outbox.row_of(delivery_id))["status"] == "delivered"

    async def test_successes_and_failures_of_one_webhook_are_all_stored(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        await outbox.add_events(webhook_id, 5)
        receiver.replies.extend([Reply(), Reply(500), Reply(), Reply(500)])
        await deliver_all(outbox, await outbox.claim(quick={webhook_id}))
        statuses = Counter(row["status"] for row in await outbox.rows())
        assert statuses == {"delivered": 3, "pending": 2}

    async def test_success_that_ends_after_a_failure_clears_it(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        await outbox.add_events(webhook_id, 2)
        gate = asyncio.Event()
        receiver.default = Reply(gate=gate)
        delivering = asyncio.create_task(deliver_all(outbox, await outbox.claim(quick={webhook_id})))
        await receiver.until(2)
        await outbox.set_failing_for(webhook_id, HOUR)
        gate.set()
        await delivering
        assert (await outbox.read_webhook(webhook_id)).failing_since is None


async def deliver_all(
    outbox: Outbox, claimed: list[ClaimedDelivery]
) -> list[DeliveryStatus | BaseException | None]:
    """Attempts deliveries at once, and returns what each returned or raised."""
    sender = outbox.delivery_sender()
    return await asyncio.gather(*(deliver(sender, delivery) for delivery in claimed), return_exceptions=True)
