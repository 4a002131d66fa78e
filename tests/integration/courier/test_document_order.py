"""What happens to one document goes out in its order; what happens to others does not wait for it."""

import pytest

from carimbo.service.delivery.retry import RetrySchedule
from integration.courier.house import HOUR, House
from receiver import Receiver, Reply

HOURLY = RetrySchedule((HOUR,))
BROKEN = Reply(500)


class TestAFailure:
    async def test_pushes_what_follows_of_the_document_behind_it(
        self, house: House, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        await house.webhook(receiver.url)
        await house.document("authorized", "canceled")
        await house.document("rejected")
        assert await house.deliver(schedule=HOURLY) == ["pending"]
        failed, following, other = await house.rows()
        assert following["next_action_at"] == failed["next_action_at"] > failed["now"] + HOUR / 2
        assert other["next_action_at"] <= other["now"]

    async def test_pushes_nothing_at_another_webhook(
        self, house: House, receiver: Receiver, other_receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        broken, good = await house.webhook(receiver.url), await house.webhook(other_receiver.url)
        await house.document("authorized", "canceled")
        for _ in range(2):
            await house.deliver(schedule=HOURLY)
        pending = {row["webhook_id"] for row in await house.rows() if row["status"] == "pending"}
        assert (pending, len(other_receiver.calls)) == ({broken}, 2)
        assert (await house.seen(good)).failing_since is None

    async def test_keeps_back_what_is_written_while_it_waits(self, house: House, receiver: Receiver) -> None:
        receiver.default = BROKEN
        await house.webhook(receiver.url)
        document_id = await house.document("authorized")
        await house.deliver(schedule=HOURLY)
        await house.become(document_id, "canceled")
        failed, following = await house.rows()
        assert following["next_action_at"] == failed["next_action_at"]

    async def test_keeps_back_nothing_of_another_document(self, house: House, receiver: Receiver) -> None:
        receiver.default = BROKEN
        await house.webhook(receiver.url)
        await house.document("authorized")
        await house.deliver(schedule=HOURLY)
        await house.document("authorized")
        _, other = await house.rows()
        assert other["next_action_at"] <= other["now"]


class TestWhatFollows:
    @pytest.mark.parametrize(
        ("reply", "status"), [(Reply(), "delivered"), (BROKEN, "failed")], ids=["success", "giving-up"]
    )
    async def test_goes_at_once_when_that_is_settled(
        self, house: House, receiver: Receiver, reply: Reply, status: str
    ) -> None:
        """Though it was pushed back for an hour before."""
        receiver.replies.extend([BROKEN, reply])
        await house.webhook(receiver.url)
        await house.document("authorized", "canceled")
        await house.deliver(schedule=HOURLY)
        first, _ = await house.rows()
        await house.change(first["id"], "next_action_at = now()")
        assert await house.deliver(schedule=HOURLY) == [status]
        _, following = await house.rows()
        assert following["next_action_at"] <= following["now"]
        assert await house.deliver() == ["delivered"]

    async def test_does_not_go_before_it_though_it_is_due(self, house: House, receiver: Receiver) -> None:
        await house.webhook(receiver.url)
        await house.document("authorized", "canceled")
        first, following = await house.rows()
        await house.change(first["id"], "next_action_at = now() + interval '1 minute'")
        assert following["next_action_at"] <= following["now"]
        assert await house.deliver() == []

    async def test_does_not_go_beside_it(self, house: House) -> None:
        webhook_id = await house.webhook()
        await house.document("authorized", "canceled")
        first, _ = await house.rows()
        assert [one.id for one in await house.claim(quick={webhook_id})] == [first["id"]]
        assert await house.claim(busy={webhook_id: 1}, quick={webhook_id}) == []
