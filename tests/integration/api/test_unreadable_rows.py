"""One stored row that can't be read does not turn a whole list into an internal error."""

from typing import Any
from uuid import UUID

from carimbo.storage.database import Database
from integration.api.customer_book import JOHN, WHOLE, Book
from integration.api.product_shelf import COURSE, MUG, Shelf
from support import CNPJ, OTHER_CNPJ, Caller, data_of


async def spoil(database: Database, statement: str, *arguments: Any) -> None:
    async with database.connection() as connection:
        await connection.execute(statement, *arguments)


class TestLists:
    async def test_a_customer_with_an_address_of_another_version_comes_without_it(
        self, database: Database, book: Book
    ) -> None:
        good, bad = await book.tell(JOHN), await book.tell(WHOLE)
        await spoil(
            database, "update customers set address = '{\"street\": 5}' where id = $1", UUID(bad["id"])
        )
        first, second = data_of(await book.listed())
        assert second == good
        assert first == bad | {"address": None}
        path = f"/v1/companies/{book.company_id}/customers/{bad['id']}"
        assert data_of(await book.caller.http.get(path)) == first

    async def test_a_customer_with_a_malformed_document_shows_it_as_stored(
        self, database: Database, book: Book
    ) -> None:
        bad = await book.tell(WHOLE)
        await spoil(database, "update customers set document = '123' where id = $1", UUID(bad["id"]))
        assert data_of(await book.listed()) == [bad | {"document": "123"}]

    async def test_a_company_with_an_address_of_another_version_comes_without_it(
        self, database: Database, caller: Caller
    ) -> None:
        good, bad = await caller.create_company(CNPJ), await caller.create_company(OTHER_CNPJ)
        await spoil(database, 'update companies set address = \'{"rua": "A"}\' where id = $1', UUID(bad))
        listed = data_of(await caller.http.get("/v1/companies"))
        assert [(company["id"], company["address"]) for company in listed] == [(bad, None), (good, None)]
        assert data_of(await caller.http.get(f"/v1/companies/{bad}")) == listed[0]

    async def test_an_item_with_fiscal_fields_of_another_version_comes_without_them(
        self, database: Database, shelf: Shelf
    ) -> None:
        good, bad = data_of(await shelf.post(COURSE)), data_of(await shelf.post(MUG | {"ncm": "69120000"}))
        await spoil(database, "update products set fiscal = '{\"ncm\": [7]}' where id = $1", bad["id"])
        first, second = data_of(await shelf.caller.http.get(shelf.path()))
        assert second == good
        assert (first["id"], first["name"], first["ncm"]) == (bad["id"], MUG["name"], None)
        assert data_of(await shelf.caller.http.get(shelf.path(f"/{bad['id']}"))) == first
