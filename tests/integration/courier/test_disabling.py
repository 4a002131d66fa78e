"""Whether a webhook is said to fail, and for how long until it is not called any more."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from carimbo.service.ports import WebhookAnswer, WebhookCall, WebhookClient
from carimbo.storage.webhooks import WebhookFacts
from integration.courier.house import DAY, HOUR, NO_RETRIES, House
from receiver import Receiver, Reply
from support import LOOPBACK, free_port

BROKEN = Reply(500)
LONG = 5 * DAY + timedelta(minutes=1)


@dataclass(frozen=True)
class Meanwhile:
    """Lets something happen between an answer and what is made of it."""

    client: WebhookClient
    happens: Callable[[], Awaitable[object]]

    async def post(self, call: WebhookCall) -> WebhookAnswer:
        answer = await self.client.post(call)
        await self.happens()
        return answer


async def fail_again(house: House, delivery_id: UUID) -> None:
    await house.change(delivery_id, "next_action_at = now()")
    await house.deliver()


class TestTheClock:
    async def test_is_started_by_the_first_failure_and_left_by_the_next_ones(
        self, house: House, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url)
        delivery_id = await house.tell(webhook_id)
        await house.deliver()
        await fail_again(house, delivery_id)
        first, second = await house.attempts(delivery_id)
        assert first["started_at"] < second["started_at"]
        assert (await house.seen(webhook_id)).failing_since == first["started_at"]

    async def test_is_stopped_by_a_success(self, house: House, receiver: Receiver) -> None:
        webhook_id = await house.webhook(receiver.url, failing_for=LONG)
        await house.tell(webhook_id)
        await house.deliver()
        assert (await house.seen(webhook_id)).failing_since is None

    async def test_is_not_started_by_a_test(self, house: House, receiver: Receiver) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url)
        await house.tell_test(webhook_id)
        assert await house.deliver() == ["failed"]
        assert (await house.seen(webhook_id)).failing_since is None

    @pytest.mark.parametrize("reply", [Reply(), BROKEN], ids=["delivered", "failed"])
    async def test_is_neither_stopped_nor_judged_by_a_test(
        self, house: House, receiver: Receiver, reply: Reply
    ) -> None:
        receiver.default = reply
        webhook_id = await house.webhook(receiver.url, failing_for=LONG)
        before = await house.seen(webhook_id)
        await house.tell_test(webhook_id)
        await house.deliver(schedule=NO_RETRIES)
        assert await house.seen(webhook_id) == before


class TestAWebhook:
    async def test_is_disabled_when_something_is_given_up_after_days_of_failures(
        self, house: House, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url)
        since = datetime(2026, 11, 5, 12, 30, tzinfo=UTC)
        await house.fetch("update webhooks set failing_since = $1", since)
        await house.tell(webhook_id)
        await house.deliver(schedule=NO_RETRIES, clock=lambda: since + 5 * DAY)
        seen = await house.seen(webhook_id)
        assert (seen.is_active, seen.failing_since) == (False, since)
        assert seen.disabled_reason == (
            "Desativado automaticamente: todas as entregas falharam desde 05/11/2026 às 09:30."
            " Última falha: HTTP 500"
        )

    async def test_is_told_why_nothing_came_back(self, house: House) -> None:
        webhook_id = await house.webhook(f"http://{LOOPBACK}:{free_port()}/", failing_for=LONG)
        delivery_id = await house.tell(webhook_id)
        await house.deliver(schedule=NO_RETRIES)
        (attempt,) = await house.attempts(delivery_id)
        assert attempt["error"]
        reason = (await house.seen(webhook_id)).disabled_reason
        assert reason is not None
        assert reason.endswith(f"Última falha: {attempt['error']}")

    @pytest.mark.parametrize("age", [timedelta(0), 5 * DAY - HOUR], ids=["just", "nearly"])
    async def test_is_not_disabled_before_that(
        self, house: House, receiver: Receiver, age: timedelta
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url, failing_for=age)
        await house.tell(webhook_id)
        assert await house.deliver(schedule=NO_RETRIES) == ["failed"]
        seen = await house.seen(webhook_id)
        assert (seen.is_active, seen.disabled_reason) == (True, None)

    async def test_is_not_disabled_by_a_failure_that_is_tried_again(
        self, house: House, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url, failing_for=LONG)
        delivery_id = await house.tell(webhook_id)
        await house.deliver()
        await fail_again(house, delivery_id)
        assert (await house.seen(webhook_id)).is_active
        await fail_again(house, delivery_id)
        assert (await house.row_of(delivery_id))["status"] == "failed"
        assert not (await house.seen(webhook_id)).is_active

    async def test_is_not_disabled_by_the_first_failure_ever(self, house: House, receiver: Receiver) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url)
        await house.tell(webhook_id)
        await house.deliver(schedule=NO_RETRIES, disable_after=timedelta(0))
        assert (await house.seen(webhook_id)).is_active


class TestWhatChangedMeanwhile:
    """Between the call and what is made of its answer."""

    async def test_to_another_address_knows_nothing_of_the_failures_of_the_old_one(
        self, house: House, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url, failing_for=LONG)
        await house.tell(webhook_id)
        client = Meanwhile(house.client, lambda: self.move(house, webhook_id))
        await house.deliver(client=client, schedule=NO_RETRIES)
        seen = await house.seen(webhook_id)
        assert (seen.is_active, seen.failing_since, seen.disabled_reason) == (True, None, None)

    async def test_to_another_address_knows_nothing_of_the_success_of_the_old_one(
        self, house: House, receiver: Receiver
    ) -> None:
        webhook_id = await house.webhook(receiver.url)
        await house.tell(webhook_id)

        async def move_to_a_broken_one() -> None:
            await self.move(house, webhook_id)
            await house.fail_for(webhook_id, HOUR)

        assert await house.deliver(client=Meanwhile(house.client, move_to_a_broken_one)) == ["delivered"]
        assert (await house.seen(webhook_id)).failing_since is not None

    async def test_to_active_again_is_not_disabled_for_what_was_before(
        self, house: House, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url, failing_for=LONG)
        delivery_id = await house.tell(webhook_id)

        async def activate() -> None:
            async with house.database.tenant(house.subscription_id) as tenant:
                await tenant.webhooks.activate(webhook_id)

        await house.deliver(client=Meanwhile(house.client, activate), schedule=NO_RETRIES)
        seen = await house.seen(webhook_id)
        assert (seen.is_active, seen.disabled_reason) == (True, None)
        # What failed after it was activated counts from now on.
        (attempt,) = await house.attempts(delivery_id)
        assert seen.failing_since == attempt["started_at"]

    async def test_to_failing_anew_is_not_disabled_for_what_was_before(
        self, house: House, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await house.webhook(receiver.url, failing_for=LONG)
        await house.tell(webhook_id)

        async def fail_anew() -> None:
            await house.fail_for(webhook_id, HOUR)

        await house.deliver(client=Meanwhile(house.client, fail_anew), schedule=NO_RETRIES)
        seen = await house.seen(webhook_id)
        assert (seen.is_active, seen.disabled_reason) == (True, None)

    async def move(self, house: House, webhook_id: UUID) -> None:
        """Let it have another address."""
        seen = await house.seen(webhook_id)
        facts = WebhookFacts(name=None, url=f"{seen.url}/novo", events=seen.events, topics=seen.topics)
        async with house.database.tenant(house.subscription_id) as tenant:
            await tenant.webhooks.write(webhook_id, facts)
