"""Which deliveries are claimed next, when there are not slots for all."""

import asyncio
from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest

from carimbo.storage.delivery_queue import ClaimedDelivery
from carimbo.worker import delivery as delivery_module
from integration.deliveries.outbox import AMPLE, DAY, HOUR, MINUTE, Outbox
from receiver import Receiver, Reply
from support import TIMEOUT_SECONDS

NONE_QUICK = replace(AMPLE, quick=0)
NO_OTHERS = replace(AMPLE, others=0)


def ids(claimed: list[ClaimedDelivery]) -> set[UUID]:
    return {delivery.id for delivery in claimed}


def counted(claimed: list[ClaimedDelivery]) -> Counter[UUID]:
    """Returns how many deliveries of each webhook were claimed."""
    return Counter(delivery.webhook_id for delivery in claimed)


async def backlogs(outbox: Outbox, webhooks: int, each: int) -> list[UUID]:
    """Adds webhooks with this many pending deliveries each."""
    webhook_ids = [await outbox.webhook() for _ in range(webhooks)]
    for webhook_id in webhook_ids:
        for _ in range(each):
            await outbox.add_event(webhook_id)
    return webhook_ids


class TestSlowWebhook:
    async def test_slow_webhook_has_one_slot(self, outbox: Outbox) -> None:
        webhooks = await backlogs(outbox, 3, each=4)
        assert counted(await outbox.claim()) == dict.fromkeys(webhooks, 1)

    async def test_slow_webhook_has_no_slot_while_a_delivery_is_in_progress(self, outbox: Outbox) -> None:
        first, other = await backlogs(outbox, 2, each=2)
        assert counted(await outbox.claim(busy={first: 1})) == {other: 1}

    async def test_slow_webhooks_share_a_limited_number_of_slots(self, outbox: Outbox) -> None:
        await backlogs(outbox, 4, each=1)
        assert len(await outbox.claim(limits=replace(AMPLE, others=3))) == 3
        assert await outbox.claim(limits=NO_OTHERS) == []

    async def test_slow_webhook_takes_no_slot_of_the_quick_ones(self, outbox: Outbox) -> None:
        slow, quick = await backlogs(outbox, 2, each=2)
        assert counted(await outbox.claim(quick={quick}, limits=NONE_QUICK)) == {slow: 1}


class TestQuickWebhook:
    async def test_quick_webhook_has_several_slots(self, outbox: Outbox) -> None:
        (quick,) = await backlogs(outbox, 1, each=7)
        assert counted(await outbox.claim(quick={quick})) == {quick: 5}

    async def test_quick_webhook_has_as_many_slots_as_are_not_in_use(self, outbox: Outbox) -> None:
        (quick,) = await backlogs(outbox, 1, each=7)
        assert counted(await outbox.claim(busy={quick: 3}, quick={quick})) == {quick: 2}

    async def test_quick_webhooks_share_the_slots_evenly(self, outbox: Outbox) -> None:
        first, other = await backlogs(outbox, 2, each=5)
        claimed = await outbox.claim(quick={first, other}, limits=replace(AMPLE, quick=4))
        assert counted(claimed) == {first: 2, other: 2}

    async def test_quick_webhook_does_not_wait_for_slow_ones(self, outbox: Outbox) -> None:
        _, quick = await backlogs(outbox, 2, each=2)
        assert counted(await outbox.claim(quick={quick}, limits=NO_OTHERS)) == {quick: 2}


class TestFailingWebhook:
    async def test_failing_webhook_has_one_slot_however_quick_it_was(self, outbox: Outbox) -> None:
        (failing,) = await backlogs(outbox, 1, each=4)
        await outbox.set_failing_for(failing, MINUTE)
        claimed = await outbox.claim(quick={failing}, limits=NONE_QUICK)
        assert counted(claimed) == {failing: 1}

    async def test_failing_webhook_waits_for_a_new_one(self, outbox: Outbox) -> None:
        failing, new = await outbox.webhook(failing_for=DAY), await outbox.webhook()
        await outbox.add_event(failing, due_for=HOUR)
        await outbox.add_event(new)
        assert counted(await outbox.claim(limits=replace(AMPLE, others=1))) == {new: 1}

    @pytest.mark.parametrize("active", [True, False])
    async def test_failing_webhook_gets_a_test_before_its_backlog(self, outbox: Outbox, active: bool) -> None:
        failing = await outbox.webhook(failing_for=DAY)
        for _ in range(3):
            await outbox.add_event(failing, due_for=HOUR)
        await outbox.fetch("update webhooks set is_active = $1", active)
        test = await outbox.add_test(failing)
        assert ids(await outbox.claim(busy={failing: 1}, limits=NO_OTHERS)) == {test}


