"""The same sale twice is one sale, whatever is to be said of the second."""

import asyncio
from collections import Counter
from typing import Any

import httpx2
import pytest

from integration.issuing.actions import replayed
from integration.issuing.floor import Floor
from integration.issuing.shop import error_of
from integration.sales.store import COURSE, MARIA, NewStore, Store, made, sale_of
from support import data_of, fields_of

CROWD = 50
LATER = {"emitWhen": "manual"}


class TestExternalId:
    async def test_that_comes_again_returns_the_sale_as_it_is_now(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca", externalId="pedido-1")
        assert replayed(await store.sell("curso", "caneca", externalId="pedido-1")) == sale
        assert (len(await store.rows("sales")), await store.count()) == (1, 2)

    async def test_that_is_new_makes_another_sale(self, store: Store) -> None:
        sales = [await store.draft("curso", externalId=name) for name in ("a", "A", "b")]
        assert len({sale["id"] for sale in sales}) == 3

    async def test_of_another_company_is_another_one(self, store: Store, new_store: NewStore) -> None:
        neighbour = await new_store(store.caller)
        sales = [await one.draft("curso", externalId="a") for one in (store, neighbour)]
        assert sales[0]["id"] != sales[1]["id"]

    async def test_has_no_spaces_around_it(self, store: Store) -> None:
        sale = await store.draft("curso", externalId=" a ")
        assert sale["externalId"] == "a"
        assert replayed(await store.sell("curso", externalId="a"))["id"] == sale["id"]

    async def test_none_makes_another_sale_each_time(self, store: Store) -> None:
        sales = [await store.draft("curso") for _ in range(2)]
        assert sales[0]["id"] != sales[1]["id"]


class TestKey:
    async def test_that_comes_again_returns_the_sale(self, store: Store) -> None:
        sale = made(await store.sell("curso", key="k", **LATER))
        assert replayed(await store.sell("curso", key="k", **LATER)) == sale
        assert replayed(await store.sell("curso", key='"k"', **LATER)) == sale

    async def test_goes_before_the_external_id(self, store: Store) -> None:
        sale = made(await store.sell("curso", key="k", externalId="a", **LATER))
        assert replayed(await store.sell("curso", key="k", externalId="b", **LATER)) == sale

    async def test_new_does_not_make_a_known_external_id_new(self, store: Store) -> None:
        sale = made(await store.sell("curso", key="k1", externalId="a", **LATER))
        assert replayed(await store.sell("curso", key="k2", externalId="a", **LATER)) == sale

    async def test_another_one_makes_another_sale(self, store: Store) -> None:
        sales = [made(await store.sell("curso", key=key, **LATER)) for key in ("k", "K")]
        assert sales[0]["id"] != sales[1]["id"]

    async def test_is_of_a_size_that_can_be_kept(self, store: Store) -> None:
        assert set(fields_of(await store.sell("curso", key="k" * 256))) == {"Idempotency-Key"}


class TestReplay:
    @pytest.fixture
    async def sale(self, store: Store) -> dict[str, Any]:
        return await store.invoiced("curso", externalId="a", key="k")

    async def test_is_answered_before_validation(self, store: Store, sale: dict[str, Any]) -> None:
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

    async def test_is_answered_before_readiness(self, store: Store, sale: dict[str, Any]) -> None:
        data_of(await store.caller.http.delete(store.path("/certificate")))
        assert replayed(await store.sell("curso", externalId="a")) == sale

    async def test_changes_nothing(self, store: Store, sale: dict[str, Any]) -> None:
        before = data_of(await store.get(f"/customers/{sale['customer']['id']}"))
        buyer = MARIA | {"phone": "11987654321"}
        again = await store.sell({"sku": "curso", "price": 5}, "caneca", customer=buyer, externalId="a")
        assert replayed(again) == sale
        assert data_of(await store.get(f"/customers/{sale['customer']['id']}")) == before

    @pytest.mark.usefixtures("sale")
    async def test_comes_after_credentials_and_company(self, floor: Floor, store: Store) -> None:
        stranger = floor.client({"Idempotency-Key": "k"})
        answer = await stranger.post(store.path("/sales"), json=sale_of("curso"))
        error_of(answer, 401, "INVALID_API_CREDENTIALS")
        other = Store(floor, await floor.new_caller(), store.id)
        error_of(await other.sell("curso", key="k"), 404, "NOT_FOUND")


class TestAtOnce:
    @pytest.mark.parametrize("by", ["externalId", "key"])
    async def test_many_make_one_sale_with_one_document_of_each_type(self, store: Store, by: str) -> None:
        calls = (store.sell("curso", "caneca", **{by: "a"}) for _ in range(CROWD))
        await self.assert_one(store, await asyncio.gather(*calls))

    async def test_many_with_keys_of_their_own_and_one_external_id_make_one(self, store: Store) -> None:
        calls = (store.sell("curso", "caneca", key=f"k{place}", externalId="a") for place in range(CROWD))
        await self.assert_one(store, await asyncio.gather(*calls))

    async def test_with_the_same_new_items_in_other_orders_all_are_made(self, store: Store) -> None:
        """Whoever makes items makes them in one order: nobody waits for somebody who waits for them."""
        items = [COURSE | {"sku": f"aula-{number:02}"} for number in range(20)]
        baskets = [items, items[::-1]] * 4
        answers = await asyncio.gather(*(store.sell(*basket, emitWhen="manual") for basket in baskets))
        assert [answer.status_code for answer in answers] == [200] * len(baskets)
        assert len(data_of(await store.get("/products", search="aula", pageSize=100))) == len(items)

    async def test_of_a_new_customer_and_a_new_item_make_one_of_each(self, store: Store) -> None:
        book = {"sku": "livro", "name": "Livro", "type": "service", "category": "ebook", "price": 40}
        buyer = {"name": "João Souza", "document": "111.444.777-35"}
        calls = (store.sell(book, customer=buyer, **LATER) for _ in range(20))
        sales = [made(answer) for answer in await asyncio.gather(*calls)]
        assert len({sale["id"] for sale in sales}) == 20
        assert len({sale["customer"]["id"] for sale in sales}) == 1
        assert len({sale["products"][0]["id"] for sale in sales}) == 1

    @staticmethod
    async def assert_one(store: Store, answers: list[httpx2.Response]) -> None:
        assert Counter(answer.status_code for answer in answers) == {202: 1, 200: CROWD - 1}
        marks = Counter(answer.headers.get("Idempotent-Replayed") for answer in answers)
        assert marks == {None: 1, "true": CROWD - 1}
        assert len({answer.json()["data"]["id"] for answer in answers}) == 1
        assert len(await store.rows("sales")) == 1
        assert Counter(row["type"] for row in await store.rows("documents")) == {"nfse": 1, "nfe": 1}
        assert (await store.sale_settled(answers[0].json()["data"]))["status"] == "invoiced"
