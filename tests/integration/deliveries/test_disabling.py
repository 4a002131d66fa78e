"""When a webhook counts as failing, and when it is disabled for that."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from carimbo.service.ports import WebhookAnswer, WebhookCall, WebhookClient
from carimbo.storage.webhooks import WebhookFacts
from integration.deliveries.outbox import DAY, HOUR, NO_RETRIES, Outbox
from receiver import Receiver, Reply
from support import LOOPBACK, free_port

BROKEN = Reply(500)
LONG = 5 * DAY + timedelta(minutes=1)


@dataclass(frozen=True)
class Meanwhile:
    """A client that runs a function between an answer and its recording."""

    client: WebhookClient
    function: Callable[[], Awaitable[object]]

    async def post(self, call: WebhookCall) -> WebhookAnswer:
        answer = await self.client.post(call)
        await self.function()
        return answer


async def fail_again(outbox: Outbox, delivery_id: UUID) -> None:
    await outbox.change(delivery_id, "next_action_at = now()")
    await outbox.deliver()


class TestFailingSince:
    async def test_failing_since_is_set_by_the_first_failure_and_kept_by_the_next(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url)
        delivery_id = await outbox.add_event(webhook_id)
        await outbox.deliver()
        await fail_again(outbox, delivery_id)
        first, second = await outbox.attempts(delivery_id)
        assert first["started_at"] < second["started_at"]
        assert (await outbox.read_webhook(webhook_id)).failing_since == first["started_at"]

    async def test_failing_since_is_cleared_by_a_success(self, outbox: Outbox, receiver: Receiver) -> None:
        webhook_id = await outbox.webhook(receiver.url, failing_for=LONG)
        await outbox.add_event(webhook_id)
        await outbox.deliver()
        assert (await outbox.read_webhook(webhook_id)).failing_since is None

    async def test_failing_since_is_not_set_by_a_test(self, outbox: Outbox, receiver: Receiver) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url)
        await outbox.add_test(webhook_id)
        assert await outbox.deliver() == ["failed"]
        assert (await outbox.read_webhook(webhook_id)).failing_since is None

    @pytest.mark.parametrize("reply", [Reply(), BROKEN], ids=["delivered", "failed"])
    async def test_failing_webhook_is_not_changed_by_a_test(
        self, outbox: Outbox, receiver: Receiver, reply: Reply
    ) -> None:
        receiver.default = reply
        webhook_id = await outbox.webhook(receiver.url, failing_for=LONG)
        before = await outbox.read_webhook(webhook_id)
        await outbox.add_test(webhook_id)
        await outbox.deliver(schedule=NO_RETRIES)
        assert await outbox.read_webhook(webhook_id) == before


class TestDisabling:
    async def test_webhook_is_disabled_when_a_delivery_fails_after_days_of_failures(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url)
        since = datetime(2026, 11, 5, 12, 30, tzinfo=UTC)
        await outbox.fetch("update webhooks set failing_since = $1", since)
        await outbox.add_event(webhook_id)
        await outbox.deliver(schedule=NO_RETRIES, clock=lambda: since + 5 * DAY)
        webhook = await outbox.read_webhook(webhook_id)
        assert (webhook.is_active, webhook.failing_since) == (False, since)
        assert webhook.disabled_reason == (
            "Desativado automaticamente: todas as entregas falharam desde 05/11/2026 às 09:30."
            " Última falha: HTTP 500"
        )

    async def test_disabled_reason_names_the_error_of_the_last_call(self, outbox: Outbox) -> None:
        webhook_id = await outbox.webhook(f"http://{LOOPBACK}:{free_port()}/", failing_for=LONG)
        delivery_id = await outbox.add_event(webhook_id)
        await outbox.deliver(schedule=NO_RETRIES)
        (attempt,) = await outbox.attempts(delivery_id)
        assert attempt["error"]
        reason = (await outbox.read_webhook(webhook_id)).disabled_reason
        assert reason is not None
        assert reason.endswith(f"Última falha: {attempt['error']}")

    @pytest.mark.parametrize("age", [timedelta(0), 5 * DAY - HOUR], ids=["just", "nearly"])
    async def test_webhook_is_not_disabled_before_five_days_of_failures(
        self, outbox: Outbox, receiver: Receiver, age: timedelta
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url, failing_for=age)
        await outbox.add_event(webhook_id)
        assert await outbox.deliver(schedule=NO_RETRIES) == ["failed"]
        webhook = await outbox.read_webhook(webhook_id)
        assert (webhook.is_active, webhook.disabled_reason) == (True, None)

    async def test_webhook_is_not_disabled_while_retries_are_left(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url, failing_for=LONG)
        delivery_id = await outbox.add_event(webhook_id)
        await outbox.deliver()
        await fail_again(outbox, delivery_id)
        assert (await outbox.read_webhook(webhook_id)).is_active
        await fail_again(outbox, delivery_id)
        assert (await outbox.row_of(delivery_id))["status"] == "failed"
        assert not (await outbox.read_webhook(webhook_id)).is_active

    async def test_webhook_is_not_disabled_by_its_first_failure(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url)
        await outbox.add_event(webhook_id)
        await outbox.deliver(schedule=NO_RETRIES, disable_after=timedelta(0))
        assert (await outbox.read_webhook(webhook_id)).is_active


class TestChangeDuringTheCall:
    """The webhook changes between the call and the recording of its answer."""

    async def test_failure_at_the_old_address_does_not_disable_a_moved_webhook(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url, failing_for=LONG)
        await outbox.add_event(webhook_id)
        client = Meanwhile(outbox.client, lambda: self.move(outbox, webhook_id))
        await outbox.deliver(client=client, schedule=NO_RETRIES)
        webhook = await outbox.read_webhook(webhook_id)
        assert (webhook.is_active, webhook.failing_since, webhook.disabled_reason) == (True, None, None)

    async def test_success_at_the_old_address_does_not_clear_a_moved_webhooks_failures(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        await outbox.add_event(webhook_id)

        async def move_to_a_broken_one() -> None:
            await self.move(outbox, webhook_id)
            await outbox.set_failing_for(webhook_id, HOUR)

        assert await outbox.deliver(client=Meanwhile(outbox.client, move_to_a_broken_one)) == ["delivered"]
        assert (await outbox.read_webhook(webhook_id)).failing_since is not None

    async def test_reactivated_webhook_is_not_disabled_for_earlier_failures(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url, failing_for=LONG)
        delivery_id = await outbox.add_event(webhook_id)

        async def activate() -> None:
            async with outbox.database.tenant(outbox.subscription_id) as tenant:
                await tenant.webhooks.activate(webhook_id)

        await outbox.deliver(client=Meanwhile(outbox.client, activate), schedule=NO_RETRIES)
        webhook = await outbox.read_webhook(webhook_id)
        assert (webhook.is_active, webhook.disabled_reason) == (True, None)
        # Failures after the activation count from then on.
        (attempt,) = await outbox.attempts(delivery_id)
        assert webhook.failing_since == attempt["started_at"]

    async def test_webhook_that_fails_anew_is_not_disabled_for_earlier_failures(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        webhook_id = await outbox.webhook(receiver.url, failing_for=LONG)
        await outbox.add_event(webhook_id)

        async def fail_anew() -> None:
            await outbox.set_failing_for(webhook_id, HOUR)

        await outbox.deliver(client=Meanwhile(outbox.client, fail_anew), schedule=NO_RETRIES)
        webhook = await outbox.read_webhook(webhook_id)
        assert (webhook.is_active, webhook.disabled_reason) == (True, None)

    async def move(self, outbox: Outbox, webhook_id: UUID) -> None:
        """Changes the address of a webhook."""
        webhook = await outbox.read_webhook(webhook_id)
        facts = WebhookFacts(
            name=None, url=f"{webhook.url}/novo", events=webhook.events, topics=webhook.topics
        )
        async with outbox.database.tenant(outbox.subscription_id) as tenant:
            await tenant.webhooks.write(webhook_id, facts)