class TestDueDeliveries:
    async def test_delivery_that_is_due_longest_is_claimed_first(self, outbox: Outbox) -> None:
        first, other = await outbox.webhook(), await outbox.webhook()
        await outbox.add_event(first, due_for=MINUTE)
        longest = await outbox.add_event(other, due_for=HOUR)
        await outbox.add_event(other, due_for=2 * MINUTE)
        assert ids(await outbox.claim(limits=replace(AMPLE, others=1))) == {longest}

    async def test_longest_due_delivery_of_one_webhook_is_claimed_first(self, outbox: Outbox) -> None:
        (webhook_id,) = await backlogs(outbox, 1, each=2)
        longest = await outbox.add_event(webhook_id, due_for=HOUR)
        assert ids(await outbox.claim()) == {longest}

    async def test_later_leased_and_inactive_deliveries_are_not_claimed(self, outbox: Outbox) -> None:
        webhooks = await backlogs(outbox, 3, each=1)
        later, held, _ = [row["id"] for row in await outbox.rows()]
        await outbox.change(later, "next_action_at = now() + interval '1 minute'")
        await outbox.change(held, "lease_until = now() + interval '1 minute'")
        await outbox.fetch("update webhooks set is_active = false where id = $1", webhooks[2])
        assert await outbox.claim() == []
        await outbox.change(held, "lease_until = now()")
        assert ids(await outbox.claim()) == {held}

    async def test_concurrent_claims_take_each_delivery_once(self, outbox: Outbox) -> None:
        webhooks = await backlogs(outbox, 10, each=1)
        taken = await asyncio.gather(*(outbox.claim() for _ in range(5)))
        assert sum((counted(claimed) for claimed in taken), Counter()) == dict.fromkeys(webhooks, 1)


class TestDeliveryWorker:
    async def test_quick_webhook_is_called_at_once_while_thirty_hang(
        self, outbox: Outbox, receiver: Receiver, other_receiver: Receiver
    ) -> None:
        quick = await outbox.webhook(receiver.url)
        hanging = [await outbox.webhook(other_receiver.url) for _ in range(30)]
        other_receiver.default = Reply(hangs=True)
        async with outbox.delivery_worker():
            await outbox.add_event(quick)
            await outbox.until("exists (select from deliveries where status = 'delivered')")
            for webhook_id in hanging:
                await outbox.add_event(webhook_id)
            await other_receiver.until(10, TIMEOUT_SECONDS)
            await outbox.add_event(quick)
            await receiver.until(2, TIMEOUT_SECONDS)
            # No hanging call was given up meanwhile, or another would have its slot.
            assert len(other_receiver.calls) == 10

    async def test_webhook_that_becomes_slow_keeps_one_slot(
        self, outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(delivery_module, "_QUICK_SECONDS", TIMEOUT_SECONDS)
        webhook_id, gate = await outbox.webhook(receiver.url), asyncio.Event()
        async with outbox.delivery_worker():
            await outbox.add_event(webhook_id)
            await outbox.until("exists (select from deliveries where status = 'delivered')")
            monkeypatch.setattr(delivery_module, "_QUICK_SECONDS", 0)
            receiver.default = Reply(gate=gate)
            await outbox.add_events(webhook_id, 7)
            # Five have their slots already; then they go one by one.
            assert len(await receiver.until(6, TIMEOUT_SECONDS)) == 6
            receiver.default = Reply(delay=0.3)
            gate.set()
            calls = [call.at for call in await receiver.until(8, TIMEOUT_SECONDS)]
        assert calls[7] - calls[6] >= 0.3
