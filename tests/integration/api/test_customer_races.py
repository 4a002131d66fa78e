"""One customer whom many speak of at once."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.customer import CustomerFacts
from carimbo.storage.database import Database
from integration.api.customer_book import JOHN, MARIA, Book
from integration.api.held_requests import held_up
from support import code_of, data_of

BY_EMAIL = {"name": MARIA["name"], "email": MARIA["email"]}
MOVED = CustomerFacts(name=MARIA["name"], document="11144477735", email="moved@example.com")


class TestUpserts:
    @pytest.mark.parametrize(
        "bodies",
        [
            [MARIA] * 20,
            [BY_EMAIL] * 20,
            [JOHN] * 20,
            [MARIA, BY_EMAIL] * 10,
            [MARIA, BY_EMAIL | {"email": "MARIA@example.com"}] * 10,
            [MARIA, MARIA | {"email": "ana@example.com"}] * 10,
        ],
        ids=[
            "by document",
            "by e-mail",
            "by id abroad",
            "by either",
            "by an e-mail in either case",
            "by document alone",
        ],
    )
    async def test_of_one_customer_make_one(self, book: Book, bodies: list[dict[str, Any]]) -> None:
        answers = await asyncio.gather(*map(book.post, bodies))
        assert {data_of(answer)["id"] for answer in answers} == {
            record["id"] for record in data_of(await book.listed())
        }
        assert await book.total() == 1

    async def test_that_tell_different_things_lose_none(self, book: Book) -> None:
        told: list[dict[str, Any]] = [
            {"phone": "11988887777"}, {"tradeName": "Loja"}, {"foreignId": "AB-1"},
            {"stateRegistration": "ISENTO"}, {"municipalRegistration": "123"},
        ]  # fmt: skip
        for answer in await asyncio.gather(*(book.post(MARIA | one) for one in told)):
            data_of(answer)
        (record,) = data_of(await book.listed())
        assert record.items() >= {name: value for one in told for name, value in one.items()}.items()

    async def test_never_wait_crosswise(self, book: Book) -> None:
        maria, john = await book.tell(), await book.tell(JOHN | {"document": "11144477735"})
        by_id = {
            maria["id"]: MARIA | {"document": "11144477735", "email": "john@example.com"},
            john["id"]: JOHN | {"document": "52998224725", "email": "maria@example.com"},
        }
        asked = [book.put(one, body) for one, body in by_id.items()]
        asked += [book.post(body | {"id": one}) for one, body in by_id.items()]
        asked += [book.post(MARIA), book.post(JOHN)]
        answers = await asyncio.gather(*asked, *(book.post(BY_EMAIL) for _ in range(8)))
        assert [code_of(answer) for answer in answers[:4]] == ["DUPLICATE_RESOURCE"] * 4
        assert {answer.status_code for answer in answers[4:]} == {200}
        assert await book.total() == 2


class TestOneWhoIsHeld:
    """Whoever waited for another's change speaks of the customer as it is then."""

    async def test_and_gets_another_document_is_no_longer_the_one_that_is_meant(
        self, book: Book, database: Database
    ) -> None:
        maria = await book.tell()
        async with database.tenant(book.caller.subscription_id) as tenant:
            await tenant.customers.write(UUID(maria["id"]), MOVED)
            waiting = await held_up(database, book.post(MARIA))
        made = data_of(await waiting)
        assert made["id"] != maria["id"]
        assert data_of(await book.get(maria["id"]))["document"] == "111.444.777-35"

    async def test_and_is_deleted_is_made_anew(self, book: Book, database: Database) -> None:
        maria = await book.tell()
        async with database.tenant(book.caller.subscription_id) as tenant:
            await tenant.customers.delete(UUID(book.company_id), UUID(maria["id"]))
            waiting = await held_up(database, book.post(MARIA))
        assert data_of(await waiting)["id"] != maria["id"]
        assert await book.total() == 1

    async def test_and_is_deleted_can_not_be_replaced(self, book: Book, database: Database) -> None:
        maria = await book.tell()
        async with database.tenant(book.caller.subscription_id) as tenant:
            await tenant.customers.delete(UUID(book.company_id), UUID(maria["id"]))
            waiting = await held_up(database, book.put(maria["id"], MARIA))
        assert code_of(await waiting) == "NOT_FOUND"

    async def test_and_learns_something_keeps_it(self, book: Book, database: Database) -> None:
        maria = await book.tell()
        facts = CustomerFacts(**MARIA, phone="11988887777")
        async with database.tenant(book.caller.subscription_id) as tenant:
            await tenant.customers.write(UUID(maria["id"]), facts)
            waiting = await held_up(database, book.post(MARIA | {"tradeName": "Loja"}))
        told = data_of(await waiting)
        assert (told["id"], told["phone"], told["tradeName"]) == (maria["id"], "11988887777", "Loja")
