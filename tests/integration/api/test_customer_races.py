"""Concurrent requests about one customer."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from carimbo.fiscal.parties.customer import CustomerFacts
from carimbo.storage.database import Database
from integration.api.customer_book import JOHN, MARIA, CustomerApi
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
    async def test_concurrent_upserts_of_one_customer_create_one(
        self, customers: CustomerApi, bodies: list[dict[str, Any]]
    ) -> None:
        answers = await asyncio.gather(*map(customers.post, bodies))
        assert {data_of(answer)["id"] for answer in answers} == {
            record["id"] for record in data_of(await customers.listed())
        }
        assert await customers.total() == 1

    async def test_concurrent_upserts_of_different_fields_lose_none(self, customers: CustomerApi) -> None:
        changes: list[dict[str, Any]] = [
            {"phone": "11988887777"}, {"tradeName": "Loja"}, {"foreignId": "AB-1"},
            {"stateRegistration": "ISENTO"}, {"municipalRegistration": "123"},
        ]  # fmt: skip
        for answer in await asyncio.gather(*(customers.post(MARIA | change) for change in changes)):
            data_of(answer)
        (record,) = data_of(await customers.listed())
        assert record.items() >= {name: value for change in changes for name, value in change.items()}.items()

    async def test_concurrent_upserts_do_not_deadlock(self, customers: CustomerApi) -> None:
        maria, john = await customers.upsert(), await customers.upsert(JOHN | {"document": "11144477735"})
        by_id = {
            maria["id"]: MARIA | {"document": "11144477735", "email": "john@example.com"},
            john["id"]: JOHN | {"document": "52998224725", "email": "maria@example.com"},
        }
        requests = [customers.put(customer_id, body) for customer_id, body in by_id.items()]
        requests += [customers.post(body | {"id": customer_id}) for customer_id, body in by_id.items()]
        requests += [customers.post(MARIA), customers.post(JOHN)]
        answers = await asyncio.gather(*requests, *(customers.post(BY_EMAIL) for _ in range(8)))
        assert [code_of(answer) for answer in answers[:4]] == ["DUPLICATE_RESOURCE"] * 4
        assert {answer.status_code for answer in answers[4:]} == {200}
        assert await customers.total() == 2


class TestWaitingRequest:
    """A request that waited for another change uses the customer as it is then."""

    async def test_upsert_creates_a_customer_if_the_document_has_changed_meanwhile(
        self, customers: CustomerApi, database: Database
    ) -> None:
        maria = await customers.upsert()
        async with database.tenant(customers.caller.subscription_id) as tenant:
            await tenant.customers.write(UUID(maria["id"]), MOVED)
            waiting = await held_up(database, customers.post(MARIA))
        created = data_of(await waiting)
        assert created["id"] != maria["id"]
        assert data_of(await customers.get(maria["id"]))["document"] == "111.444.777-35"

    async def test_upsert_creates_a_customer_if_it_was_deleted_meanwhile(
        self, customers: CustomerApi, database: Database
    ) -> None:
        maria = await customers.upsert()
        async with database.tenant(customers.caller.subscription_id) as tenant:
            await tenant.customers.delete(UUID(customers.company_id), UUID(maria["id"]))
            waiting = await held_up(database, customers.post(MARIA))
        assert data_of(await waiting)["id"] != maria["id"]
        assert await customers.total() == 1

    async def test_put_of_a_customer_that_was_deleted_meanwhile_is_not_found(
        self, customers: CustomerApi, database: Database
    ) -> None:
        maria = await customers.upsert()
        async with database.tenant(customers.caller.subscription_id) as tenant:
            await tenant.customers.delete(UUID(customers.company_id), UUID(maria["id"]))
            waiting = await held_up(database, customers.put(maria["id"], MARIA))
        assert code_of(await waiting) == "NOT_FOUND"

    async def test_upsert_keeps_a_field_that_was_added_meanwhile(
        self, customers: CustomerApi, database: Database
    ) -> None:
        maria = await customers.upsert()
        facts = CustomerFacts(**MARIA, phone="11988887777")
        async with database.tenant(customers.caller.subscription_id) as tenant:
            await tenant.customers.write(UUID(maria["id"]), facts)
            waiting = await held_up(database, customers.post(MARIA | {"tradeName": "Loja"}))
        updated = data_of(await waiting)
        assert (updated["id"], updated["phone"], updated["tradeName"]) == (maria["id"], "11988887777", "Loja")
