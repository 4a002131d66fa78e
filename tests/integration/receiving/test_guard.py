"""The hourly look at received documents: warnings of their terms, and times that a wrong clock has stored."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.worker.chores import correct_streams, remind_of_received
from integration.receiving.inbox import Buyer, carried
from support import data_of


async def warnings(buyer: Buyer, event_name: str = "receivedNfe.manifestDue") -> list[dict[str, Any]]:
    events = data_of(await buyer.shop.caller.http.get("/v1/events", params={"limit": 100}))
    return [event for event in events if event["event"] == event_name]


async def set_term(buyer: Buyer, days: int) -> None:
    await buyer.shop.system.fetch(
        "update received_documents set respond_by = now() + $2 * interval '1 day' where company_id = $1",
        UUID(buyer.shop.id),
        days,
    )


class TestReminders:
    async def test_company_is_warned_once_ten_days_before_the_end_of_the_term(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        await remind_of_received(buyer.shop.system.database, datetime.now(UTC) + timedelta(days=79))
        assert await warnings(buyer) == []
        for _ in range(2):
            await remind_of_received(buyer.shop.system.database, datetime.now(UTC) + timedelta(days=81))
        (warning,) = await warnings(buyer)
        assert warning["data"]["accessKey"] == (await buyer.only())["accessKey"]

    async def test_taker_of_a_cte_is_warned_before_the_end_of_the_term_for_a_disagreement(
        self, buyer: Buyer
    ) -> None:
        await carried(buyer)
        await buyer.sync("received-ctes")
        await set_term(buyer, 9)
        await remind_of_received(buyer.shop.system.database, datetime.now(UTC))
        (warning,) = await warnings(buyer, "receivedCte.manifestDue")
        assert warning["data"]["accessKey"] == (await buyer.only("received-ctes"))["accessKey"]

    async def test_company_that_has_concluded_is_not_warned(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        path = f"/received-nfes/{(await buyer.only())['id']}/manifest"
        data_of(await buyer.shop.post(path, {"type": "confirmed"}))
        await set_term(buyer, 5)
        await remind_of_received(buyer.shop.system.database, datetime.now(UTC))
        assert await warnings(buyer) == []

    async def test_deleted_company_is_not_warned(self, buyer: Buyer) -> None:
        await buyer.buys()
        await buyer.sync()
        data_of(await buyer.shop.caller.http.delete(buyer.shop.path()))
        await remind_of_received(buyer.shop.system.database, datetime.now(UTC) + timedelta(days=81))
        assert await warnings(buyer) == []


class TestClocks:
    async def test_stream_goes_on_after_the_clock_of_the_database_was_set_back(self, buyer: Buyer) -> None:
        await buyer.sync()
        await buyer.streams_age(-10 * 86_400)
        await correct_streams(buyer.shop.system.database)
        await buyer.an_hour_passes()
        assert await buyer.questions() == ["137", "137"]

    async def test_stream_that_is_woken_too_early_asks_nothing(self, buyer: Buyer) -> None:
        """As a worker does whose clock is hours ahead: only the database says when a question is due."""
        await buyer.sync()
        await buyer.shop.system.fetch(
            "update streams set next_action_at = now() where tax_id = $1", await buyer.tax_id()
        )
        await buyer.quiet()
        assert await buyer.questions() == ["137"]
