"""What should have gone out long ago, as those who watch over an installation see it."""

from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.storage.delivering import overdue_deliveries
from integration.courier.house import House

LATE = timedelta(minutes=10)


async def shown(house: House) -> int:
    async with house.database.connection() as connection:
        return await overdue_deliveries(connection, LATE)


async def let_time_pass(house: House, minutes: int) -> None:
    await house.fetch(
        "update deliveries set next_action_at = next_action_at - $1::interval", timedelta(minutes=minutes)
    )


class TestWhatIsLate:
    async def test_is_counted(self, house: House) -> None:
        webhook_id = await house.webhook()
        for _ in range(2):
            await house.tell(webhook_id)
        await let_time_pass(house, 9)
        assert await shown(house) == 0
        await let_time_pass(house, 2)
        assert await shown(house) == 2

    async def test_is_not_what_waits_for_another(self, house: House) -> None:
        await house.webhook()
        await house.document("authorized", "canceled")
        await let_time_pass(house, 11)
        assert await shown(house) == 1

    @pytest.mark.parametrize("state", ["is_active = false", "is_active = false, deleted_at = now()"])
    async def test_is_not_what_nobody_is_told(self, house: House, state: str) -> None:
        await house.tell(await house.webhook())
        await let_time_pass(house, 11)
        await house.fetch(f"update webhooks set {state}")
        assert await shown(house) == 0


class TestWhoeverKeepsOthersWaiting:
    """One that is slow or fails takes one at a time: what waits for it is not late by our doing."""

    async def test_is_one_that_is_being_called(self, house: House) -> None:
        await tell_three(house)
        (claimed,) = await house.claim()
        assert await shown(house) == 0
        await house.change(claimed.id, "lease_until = now()")
        assert await shown(house) == 3

    @pytest.mark.parametrize(("minutes", "late"), [(9, 0), (11, 2)])
    async def test_is_one_that_was_called_lately(self, house: House, minutes: int, late: int) -> None:
        first, *_ = await tell_three(house)
        await house.change(
            first,
            "status = 'delivered', next_action_at = null,"
            f" attempted_at = now() - interval '{minutes} minutes'",
        )
        assert await shown(house) == late

    async def test_does_not_hide_what_is_late_for_another(self, house: House) -> None:
        await tell_three(house)
        await house.claim()
        await house.tell(await house.webhook(), due_for=timedelta(minutes=11))
        assert await shown(house) == 1


async def tell_three(house: House) -> list[UUID]:
    """Let three deliveries to one webhook be late."""
    webhook_id = await house.webhook()
    return [await house.tell(webhook_id, due_for=timedelta(minutes=11)) for _ in range(3)]
