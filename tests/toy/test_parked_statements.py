"""Parked events: an operator lists them and resumes them."""

import asyncio

import pytest

from carimbo.service.maintenance import list_parked, resume_parked
from carimbo.storage.identifiers import new_id
from integration.issuing.actions import cancel
from integration.issuing.shop import Shop, error_of
from support import data_of
from toy.shop import KINDS


class TestParkedEvent:
    @pytest.mark.parametrize("document_type", KINDS)
    @pytest.mark.parametrize("among_all", [False, True], ids=["alone", "with-all"])
    @pytest.mark.usefixtures("short_wait")
    async def test_parked_event_is_listed_and_resumed(
        self, shop: Shop, document_type: str, among_all: bool
    ) -> None:
        document = await shop.issue(document_type)
        system, mine = shop.system, f"where document_id = '{document['id']}'"
        async with system.worker_stopped():
            asking = asyncio.create_task(cancel(shop, document))
            await system.until(f"exists (select from event_filings {mine})")
            (row,) = await system.fetch(
                "update event_filings set next_action_at = null, parked_reason = 'broken'"
                f" {mine} returning id"
            )
        assert (await asking).status_code == 202
        (parked,) = [entry for entry in await list_parked(system.database) if entry.id == row["id"]]
        assert (parked.kind, parked.type, parked.parked_reason) == ("event", "cancellation", "broken")
        assert await resume_parked(system.database, None if among_all else parked.id)
        await system.until(f"(select state = 'registered' from event_filings {mine})")
        assert (await shop.read(document))["status"] == "canceled"
        assert not await resume_parked(system.database, parked.id)

    async def test_unknown_event_is_not_resumed(self, shop: Shop) -> None:
        assert not await resume_parked(shop.system.database, new_id())


class TestCompanyWithAnEventInProcess:
    @pytest.mark.parametrize("document_type", KINDS)
    @pytest.mark.usefixtures("short_wait")
    async def test_company_with_an_event_in_process_can_not_be_deleted(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        async with shop.system.worker_stopped():
            assert (await cancel(shop, document)).status_code == 202
            answer = await shop.caller.http.delete(shop.path())
            error_of(answer, 409, "INVALID_STATE")
        await shop.system.until(f"(select status = 'canceled' from documents where id = '{document['id']}')")
        data_of(await shop.caller.http.delete(shop.path()))
