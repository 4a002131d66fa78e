"""One attempt: what is sent and when not, what is written of it, and when the next one is."""

import time
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.delivery import attempt as attempts
from carimbo.service.delivery.attempt import deliver
from carimbo.service.delivery.retry import RetrySchedule
from carimbo.storage.work import LeaseLost
from integration.courier.house import HOUR, MINUTE, House
from receiver import Receiver, Reply

SECONDLY = RetrySchedule((timedelta(seconds=1),))
WISH = {"Retry-After": "3600"}


async def pause_of(house: House, delivery_id: UUID) -> timedelta:
    """From an attempt to the next one."""
    (attempt,) = await house.attempts(delivery_id)
    pause: timedelta = attempt["next_attempt_at"] - attempt["started_at"]
    return pause


class TestTheNextAttempt:
    @pytest.mark.parametrize("status", [429, 502, 503, 504])
    async def test_is_when_whoever_is_overloaded_wishes(
        self, house: House, receiver: Receiver, status: int
    ) -> None:
        receiver.default = Reply(status, headers=WISH)
        delivery_id = await house.tell(await house.webhook(receiver.url))
        await house.deliver(schedule=SECONDLY)
        assert HOUR <= await pause_of(house, delivery_id) < HOUR + MINUTE

    @pytest.mark.parametrize("status", [301, 400, 408, 500, 501])
    async def test_is_as_planned_whatever_others_wish(
        self, house: House, receiver: Receiver, status: int
    ) -> None:
        receiver.default = Reply(status, headers=WISH)
        delivery_id = await house.tell(await house.webhook(receiver.url))
        await house.deliver(schedule=SECONDLY)
        assert await pause_of(house, delivery_id) < MINUTE

    @pytest.mark.parametrize(("throw", "minutes"), [(0.0, 60), (0.5, 66), (1.0, 72)], ids=str)
    async def test_is_later_by_chance(
        self, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, throw: float, minutes: int
    ) -> None:
        monkeypatch.setattr(attempts, "dice", lambda: throw)
        receiver.default = Reply(500)
        delivery_id = await house.tell(await house.webhook(receiver.url))
        await house.deliver()
        planned = timedelta(minutes=minutes)
        assert planned <= await pause_of(house, delivery_id) < planned + MINUTE


class TestTheLog:
    async def test_tells_how_long_a_receiver_took(self, house: House, receiver: Receiver) -> None:
        receiver.default = Reply(delay=0.2)
        delivery_id = await house.tell(await house.webhook(receiver.url))
        before = time.monotonic()
        await house.deliver()
        (attempt,) = await house.attempts(delivery_id)
        assert 200 <= attempt["milliseconds"] <= (time.monotonic() - before) * 1000


class TestAWorkerWhoseLeaseHasEnded:
    async def test_sends_nothing(self, house: House, receiver: Receiver) -> None:
        delivery_id = await house.tell(await house.webhook(receiver.url))
        (claimed,) = await house.claim(lease=timedelta(0))
        with pytest.raises(LeaseLost):
            await deliver(house.postman(), claimed)
        assert (receiver.calls, await house.attempts(delivery_id)) == ([], [])

    async def test_sends_what_it_holds_until_then(self, house: House, receiver: Receiver) -> None:
        await house.tell(await house.webhook(receiver.url))
        before = time.monotonic()
        (claimed,) = await house.claim(lease=MINUTE)
        assert before + 60 <= claimed.held_until <= time.monotonic() + 60
        await deliver(house.postman(), claimed)
        assert len(receiver.calls) == 1

    async def test_writes_nothing_once_somebody_else_has_taken_over(
        self, house: House, receiver: Receiver
    ) -> None:
        delivery_id = await house.tell(await house.webhook(receiver.url))
        (frozen,) = await house.claim(lease=timedelta(0))
        (claimed,) = await house.claim()
        frozen = replace(frozen, held_until=claimed.held_until)
        with pytest.raises(LeaseLost):
            await deliver(house.postman(), frozen)
        row = await house.row_of(delivery_id)
        assert (row["status"], row["attempts_made"], row["lease_token"]) == ("pending", 0, claimed.token)
        assert await house.attempts(delivery_id) == []
