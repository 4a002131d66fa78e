"""DELETE of a document of a type that makes a sale, or of one that is on paper."""

import asyncio
from typing import Any
from uuid import UUID

from integration.issuing.actions import discard, events_of, rejected_without_number
from integration.issuing.shop import Shop, accepted, body_of, error_of
from integration.issuing.till import till_of
from support import data_of


class TestDocumentThatMadeASale:
    async def test_deletes_the_sale_that_the_document_made(self, shop: Shop) -> None:
        rejected = await rejected_without_number(shop, "nfse", externalId="pedido-1")
        data_of(await discard(shop, rejected))
        error_of(await shop.get(f"/sales/{rejected['saleId']}"), 404, "NOT_FOUND")
        assert data_of(await shop.get("/sales")) == []

    async def test_leaves_earlier_events_with_what_the_caller_knows_the_document_by(self, shop: Shop) -> None:
        rejected = await rejected_without_number(shop, "nfse", externalId="pedido-1")
        before = await events_of(shop.caller)
        data_of(await discard(shop, rejected))
        (event,) = await events_of(shop.caller)
        assert [event] == before
        assert (event["data"]["externalId"], event["data"]["saleId"]) == ("pedido-1", rejected["saleId"])

    async def test_with_a_correction_neither_waits_for_the_other_in_a_circle(self, shop: Shop) -> None:
        note = await rejected_without_number(shop, "nfse")
        async with shop.floor.database.tenant(shop.caller.subscription_id) as tenant:
            # As a discard does, the sale first.
            await tenant.sales.lock(UUID(note["saleId"]))
            correction = asyncio.create_task(shop.patch(note, amount=80))
            await shop.floor.until("exists (select from pg_locks where not granted)")
            lock = "select from documents where id = $1 for update nowait"
            await tenant.connection.execute(lock, UUID(note["id"]))
        assert data_of(await correction)["amount"] == 80


class TestPaper:
    async def assert_stays(self, shop: Shop, document: dict[str, Any]) -> None:
        details = error_of(await discard(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == document["status"]
        assert await shop.read(document) == document

    async def test_that_a_buyer_has_is_not_discarded(self, shop: Shop) -> None:
        paper = (await till_of(shop)).paper(7, transmit="later")
        await self.assert_stays(shop, accepted(await shop.post("/nfce", body_of("nfce", **paper))))
