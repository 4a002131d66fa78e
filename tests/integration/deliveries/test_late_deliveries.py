"""The count of overdue deliveries that monitoring shows."""

from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.storage.delivery_queue import count_overdue_deliveries
from integration.deliveries.outbox import Outbox

LATE = timedelta(minutes=10)


async def overdue_count(outbox: Outbox) -> int:
    async with outbox.database.connection() as connection:
        return await count_overdue_deliveries(connection, LATE)


async def let_time_pass(outbox: Outbox, minutes: int) -> None:
    await outbox.fetch(
        "update deliveries set next_action_at = next_action_at - $1::interval", timedelta(minutes=minutes)
    )


class TestOverdueDeliveries:
    async def test_delivery_is_overdue_after_ten_minutes(self, outbox: Outbox) -> None:
        webhook_id = await outbox.webhook()
        for _ in range(2):
            await outbox.add_event(webhook_id)
        await let_time_pass(outbox, 9)
        assert await overdue_count(outbox) == 0
        await let_time_pass(outbox, 2)
        assert await overdue_count(outbox) == 2

    async def test_delivery_that_waits_for_another_is_not_overdue(self, outbox: Outbox) -> None:
        await outbox.webhook()
        await outbox.document("authorized", "canceled")
        await let_time_pass(outbox, 11)
        assert await overdue_count(outbox) == 1

    @pytest.mark.parametrize("state", ["is_active = false", "is_active = false, deleted_at = now()"])
    async def test_delivery_to_an_inactive_or_deleted_webhook_is_not_overdue(
        self, outbox: Outbox, state: str
    ) -> None:
        await outbox.add_event(await outbox.webhook())
        await let_time_pass(outbox, 11)
        await outbox.fetch(f"update webhooks set {state}")
        assert await overdue_count(outbox) == 0


class TestSlowReceiver:
    """A slow or failing receiver gets one call at a time: deliveries that wait for it are not overdue."""

    async def test_deliveries_are_not_overdue_while_their_receiver_is_called(self, outbox: Outbox) -> None:
        await add_three_late(outbox)
        (claimed,) = await outbox.claim()
        assert await overdue_count(outbox) == 0
        await outbox.change(claimed.id, "lease_until = now()")
        assert await overdue_count(outbox) == 3

    @pytest.mark.parametrize(("minutes", "late"), [(9, 0), (11, 2)])
    async def test_deliveries_are_not_overdue_shortly_after_a_call(
        self, outbox: Outbox, minutes: int, late: int
    ) -> None:
        first, *_ = await add_three_late(outbox)
        await outbox.change(
            first,
            "status = 'delivered', next_action_at = null,"
            f" attempted_at = now() - interval '{minutes} minutes'",
        )
        assert await overdue_count(outbox) == late

    async def test_slow_receiver_does_not_hide_overdue_deliveries_of_another(self, outbox: Outbox) -> None:
        await add_three_late(outbox)
        await outbox.claim()
        await outbox.add_event(await outbox.webhook(), due_for=timedelta(minutes=11))
        assert await overdue_count(outbox) == 1


async def add_three_late(outbox: Outbox) -> list[UUID]:
    """Adds three late deliveries to one webhook."""
    webhook_id = await outbox.webhook()
    return [await outbox.add_event(webhook_id, due_for=timedelta(minutes=11)) for _ in range(3)]
