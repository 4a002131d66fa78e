import statistics
import time

import pytest

from integration.issuing.shop import Shop
from integration.webhooks.conftest import NewListener
from integration.webhooks.listener import INSERT_EVENT
from receiver import Receiver, Reply
from support import TIMEOUT_SECONDS

EVENTS = 20


async def delays(shop: Shop, receiver: Receiver) -> list[float]:
    """Publishes events one after the other and returns how many seconds each took to arrive."""
    taken = []
    for _ in range(EVENTS):
        before, count = time.monotonic(), len(receiver.calls)
        await shop.system.fetch(INSERT_EVENT, shop.caller.subscription_id, shop.id)
        await receiver.until(count + 1, TIMEOUT_SECONDS)
        taken.append(receiver.calls[-1].at - before)
    return taken


class TestHangingReceiver:
    async def test_a_hanging_receiver_does_not_delay_another(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver, other_receiver: Receiver
    ) -> None:
        await new_listener(receiver)
        other_receiver.default = Reply(hangs=True)
        await new_listener(other_receiver)
        seconds = await delays(shop, receiver)
        # It uses only its own slots, and nobody waits for its timeout.
        assert len(other_receiver.calls) <= shop.system.settings.webhook_concurrency_each
        assert statistics.median(seconds) < shop.system.settings.webhook_seconds

    async def test_a_hanging_receiver_has_a_single_slot(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        receiver.default = Reply(hangs=True)
        await new_listener(receiver)
        for _ in range(EVENTS):
            await shop.system.fetch(INSERT_EVENT, shop.caller.subscription_id, shop.id)
        await receiver.until(1, TIMEOUT_SECONDS)
        with pytest.raises(TimeoutError):
            await receiver.until(2, 0.5)


class TestNothingIsLost:
    async def test_no_event_is_lost_when_the_holder_of_its_lease_never_returns(
        self, shop: Shop, new_listener: NewListener, receiver: Receiver
    ) -> None:
        listener = await new_listener(receiver)
        async with shop.system.worker_stopped():
            await shop.system.fetch(INSERT_EVENT, shop.caller.subscription_id, shop.id)
            await shop.system.fetch(
                "update deliveries set lease_token = 7, lease_until = now() + interval '1 second'"
                " where subscription_id = $1",
                shop.caller.subscription_id,
            )
        (call,) = await listener.until(1)
        assert listener.verified(call)["event"] == "certificate.expiring"
