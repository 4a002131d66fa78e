"""The recipient and the posted body of a document, whichever release stored it."""

import asyncio
import json
from datetime import timedelta

import pytest

from carimbo.storage.document_search import DocumentFilter, fill_recipients
from carimbo.storage.documents import Document
from carimbo.worker.chores import fill_recipients_forever
from integration.storage.document_rows import Shop

MARIA = json.dumps({"recipient": {"taxId": "529.982.247-25", "name": "Maria"}})
LIMITED = json.dumps({"borrower": {"taxId": "12.abc.345/01de-35", "name": "Loja"}})
OF_MARIA = ("52998224725", "Maria")
OF_LIMITED = ("12ABC34501DE35", "Loja")
Recipient = tuple[str | None, str | None]


async def recipient_of(shop: Shop, document: Document) -> Recipient:
    row = await shop.row_of(document)
    return row["recipient_tax_id"], row["recipient_name"]


class TestPreviousRelease:
    """The previous release writes the request and no other column."""

    @pytest.mark.parametrize(
        ("request_text", "recipient"),
        [
            (MARIA, OF_MARIA),
            (LIMITED, OF_LIMITED),
            (json.dumps({"recipient": {"foreignId": "AB123", "name": "John"}}), (None, "John")),
            (json.dumps({"items": []}), (None, None)),
            (json.dumps({"recipient": None, "notes": "a\u0000"}), (None, None)),
            ("[", (None, None)),
        ],
    )
    async def test_a_document_of_the_previous_release_gets_the_recipient_of_its_request(
        self, shop: Shop, request_text: str, recipient: Recipient
    ) -> None:
        document = await shop.added(queued=False, request=request_text)
        assert await recipient_of(shop, document) == recipient

    async def test_a_request_changed_by_the_previous_release_updates_the_other_columns(
        self, shop: Shop
    ) -> None:
        document = await shop.added(queued=False, request=MARIA, posted_request='{"recipient": {}}')
        await self._change(shop, document, LIMITED)
        assert await recipient_of(shop, document) == OF_LIMITED
        async with shop.database.tenant(shop.subscription_id) as tenant:
            changed = await tenant.documents.get(document.id)
        assert changed is not None
        assert changed.posted == LIMITED

    async def _change(self, shop: Shop, document: Document, request: str) -> None:
        async with shop.database.connection() as connection:
            await connection.execute(
                "update documents set request = $2, version = version + 1 where id = $1", document.id, request
            )


async def older_documents(shop: Shop, count: int) -> list[Document]:
    """Stores documents as before the migration; no worker has filled their recipients yet."""
    documents = [await shop.added(queued=False, request=MARIA) for _ in range(count)]
    async with shop.database.connection() as connection:
        await connection.execute(
            "update documents set recipient_tax_id = null, recipient_name = null where subscription_id = $1",
            shop.subscription_id,
        )
        await connection.execute("delete from recipient_filling")
        await connection.execute(
            "insert into recipient_filling values ($1, '00000000-0000-0000-0000-000000000000')",
            shop.subscription_id,
        )
    return documents


async def fill(shop: Shop) -> bool:
    async with shop.database.transaction() as connection:
        return await fill_recipients(connection, at_once=2)


async def recipients_of(shop: Shop, documents: list[Document]) -> list[Recipient]:
    return [await recipient_of(shop, document) for document in documents]


class TestFilling:
    async def test_recipients_are_filled_in_batches_until_none_is_left(self, shop: Shop) -> None:
        documents = await older_documents(shop, 3)
        assert await fill(shop)
        assert await recipients_of(shop, documents) == [OF_MARIA, OF_MARIA, (None, None)]
        assert [await fill(shop), await fill(shop), await fill(shop)] == [True, False, False]
        assert await recipients_of(shop, documents) == [OF_MARIA] * 3

    async def test_filling_skips_a_locked_document_and_returns_to_it(self, shop: Shop) -> None:
        documents = await older_documents(shop, 2)
        async with shop.database.tenant(shop.subscription_id) as tenant:
            await tenant.documents.lock(documents[0].id)
            assert await fill(shop)
            assert await recipients_of(shop, documents) == [(None, None), OF_MARIA]
        assert await fill(shop)
        assert await recipients_of(shop, documents) == [OF_MARIA] * 2

    async def test_only_one_worker_fills_at_a_time(self, shop: Shop) -> None:
        documents = await older_documents(shop, 1)
        async with shop.database.transaction() as connection:
            assert await fill_recipients(connection)
            assert not await fill(shop)
        assert await recipients_of(shop, documents) == [OF_MARIA]

    async def test_a_worker_fills_the_recipients_of_all_older_documents(self, shop: Shop) -> None:
        documents = await older_documents(shop, 2)
        filling = asyncio.create_task(fill_recipients_forever(shop.database, pause=timedelta(0)))
        async with asyncio.timeout(60), shop.database.connection() as connection:
            while await connection.fetchval("select count(*) from recipient_filling"):
                pass
        filling.cancel()
        assert await recipients_of(shop, documents) == [OF_MARIA] * 2

    async def test_filling_keeps_an_existing_recipient(self, shop: Shop) -> None:
        (document,) = await older_documents(shop, 1)
        async with shop.database.connection() as connection:
            await connection.execute("update documents set recipient_name = 'Ana' where id = $1", document.id)
        assert await fill(shop)
        assert await recipient_of(shop, document) == (None, "Ana")


async def test_a_name_that_grows_when_normalized_is_stored_and_found(shop: Shop) -> None:
    """U+FDFA is one character, but 18 in the normalized form that is searched."""
    name = "\ufdfa" * 150
    added = await shop.added(queued=False, recipient_name=name)
    async with shop.database.autocommit(shop.subscription_id) as tenant:
        (document,), _ = await tenant.documents.page(shop.company_id, DocumentFilter(search=name), 0, 10)
    assert document.id == added.id
