"""What goes wrong in our own house: it is told of, tried again, and held against nobody else."""

from carimbo.service.delivery.attempt import record_mishap
from carimbo.storage.delivering import release_delivery
from integration.courier.house import DAY, HOUR, NO_RETRIES, House
from metric_samples import shown, until_risen
from receiver import Receiver
from support import PATIENCE

MISHAP = "Erro interno ao preparar a entrega."


async def listen_without_a_key(house: House, receiver: Receiver) -> bytes:
    """Has an event for a webhook whose signing key can't be opened; returns the key as it was stored."""
    webhook_id = await house.webhook(receiver.url)
    (secret,) = await house.fetch("select sealed from secrets where owner_id = $1", webhook_id)
    await house.fetch("update secrets set sealed = '\\x00' where owner_id = $1", webhook_id)
    await house.tell(webhook_id)
    return bytes(secret["sealed"])


class TestDeliveryThatCannotBePrepared:
    async def test_is_in_the_log_and_tried_again(self, house: House, receiver: Receiver) -> None:
        counted = shown("deliveries_total", outcome="mishap")
        await listen_without_a_key(house, receiver)
        async with house.courier():
            await house.until("exists (select from delivery_attempts)")
        await until_risen("deliveries_total", counted, outcome="mishap")
        (row,) = await house.rows()
        (attempt,) = await house.attempts(row["id"])
        assert (attempt["error"], attempt["response_status"]) == (MISHAP, None)
        assert (row["status"], row["failures"], row["lease_until"]) == ("pending", 1, None)
        assert row["next_action_at"] == attempt["next_attempt_at"] > row["now"] + HOUR / 2
        assert receiver.calls == []

    async def test_is_sent_once_it_can_be_prepared(self, house: House, receiver: Receiver) -> None:
        key = await listen_without_a_key(house, receiver)
        (row,) = await house.rows()
        async with house.courier():
            await house.until("exists (select from delivery_attempts)")
            await house.fetch("update secrets set sealed = $1", key)
            await house.change(row["id"], "next_action_at = now()")
            await house.fetch("notify carimbo_outbound")
            await receiver.until(1, PATIENCE)
            await house.until("exists (select from deliveries where status = 'delivered')")
        assert [one["error"] for one in await house.attempts(row["id"])] == [MISHAP, None]

    async def test_does_not_count_against_the_receiver(self, house: House, receiver: Receiver) -> None:
        await listen_without_a_key(house, receiver)
        async with house.courier():
            await house.until("exists (select from delivery_attempts)")
        (webhook,) = await house.fetch("select failing_since, is_active from webhooks")
        assert (webhook["failing_since"], webhook["is_active"]) == (None, True)

    async def test_disables_nobody(self, house: House, receiver: Receiver) -> None:
        await listen_without_a_key(house, receiver)
        await house.fetch("update webhooks set failing_since = now() - $1::interval", 6 * DAY)
        async with house.courier(house.postman(schedule=NO_RETRIES)):
            await house.until("exists (select from deliveries where status = 'failed')")
        (webhook,) = await house.fetch("select is_active, disabled_reason from webhooks")
        assert (webhook["is_active"], webhook["disabled_reason"]) == (True, None)


class TestADeliveryThatNeverCameBack:
    """It was taken, and whoever had it died: it may well have been the reason."""

    async def test_is_sent_again_the_fifth_time(self, house: House, receiver: Receiver) -> None:
        delivery_id = await house.tell(await house.webhook(receiver.url))
        await house.change(delivery_id, "attempts = 4, lease_until = now()")
        async with house.courier():
            await receiver.until(1, PATIENCE)
            await house.until("exists (select from deliveries where status = 'delivered')")

    async def test_is_another_matter_than_one_that_was_given_back(self, house: House) -> None:
        await house.tell(await house.webhook())
        for _ in range(6):
            (claimed,) = await house.claim()
            assert claimed.claims == 1
            async with house.database.connection() as connection:
                await release_delivery(connection, claimed)

    async def test_is_a_mishap_the_sixth_time(self, house: House, receiver: Receiver) -> None:
        delivery_id = await house.tell(await house.webhook(receiver.url))
        await house.change(delivery_id, "attempts = 5, lease_until = now()")
        async with house.courier():
            await house.until("exists (select from delivery_attempts)")
        assert [one["error"] for one in await house.attempts(delivery_id)] == [MISHAP]
        row = await house.row_of(delivery_id)
        assert (row["status"], row["attempts"], receiver.calls) == ("pending", 0, [])

    async def test_counts_as_often_as_it_was_taken(self, house: House) -> None:
        delivery_id = await house.tell(await house.webhook())
        for times in (1, 2):
            (claimed,) = await house.claim()
            assert claimed.claims == times
            await house.change(delivery_id, "lease_until = now()")
        (claimed,) = await house.claim()
        await record_mishap(house.postman(), claimed)
        await house.change(delivery_id, "next_action_at = now()")
        (claimed,) = await house.claim()
        assert (claimed.claims, claimed.failures) == (1, 1)
