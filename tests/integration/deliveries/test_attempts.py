"""One delivery attempt: when it is sent, what is recorded, and when the next one is due."""

import time
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.delivery import attempt as attempts
from carimbo.service.delivery.attempt import deliver
from carimbo.service.delivery.retry import RetrySchedule
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
