"""The same sale requested twice is one sale, even if the second request is invalid."""

import asyncio
from collections import Counter
from typing import Any

import httpx2
import pytest

from integration.issuing.actions import replayed
from integration.issuing.shop import error_of
from integration.issuing.system import System
from integration.sales.store import COURSE, MARIA, NewStore, Store, created_sale, sale_of
from support import data_of, fields_of

SIMULTANEOUS = 50
LATER = {"emitWhen": "manual"}


class TestExternalId:
    async def test_a_repeated_external_id_returns_the_sale_as_it_is_now(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca", externalId="pedido-1")
        assert replayed(await store.sell("curso", "caneca", externalId="pedido-1")) == sale
        assert (len(await store.rows("sales")), await store.count()) == (1, 2)

    async def test_a_new_external_id_creates_another_sale(self, store: Store) -> None:
        sales = [await store.draft("curso", externalId=name) for name in ("a", "A", "b")]
        assert len({sale["id"] for sale in sales}) == 3

    async def test_the_same_external_id_of_another_company_is_another_sale(
        self, store: Store, new_store: NewStore
    ) -> None:
        neighbour = await new_store(store.caller)
        sales = [await each_store.draft("curso", externalId="a") for each_store in (store, neighbour)]
        assert sales[0]["id"] != sales[1]["id"]

    async def test_spaces_around_an_external_id_are_removed(self, store: Store) -> None:
        sale = await store.draft("curso", externalId=" a ")
        assert sale["externalId"] == "a"
        assert replayed(await store.sell("curso", externalId="a"))["id"] == sale["id"]

    async def test_requests_without_external_id_create_another_sale_each_time(self, store: Store) -> None:
        sales = [await store.draft("curso") for _ in range(2)]
        assert sales[0]["id"] != sales[1]["id"]


class TestKey:
    async def test_a_repeated_key_returns_the_sale(self, store: Store) -> None:
        sale = created_sale(await store.sell("curso", key="k", **LATER))
        assert replayed(await store.sell("curso", key="k", **LATER)) == sale
        assert replayed(await store.sell("curso", key='"k"', **LATER)) == sale

    async def test_the_key_takes_precedence_over_the_external_id(self, store: Store) -> None:
        sale = created_sale(await store.sell("curso", key="k", externalId="a", **LATER))
        assert replayed(await store.sell("curso", key="k", externalId="b", **LATER)) == sale

    async def test_a_new_key_with_an_existing_external_id_returns_the_sale(self, store: Store) -> None:
        sale = created_sale(await store.sell("curso", key="k1", externalId="a", **LATER))
        assert replayed(await store.sell("curso", key="k2", externalId="a", **LATER)) == sale

    async def test_another_key_creates_another_sale(self, store: Store) -> None:
        sales = [created_sale(await store.sell("curso", key=key, **LATER)) for key in ("k", "K")]
        assert sales[0]["id"] != sales[1]["id"]

    async def test_a_key_that_is_too_long_is_invalid(self, store: Store) -> None:
        assert set(fields_of(await store.sell("curso", key="k" * 256))) == {"Idempotency-Key"}


class TestReplay:
    @pytest.fixture
    async def sale(self, store: Store) -> dict[str, Any]:
        return await store.invoiced("curso", externalId="a", key="k")

    async def test_a_replay_is_answered_before_validation(self, store: Store, sale: dict[str, Any]) -> None:
        bodies: dict[str, Any] = {
            "empty": {},
            "list": [],
            "products": {"products": 5},
            "sku": sale_of("nada"),
            "unknown field": sale_of("curso") | {"cor": "azul"},
            "customer": {"customer": None},
        }
        answers = {name: await store.post("/sales", body, key="k") for name, body in bodies.items()}
        for name, body in bodies.items():
            if isinstance(body, dict):
                answers[f"{name} by externalId"] = await store.post("/sales", body | {"externalId": "a"})
        assert {name: replayed(answer) for name, answer in answers.items()} == dict.fromkeys(answers, sale)

    async def test_a_replay_is_answered_before_readiness(self, store: Store, sale: dict[str, Any]) -> None:
        data_of(await store.caller.http.delete(store.path("/certificate")))
        assert replayed(await store.sell("curso", externalId="a")) == sale

    async def test_a_replay_changes_nothing(self, store: Store, sale: dict[str, Any]) -> None:
        before = data_of(await store.get(f"/customers/{sale['customer']['id']}"))
        buyer = MARIA | {"phone": "11987654321"}
        again = await store.sell({"sku": "curso", "price": 5}, "caneca", customer=buyer, externalId="a")
        assert replayed(again) == sale
        assert data_of(await store.get(f"/customers/{sale['customer']['id']}")) == before

    @pytest.mark.usefixtures("sale")
    async def test_credentials_and_company_are_checked_before_a_replay(
        self, system: System, store: Store
    ) -> None:
        stranger = system.client({"Idempotency-Key": "k"})
        answer = await stranger.post(store.path("/sales"), json=sale_of("curso"))
        error_of(answer, 401, "INVALID_API_CREDENTIALS")
        other = Store(system, await system.new_caller(), store.id)
        error_of(await other.sell("curso", key="k"), 404, "NOT_FOUND")


class TestAtOnce:
    @pytest.mark.parametrize("by", ["externalId", "key"])
    async def test_simultaneous_requests_create_one_sale_and_one_document_of_each_type(
        self, store: Store, by: str
    ) -> None:
        calls = (store.sell("curso", "caneca", **{by: "a"}) for _ in range(SIMULTANEOUS))
        await self.assert_one_sale(store, await asyncio.gather(*calls))

    async def test_simultaneous_requests_with_one_external_id_and_several_keys_create_one(
        self, store: Store
    ) -> None:
        calls = (
            store.sell("curso", "caneca", key=f"k{number}", externalId="a") for number in range(SIMULTANEOUS)
        )
        await self.assert_one_sale(store, await asyncio.gather(*calls))

    async def test_simultaneous_sales_create_the_same_items_in_any_order(self, store: Store) -> None:
        """Items are created in a fixed order, so that transactions do not deadlock."""
        items = [COURSE | {"sku": f"aula-{number:02}"} for number in range(20)]
        baskets = [items, items[::-1]] * 4
        answers = await asyncio.gather(*(store.sell(*basket, emitWhen="manual") for basket in baskets))
        assert [answer.status_code for answer in answers] == [200] * len(baskets)
        assert len(data_of(await store.get("/products", search="aula", pageSize=100))) == len(items)

    async def test_simultaneous_sales_create_one_customer_and_one_item(self, store: Store) -> None:
        book = {"sku": "livro", "name": "Livro", "type": "service", "category": "ebook", "price": 40}
        buyer = {"name": "João Souza", "document": "111.444.777-35"}
        calls = (store.sell(book, customer=buyer, **LATER) for _ in range(20))
        sales = [created_sale(answer) for answer in await asyncio.gather(*calls)]
        assert len({sale["id"] for sale in sales}) == 20
        assert len({sale["customer"]["id"] for sale in sales}) == 1
        assert len({sale["products"][0]["id"] for sale in sales}) == 1

    @staticmethod
    async def assert_one_sale(store: Store, answers: list[httpx2.Response]) -> None:
        assert Counter(answer.status_code for answer in answers) == {202: 1, 200: SIMULTANEOUS - 1}
        marks = Counter(answer.headers.get("Idempotent-Replayed") for answer in answers)
        assert marks == {None: 1, "true": SIMULTANEOUS - 1}
        assert len({answer.json()["data"]["id"] for answer in answers}) == 1
        assert len(await store.rows("sales")) == 1
        assert Counter(row["type"] for row in await store.rows("documents")) == {"nfse": 1, "nfe": 1}
        assert (await store.sale_settled(answers[0].json()["data"]))["status"] == "invoiced"
