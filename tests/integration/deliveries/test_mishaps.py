"""Our own errors in a delivery: they are logged and retried, and do not count against the receiver."""

from carimbo.service.delivery.attempt import record_internal_error
from carimbo.storage.delivery_queue import release_delivery
from integration.deliveries.outbox import DAY, HOUR, NO_RETRIES, Outbox
from metric_samples import shown, until_risen
from receiver import Receiver
from support import TIMEOUT_SECONDS

INTERNAL_ERROR = "Erro interno ao preparar a entrega."


async def add_event_without_a_key(outbox: Outbox, receiver: Receiver) -> bytes:
    """Adds an event for a webhook whose signing key cannot be opened; returns the stored key."""
    webhook_id = await outbox.webhook(receiver.url)
    (secret,) = await outbox.fetch("select sealed from secrets where owner_id = $1", webhook_id)
    await outbox.fetch("update secrets set sealed = '\\x00' where owner_id = $1", webhook_id)
    await outbox.add_event(webhook_id)
    return bytes(secret["sealed"])


class TestDeliveryThatCannotBePrepared:
    async def test_delivery_that_cannot_be_prepared_is_logged_and_retried(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        counted = shown("deliveries_total", outcome="mishap")
        await add_event_without_a_key(outbox, receiver)
        async with outbox.delivery_worker():
            await outbox.until("exists (select from delivery_attempts)")
        await until_risen("deliveries_total", counted, outcome="mishap")
        (row,) = await outbox.rows()
        (attempt,) = await outbox.attempts(row["id"])
        assert (attempt["error"], attempt["response_status"]) == (INTERNAL_ERROR, None)
        assert (row["status"], row["failures"], row["lease_until"]) == ("pending", 1, None)
        assert row["next_action_at"] == attempt["next_attempt_at"] > row["now"] + HOUR / 2
        assert receiver.calls == []

    async def test_delivery_is_sent_as_soon_as_it_can_be_prepared(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        key = await add_event_without_a_key(outbox, receiver)
        (row,) = await outbox.rows()
        async with outbox.delivery_worker():
            await outbox.until("exists (select from delivery_attempts)")
            await outbox.fetch("update secrets set sealed = $1", key)
            await outbox.change(row["id"], "next_action_at = now()")
            await outbox.fetch("notify carimbo_outbound")
            await receiver.until(1, TIMEOUT_SECONDS)
            await outbox.until("exists (select from deliveries where status = 'delivered')")
        assert [attempt["error"] for attempt in await outbox.attempts(row["id"])] == [INTERNAL_ERROR, None]

    async def test_internal_error_does_not_count_against_the_receiver(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        await add_event_without_a_key(outbox, receiver)
        async with outbox.delivery_worker():
            await outbox.until("exists (select from delivery_attempts)")
        (webhook,) = await outbox.fetch("select failing_since, is_active from webhooks")
        assert (webhook["failing_since"], webhook["is_active"]) == (None, True)

    async def test_internal_error_disables_no_webhook(self, outbox: Outbox, receiver: Receiver) -> None:
        await add_event_without_a_key(outbox, receiver)
        await outbox.fetch("update webhooks set failing_since = now() - $1::interval", 6 * DAY)
        async with outbox.delivery_worker(outbox.delivery_sender(schedule=NO_RETRIES)):
            await outbox.until("exists (select from deliveries where status = 'failed')")
        (webhook,) = await outbox.fetch("select is_active, disabled_reason from webhooks")
        assert (webhook["is_active"], webhook["disabled_reason"]) == (True, None)


class TestDeliveryThatKillsWorkers:
    """A worker that had claimed it died, possibly because of it."""

    async def test_delivery_of_dead_workers_is_sent_at_the_fifth_claim(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        await outbox.change(delivery_id, "attempts = 4, lease_until = now()")
        async with outbox.delivery_worker():
            await receiver.until(1, TIMEOUT_SECONDS)
            await outbox.until("exists (select from deliveries where status = 'delivered')")

    async def test_released_delivery_does_not_count_as_claimed(self, outbox: Outbox) -> None:
        await outbox.add_event(await outbox.webhook())
        for _ in range(6):
            (claimed,) = await outbox.claim()
            assert claimed.claims == 1
            async with outbox.database.connection() as connection:
                await release_delivery(connection, claimed)

    async def test_delivery_of_dead_workers_is_an_internal_error_at_the_sixth_claim(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        delivery_id = await outbox.add_event(await outbox.webhook(receiver.url))
        await outbox.change(delivery_id, "attempts = 5, lease_until = now()")
        async with outbox.delivery_worker():
            await outbox.until("exists (select from delivery_attempts)")
        assert [attempt["error"] for attempt in await outbox.attempts(delivery_id)] == [INTERNAL_ERROR]
        row = await outbox.row_of(delivery_id)
        assert (row["status"], row["attempts"], receiver.calls) == ("pending", 0, [])

    async def test_claims_of_a_delivery_are_counted(self, outbox: Outbox) -> None:
        delivery_id = await outbox.add_event(await outbox.webhook())
        for times in (1, 2):
            (claimed,) = await outbox.claim()
            assert claimed.claims == times
            await outbox.change(delivery_id, "lease_until = now()")
        (claimed,) = await outbox.claim()
        await record_internal_error(outbox.delivery_sender(), claimed)
        await outbox.change(delivery_id, "next_action_at = now()")
        (claimed,) = await outbox.claim()
        assert (claimed.claims, claimed.failures) == (1, 1)
