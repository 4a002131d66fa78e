"""One `externalId` or `Idempotency-Key` is one order of a company, whichever routes it arrives at."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from carimbo.service.orders import DIFFERENT_BODY
from integration.issuing.actions import replayed
from integration.issuing.shop import INVOICES, REFUSED, accepted, body_of, error_of
from integration.sales.store import Store, created_sale, sale_of
from support import data_of

SIMULTANEOUS = 50
ROUTES = [*INVOICES, "sales"]
KEYS = ["externalId", "Idempotency-Key"]
ITEMS = {"nfse": ("curso",), "nfe": ("caneca",), "nfce": ("caneca",), "sales": ("curso", "caneca")}
"""Items whose sale needs a document of the type."""


async def order(
    store: Store, route: str, by: str = "externalId", key: str = "pedido-1", **changes: Any
) -> httpx2.Response:
    """Places an order at a route under a key."""
    keys = {"externalId": key} if by == "externalId" else {}
    body = sale_of(*ITEMS["sales"], **keys) if route == "sales" else body_of(route, **keys)
    header = key if by == "Idempotency-Key" else None
    return await store.post(f"/{route}", body | changes, key=header)


async def sale_with(store: Store, document_type: str, **changes: Any) -> dict[str, Any]:
    """Creates a sale with drafts, one of them of the given type."""
    body = {"externalId": "pedido-1", "emitWhen": "manual"}
    if document_type in ("nfe", "nfce"):
        body["productInvoiceType"] = document_type
    return created_sale(await store.sell(*ITEMS[document_type], **body | changes))


class TestPairsOfRoutes:
    """Pairs of direct documents are in `issuing/test_idempotency.py`."""

    @pytest.mark.parametrize("by", KEYS)
    async def test_sale_of_a_direct_nfse_is_returned(self, store: Store, by: str) -> None:
        note = accepted(await order(store, "nfse", by))
        sale = replayed(await order(store, "sales", by))
        assert sale["id"] == note["saleId"]
        assert [invoice["id"] for invoice in sale["invoices"]] == [note["id"]]
        assert (len(await store.rows("sales")), await store.count()) == (1, 1)

    @pytest.mark.parametrize("by", KEYS)
    @pytest.mark.parametrize("document_type", ["nfe", "nfce"])
    async def test_sale_is_refused_under_the_key_of_a_document_without_one(
        self, store: Store, document_type: str, by: str
    ) -> None:
        document = accepted(await order(store, document_type, by))
        details = error_of(await order(store, "sales", by), 409, "DUPLICATE_RESOURCE")
        assert details["existingId"] == document["id"]
        assert (len(await store.rows("sales")), await store.count()) == (0, 1)

    @pytest.mark.parametrize("document_type", INVOICES)
    async def test_document_that_a_sale_made_is_returned(self, store: Store, document_type: str) -> None:
        sale = await sale_with(store, document_type)
        document = replayed(await order(store, document_type))
        assert (document["id"], document["type"]) == (sale["invoices"][0]["id"], document_type)
        assert (document["saleId"], document["status"]) == (sale["id"], "pending")
        assert await store.count() == 1

    @pytest.mark.parametrize(("sold", "requested"), [("nfse", "nfe"), ("nfe", "nfse"), ("nfe", "nfce")])
    async def test_document_is_refused_if_the_sale_makes_none_of_its_type(
        self, store: Store, sold: str, requested: str
    ) -> None:
        sale = await sale_with(store, sold)
        details = error_of(await order(store, requested), 409, "DUPLICATE_RESOURCE")
        assert details["saleId"] == sale["id"]
        assert await store.count() == 1

    async def test_discarded_document_is_recreated_only_by_its_sale(self, store: Store) -> None:
        sale = await sale_with(store, "nfe")
        data_of(await store.discard(sale["invoices"][0]))
        answer = await order(store, "nfe")
        assert error_of(answer, 409, "DUPLICATE_RESOURCE")["saleId"] == sale["id"]
        assert "sem NF-e. Se o documento foi descartado, altere a venda" in answer.json()["error"]["message"]

    async def test_deleted_sale_releases_its_keys(self, store: Store) -> None:
        sale = created_sale(await order(store, "sales", "Idempotency-Key", externalId="a", emitWhen="manual"))
        data_of(await store.caller.http.delete(store.path(f"/sales/{sale['id']}")))
        document = accepted(await order(store, "nfe", "Idempotency-Key", externalId="a"))
        assert replayed(await order(store, "nfe", key="a"))["id"] == document["id"]


class TestMixedKeys:
    @pytest.mark.parametrize("first", ROUTES)
    async def test_header_equal_to_another_orders_external_id_is_refused(
        self, store: Store, first: str
    ) -> None:
        earlier = (await order(store, first, key="pedido-1")).json()["data"]
        for route in ROUTES:
            answer = await order(store, route, "Idempotency-Key", "pedido-1", externalId="pedido-2")
            assert error_of(answer, 409, "IDEMPOTENCY_CONFLICT") == {"existingId": earlier["id"]}, route

    async def test_refused_order_is_accepted_under_a_key_of_its_own(self, store: Store) -> None:
        accepted(await order(store, "nfe", key="1"))
        error_of(
            await order(store, "nfe", "Idempotency-Key", "1", externalId="2"), 409, "IDEMPOTENCY_CONFLICT"
        )
        accepted(await order(store, "nfe", "Idempotency-Key", "3", externalId="2"))
        assert await store.count() == 2


class TestAnotherBody:
    @pytest.mark.parametrize("route", ROUTES)
    async def test_replay_with_another_body_has_a_warning(self, store: Store, route: str) -> None:
        first = (await order(store, route)).json()["data"]
        same = (await order(store, route)).json()["data"]
        assert same["warnings"] == first["warnings"]
        change = {"discount": 1} if route == "sales" else {"notes": "Outro corpo"}
        other = (await order(store, route, **change)).json()["data"]
        assert (other["id"], other["amount"]) == (first["id"], first["amount"])
        assert other["warnings"] == [*first["warnings"], DIFFERENT_BODY]

    async def test_corrected_document_is_returned_without_a_warning(self, store: Store) -> None:
        document = await store.settled(accepted(await order(store, "nfe", notes=REFUSED)))
        assert (await store.patch(document, notes="Corrigida")).status_code == 200
        again = (await order(store, "nfe", notes=REFUSED)).json()["data"]
        assert DIFFERENT_BODY not in again["warnings"]

    async def test_warning_is_not_stored(self, store: Store) -> None:
        document = accepted(await order(store, "nfe"))
        replayed(await order(store, "nfe", notes="Outro corpo"))
        assert (await store.read(document))["warnings"] == document["warnings"]


class TestAtOnce:
    @pytest.mark.parametrize("by", KEYS)
    async def test_simultaneous_requests_at_two_routes_create_one_order(self, store: Store, by: str) -> None:
        pairs = [("nfse", "sales"), ("nfe", "sales"), ("nfce", "sales"), ("nfse", "nfe")]
        for number, pair in enumerate(pairs, start=1):
            key = f"pedido-{number}"
            calls = (order(store, pair[position % 2], by, key) for position in range(SIMULTANEOUS))
            self.assert_one_order(await asyncio.gather(*calls), pair)
            assert await self.orders(store) == number, pair

    async def test_simultaneous_requests_with_header_or_external_id_create_one_order(
        self, store: Store
    ) -> None:
        calls = (order(store, ROUTES[number % 4], KEYS[number // 4 % 2]) for number in range(SIMULTANEOUS))
        self.assert_one_order(await asyncio.gather(*calls), ROUTES)
        assert await self.orders(store) == 1

    @staticmethod
    def assert_one_order(answers: list[httpx2.Response], routes: Sequence[str]) -> None:
        """Checks that one answer accepts an order, and that the others show or refuse it."""
        codes = Counter(answer.status_code for answer in answers)
        assert codes[202] == 1, (routes, codes)
        assert set(codes) <= {200, 202, 409}, (routes, codes)

    @staticmethod
    async def orders(store: Store) -> int:
        """Counts the orders: sales, and direct documents without a sale."""
        documents = [row for row in await store.rows("documents") if row["sale_id"] is None]
        return len(await store.rows("sales")) + len(documents)
