"""Events that were set aside: a person looks at them, and takes them up again."""

import asyncio

import pytest

from carimbo.service.parked import list_parked, resume_parked
from carimbo.storage.identifiers import new_id
from integration.issuing.actions import cancel
from integration.issuing.shop import Shop, error_of
from support import data_of
from toy.shop import KINDS


class TestParkedEvent:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("among_all", [False, True], ids=["alone", "with-all"])
    @pytest.mark.usefixtures("short_wait")
    async def test_is_listed_and_resumed(self, shop: Shop, kind: str, among_all: bool) -> None:
        document = await shop.issue(kind)
        floor, mine = shop.floor, f"where document_id = '{document['id']}'"
        async with floor.standstill():
            asking = asyncio.create_task(cancel(shop, document))
            await floor.until(f"exists (select from event_filings {mine})")
            (row,) = await floor.fetch(
                "update event_filings set next_action_at = null, parked_reason = 'broken'"
                f" {mine} returning id"
            )
        assert (await asking).status_code == 202
        (parked,) = [entry for entry in await list_parked(floor.database) if entry.id == row["id"]]
        assert (parked.kind, parked.type, parked.parked_reason) == ("event", "cancellation", "broken")
        assert await resume_parked(floor.database, None if among_all else parked.id)
        await floor.until(f"(select state = 'registered' from event_filings {mine})")
        assert (await shop.read(document))["status"] == "canceled"
        assert not await resume_parked(floor.database, parked.id)

    async def test_that_does_not_exist_is_not_resumed(self, shop: Shop) -> None:
        assert not await resume_parked(shop.floor.database, new_id())


class TestCompanyWithAnEventUnderWay:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.usefixtures("short_wait")
    async def test_is_not_deleted(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        async with shop.floor.standstill():
            assert (await cancel(shop, document)).status_code == 202
            answer = await shop.caller.http.delete(shop.path())
            error_of(answer, 409, "INVALID_STATE")
        await shop.floor.until(f"(select status = 'canceled' from documents where id = '{document['id']}')")
        data_of(await shop.caller.http.delete(shop.path()))
