"""Two who tell the same of a document at once tell it once."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from carimbo.fiscal.lifecycle import CANCELS, FilingState
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling, NewEventFiling
from carimbo.storage.filings import FilingVerdict
from carimbo.storage.identifiers import new_id
from integration.storage.attempts import authorized, authorized_elsewhere, concluded, told_of
from integration.storage.document_rows import Shop
from integration.storage.neighbours import new_cancellation

REGISTERED = FilingVerdict(state=FilingState.REGISTERED, code="135", message="Registrado", effect=CANCELS)
REFUSED = FilingVerdict(state=FilingState.REFUSED, code="501", message="Prazo")


class TestAddingEvents:
    def of(self, shop: Shop, document: Document, **changes: Any) -> NewEventFiling:
        return replace(new_cancellation(shop.company_id, document.id), id=new_id(), **changes)

    async def add(self, shop: Shop, new: NewEventFiling) -> EventFiling | None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            return await tenant.event_filings.add(new)

    async def test_what_is_stored_is_queued_and_wakes_a_worker(self, shop: Shop) -> None:
        filing = await told_of(shop, await authorized(shop))
        assert (filing.state, filing.tries, filing.protocol) == (FilingState.QUEUED, 0, None)
        async with shop.database.connection() as connection:
            jobs = await connection.fetch(
                "select status, entrypoint from pgqueuer where payload = convert_to($1, 'UTF8')",
                f"event:{shop.subscription_id}:{filing.id}",
            )
        assert [tuple(job) for job in jobs] == [("queued", "event")]

    async def test_many_that_tell_the_same_at_once_make_one(self, shop: Shop) -> None:
        document = await authorized(shop)
        stored = await asyncio.gather(*(self.add(shop, self.of(shop, document)) for _ in range(8)))
        assert sum(one is not None for one in stored) == 1
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert len(await tenant.event_filings.of_document(document.id, 1, "cancellation")) == 1

    @pytest.mark.parametrize("other", [{"sequence": 2}, {"type": "correction"}, {"emission": 2}])
    async def test_another_place_type_or_attempt_is_another_event(
        self, shop: Shop, other: dict[str, Any]
    ) -> None:
        document = await authorized_elsewhere(shop)
        await told_of(shop, document)
        assert await self.add(shop, self.of(shop, document, **other)) is not None

    @pytest.mark.parametrize(("verdict", "may_follow"), [(REFUSED, True), (REGISTERED, False)])
    async def test_another_may_follow_a_refusal_and_nothing_else(
        self, shop: Shop, verdict: FilingVerdict, may_follow: bool
    ) -> None:
        document = await authorized(shop)
        first = await told_of(shop, document)
        await concluded(shop, first, verdict)
        assert (await self.add(shop, self.of(shop, document)) is not None) == may_follow

    async def test_they_are_read_in_the_order_of_their_places(self, shop: Shop) -> None:
        document = await authorized(shop)
        for sequence in (2, 1, 3):
            await told_of(shop, document, id=new_id(), type="correction", sequence=sequence)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            told = await tenant.event_filings.of_document(document.id, 1, "correction")
            assert [one.sequence for one in told] == [1, 2, 3]
            assert await tenant.event_filings.of_document(document.id, 2, "correction") == []
