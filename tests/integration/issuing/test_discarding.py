"""DELETE of a document that created a sale, and of a receipt that is printed."""

import asyncio
from typing import Any
from uuid import UUID

from integration.issuing.actions import discard, events_of, rejected_without_number
from integration.issuing.point_of_sale import point_of_sale_of
from integration.issuing.shop import Shop, accepted, body_of, error_of
from support import data_of


class TestDocumentWithASale:
    async def test_discarding_a_document_deletes_the_sale_it_created(self, shop: Shop) -> None:
        rejected = await rejected_without_number(shop, "nfse", externalId="pedido-1")
        data_of(await discard(shop, rejected))
        error_of(await shop.get(f"/sales/{rejected['saleId']}"), 404, "NOT_FOUND")
        assert data_of(await shop.get("/sales")) == []

    async def test_discarding_a_document_keeps_external_id_and_sale_in_earlier_events(
        self, shop: Shop
    ) -> None:
        rejected = await rejected_without_number(shop, "nfse", externalId="pedido-1")
        before = await events_of(shop.caller)
        data_of(await discard(shop, rejected))
        (event,) = await events_of(shop.caller)
        assert [event] == before
        assert (event["data"]["externalId"], event["data"]["saleId"]) == ("pedido-1", rejected["saleId"])

    async def test_discarding_and_correcting_at_once_do_not_deadlock(self, shop: Shop) -> None:
        note = await rejected_without_number(shop, "nfse")
        async with shop.system.database.tenant(shop.caller.subscription_id) as tenant:
            # A discard locks the sale first too.
            await tenant.sales.lock(UUID(note["saleId"]))
            correction = asyncio.create_task(shop.patch(note, amount=80))
            await shop.system.until("exists (select from pg_locks where not granted)")
            lock = "select from documents where id = $1 for update nowait"
            await tenant.connection.execute(lock, UUID(note["id"]))
        assert data_of(await correction)["amount"] == 80


class TestPrintedReceipt:
    async def assert_stays(self, shop: Shop, document: dict[str, Any]) -> None:
        details = error_of(await discard(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == document["status"]
        assert await shop.read(document) == document

    async def test_printed_receipt_can_not_be_discarded(self, shop: Shop) -> None:
        paper = (await point_of_sale_of(shop)).paper(7, transmit="later")
        await self.assert_stays(shop, accepted(await shop.post("/nfce", body_of("nfce", **paper))))
