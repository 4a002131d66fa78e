"""Requests that register the same event at once register it once."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from carimbo.fiscal.lifecycle import CANCELS, FilingState
from carimbo.storage.documents import Document
from carimbo.storage.event_filings import EventFiling, NewEventFiling
from carimbo.storage.filings import FilingVerdict
from carimbo.storage.identifiers import new_id
from carimbo.storage.work import WorkKind
from integration.storage.attempts import (
    add_filing,
    authorized,
    authorized_at_second_attempt,
    claimed,
    concluded,
)
from integration.storage.document_rows import Shop
from integration.storage.neighbours import new_cancellation

REGISTERED = FilingVerdict(state=FilingState.REGISTERED, code="135", message="Registrado", effect=CANCELS)
REFUSED = FilingVerdict(state=FilingState.REFUSED, code="501", message="Prazo")


class TestAddingEvents:
    def new_filing(self, shop: Shop, document: Document, **changes: Any) -> NewEventFiling:
        return replace(new_cancellation(shop.company_id, document.id), id=new_id(), **changes)

    async def add(self, shop: Shop, new: NewEventFiling) -> EventFiling | None:
        async with shop.database.tenant(shop.subscription_id) as tenant:
            return await tenant.event_filings.add(new)

    async def test_a_new_filing_is_due(self, shop: Shop) -> None:
        filing = await add_filing(shop, await authorized(shop))
        assert (filing.state, filing.tries, filing.protocol) == (FilingState.QUEUED, 0, None)
        assert await claimed(shop, WorkKind.EVENT, filing.id)

    async def test_simultaneous_requests_for_the_same_event_store_one_filing(self, shop: Shop) -> None:
        document = await authorized(shop)
        stored = await asyncio.gather(*(self.add(shop, self.new_filing(shop, document)) for _ in range(8)))
        assert sum(filing is not None for filing in stored) == 1
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            assert len(await tenant.event_filings.of_document(document.id, 1, "cancellation")) == 1

    @pytest.mark.parametrize("other", [{"sequence": 2}, {"type": "correction"}, {"emission": 2}])
    async def test_another_sequence_type_or_attempt_is_another_event(
        self, shop: Shop, other: dict[str, Any]
    ) -> None:
        document = await authorized_at_second_attempt(shop)
        await add_filing(shop, document)
        assert await self.add(shop, self.new_filing(shop, document, **other)) is not None

    @pytest.mark.parametrize(("verdict", "may_follow"), [(REFUSED, True), (REGISTERED, False)])
    async def test_an_event_may_be_repeated_only_after_a_refusal(
        self, shop: Shop, verdict: FilingVerdict, may_follow: bool
    ) -> None:
        document = await authorized(shop)
        first = await add_filing(shop, document)
        await concluded(shop, first, verdict)
        assert (await self.add(shop, self.new_filing(shop, document)) is not None) == may_follow

    async def test_filings_are_read_in_the_order_of_their_sequence(self, shop: Shop) -> None:
        document = await authorized(shop)
        for sequence in (2, 1, 3):
            await add_filing(shop, document, id=new_id(), type="correction", sequence=sequence)
        async with shop.database.autocommit(shop.subscription_id) as tenant:
            filings = await tenant.event_filings.of_document(document.id, 1, "correction")
            assert [filing.sequence for filing in filings] == [1, 2, 3]
            assert await tenant.event_filings.of_document(document.id, 2, "correction") == []
