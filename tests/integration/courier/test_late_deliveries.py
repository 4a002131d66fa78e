"""What should have gone out long ago, as those who watch over an installation see it."""

from datetime import timedelta

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
