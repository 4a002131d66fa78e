import asyncio
import statistics
import time

import pytest

from integration.issuing.shop import Shop
from integration.webhooks.conftest import NewListener
from integration.webhooks.listener import TELL
from receiver import Receiver, Reply
from support import PATIENCE

EVENTS = 20


async def delays(shop: Shop, receiver: Receiver) -> list[float]:
    """Tell of something again and again; how long each took to arrive, in seconds."""
    taken = []
    for _ in range(EVENTS):
        before, count = time.monotonic(), len(receiver.calls)
        await shop.floor.fetch(TELL, shop.caller.subscription_id, shop.id)
        await receiver.until(count + 1, PATIENCE)
        taken.append(receiver.calls[-1].at - before)
    return taken


class TestAReceiverThatHangs:
    async def test_does_not_slow_another(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver, other_receiver: Receiver
    ) -> None:
        await new_listener(receiver)
        other_receiver.default = Reply(hangs=True)
        await new_listener(other_receiver)
        beside = await delays(shop, receiver)
        # It has no more than its own places, and nobody waits until it is given up.
        assert len(other_receiver.calls) <= shop.floor.settings.webhook_concurrency_each
        assert statistics.median(beside) < shop.floor.settings.webhook_seconds

    async def test_has_but_one_place(self, shop: Shop, new_listener: NewListener, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        await new_listener(receiver)
        for _ in range(EVENTS):
            await shop.floor.fetch(TELL, shop.caller.subscription_id, shop.id)
        await receiver.until(1, PATIENCE)
        with pytest.raises(TimeoutError):
            await receiver.until(2, 0.5)


class TestNothingIsLost:
    async def test_when_every_row_of_the_queue_is_deleted(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        listener = await new_listener(receiver)
        documents = await asyncio.gather(*(shop.create("nfe") for _ in range(5)))
        for _ in range(10):
            await shop.floor.fetch("delete from pgqueuer")
            await asyncio.sleep(0.05)
        told = await listener.told(5)
        assert {one["data"]["id"] for one in told} == {one["id"] for one in documents}

    async def test_when_whoever_held_it_never_comes_back(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        listener = await new_listener(receiver)
        async with shop.floor.standstill():
            await shop.floor.fetch(TELL, shop.caller.subscription_id, shop.id)
            await shop.floor.fetch(
                "update deliveries set lease_token = 7, lease_until = now() + interval '1 second'"
                " where subscription_id = $1",
                shop.caller.subscription_id,
            )
        (call,) = await listener.until(1)
        assert listener.verified(call)["event"] == "certificate.expiring"
