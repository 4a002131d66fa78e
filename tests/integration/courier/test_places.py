"""Who is told next, when there is not room for everybody at once."""

import asyncio
from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest

from carimbo.storage.delivering import ClaimedDelivery
from carimbo.worker import courier
from integration.courier.house import AMPLE, DAY, HOUR, MINUTE, House
from receiver import Receiver, Reply
from support import PATIENCE

NONE_QUICK = replace(AMPLE, quick=0)
NO_OTHERS = replace(AMPLE, others=0)


def ids(claimed: list[ClaimedDelivery]) -> set[UUID]:
    return {one.id for one in claimed}


def counted(claimed: list[ClaimedDelivery]) -> Counter[UUID]:
    """How many of each webhook were taken."""
    return Counter(one.webhook_id for one in claimed)


async def backlogs(house: House, webhooks: int, each: int) -> list[UUID]:
    """Webhooks, and so much that each is owed."""
    made = [await house.webhook() for _ in range(webhooks)]
    for webhook_id in made:
        for _ in range(each):
            await house.tell(webhook_id)
    return made


class TestOneThatNeverAnsweredQuickly:
    async def test_has_one_place(self, house: House) -> None:
        webhooks = await backlogs(house, 3, each=4)
        assert counted(await house.claim()) == dict.fromkeys(webhooks, 1)

    async def test_has_none_while_something_is_under_way(self, house: House) -> None:
        one, other = await backlogs(house, 2, each=2)
        assert counted(await house.claim(busy={one: 1})) == {other: 1}

    async def test_has_none_when_all_of_them_have_the_most(self, house: House) -> None:
        await backlogs(house, 4, each=1)
        assert len(await house.claim(room=replace(AMPLE, others=3))) == 3
        assert await house.claim(room=NO_OTHERS) == []

    async def test_takes_none_of_those_who_do(self, house: House) -> None:
        one, quick = await backlogs(house, 2, each=2)
        assert counted(await house.claim(quick={quick}, room=NONE_QUICK)) == {one: 1}


class TestOneThatAnswersQuickly:
    async def test_has_several_places(self, house: House) -> None:
        (quick,) = await backlogs(house, 1, each=7)
        assert counted(await house.claim(quick={quick})) == {quick: 5}

    async def test_has_as_many_as_are_not_under_way(self, house: House) -> None:
        (quick,) = await backlogs(house, 1, each=7)
        assert counted(await house.claim(busy={quick: 3}, quick={quick})) == {quick: 2}

    async def test_has_no_more_than_there_are(self, house: House) -> None:
        one, other = await backlogs(house, 2, each=5)
        claimed = await house.claim(quick={one, other}, room=replace(AMPLE, quick=4))
        assert counted(claimed) == {one: 2, other: 2}

    async def test_does_not_wait_for_others(self, house: House) -> None:
        _, quick = await backlogs(house, 2, each=2)
        assert counted(await house.claim(quick={quick}, room=NO_OTHERS)) == {quick: 2}


class TestOneThatFails:
    async def test_has_one_place_however_quick_it_was(self, house: House) -> None:
        (failing,) = await backlogs(house, 1, each=4)
        await house.fail_for(failing, MINUTE)
        claimed = await house.claim(quick={failing}, room=NONE_QUICK)
        assert counted(claimed) == {failing: 1}

    async def test_waits_for_a_new_one(self, house: House) -> None:
        failing, new = await house.webhook(failing_for=DAY), await house.webhook()
        await house.tell(failing, due_for=HOUR)
        await house.tell(new)
        assert counted(await house.claim(room=replace(AMPLE, others=1))) == {new: 1}

    @pytest.mark.parametrize("active", [True, False])
    async def test_gets_a_test_at_once_beside_its_backlog(self, house: House, active: bool) -> None:
        failing = await house.webhook(failing_for=DAY)
        for _ in range(3):
            await house.tell(failing, due_for=HOUR)
        await house.fetch("update webhooks set is_active = $1", active)
        test = await house.tell_test(failing)
        assert ids(await house.claim(busy={failing: 1}, room=NO_OTHERS)) == {test}


class TestWhatIsDue:
    async def test_for_longest_goes_first(self, house: House) -> None:
        one, other = await house.webhook(), await house.webhook()
        await house.tell(one, due_for=MINUTE)
        longest = await house.tell(other, due_for=HOUR)
        await house.tell(other, due_for=2 * MINUTE)
        assert ids(await house.claim(room=replace(AMPLE, others=1))) == {longest}

    async def test_for_longest_of_one_webhook_goes_first(self, house: House) -> None:
        (webhook_id,) = await backlogs(house, 1, each=2)
        longest = await house.tell(webhook_id, due_for=HOUR)
        assert ids(await house.claim()) == {longest}

    async def test_later_or_by_somebody_s_hand_or_to_nobody_is_left(self, house: House) -> None:
        webhooks = await backlogs(house, 3, each=1)
        later, held, _ = [row["id"] for row in await house.rows()]
        await house.change(later, "next_action_at = now() + interval '1 minute'")
        await house.change(held, "lease_until = now() + interval '1 minute'")
        await house.fetch("update webhooks set is_active = false where id = $1", webhooks[2])
        assert await house.claim() == []
        await house.change(held, "lease_until = now()")
        assert ids(await house.claim()) == {held}

    async def test_is_taken_once_by_several_at_once(self, house: House) -> None:
        webhooks = await backlogs(house, 10, each=1)
        taken = await asyncio.gather(*(house.claim() for _ in range(5)))
        assert sum((counted(one) for one in taken), Counter()) == dict.fromkeys(webhooks, 1)


class TestACourier:
    async def test_tells_a_quick_one_at_once_while_thirty_hang(
        self, house: House, receiver: Receiver, other_receiver: Receiver
    ) -> None:
        quick = await house.webhook(receiver.url)
        hanging = [await house.webhook(other_receiver.url) for _ in range(30)]
        other_receiver.default = Reply(hangs=True)
        async with house.courier(most=10):
            await house.tell(quick)
            await house.until("exists (select from deliveries where status = 'delivered')")
            for webhook_id in hanging:
                await house.tell(webhook_id)
            await other_receiver.until(10, PATIENCE)
            await house.tell(quick)
            await receiver.until(2, PATIENCE)
            # None of those who hang was given up meanwhile, or another would have its place.
            assert len(other_receiver.calls) == 10

    async def test_leaves_one_place_to_who_was_quick_and_is_slow(
        self, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(courier, "_QUICK_SECONDS", PATIENCE)
        webhook_id, gate = await house.webhook(receiver.url), asyncio.Event()
        async with house.courier():
            await house.tell(webhook_id)
            await house.until("exists (select from deliveries where status = 'delivered')")
            monkeypatch.setattr(courier, "_QUICK_SECONDS", 0)
            receiver.default = Reply(gate=gate)
            await house.tell_at_once(webhook_id, 7)
            # Five have their places already; then it is one by one.
            assert len(await receiver.until(6, PATIENCE)) == 6
            receiver.default = Reply(delay=0.3)
            gate.set()
            calls = [call.at for call in await receiver.until(8, PATIENCE)]
        assert calls[7] - calls[6] >= 0.3
