"""Lists of sales: pages, filters and isolation."""

from typing import Any
from uuid import UUID

import pytest

from carimbo.service.stored_records import UNREADABLE
from integration.issuing.shop import error_of
from integration.issuing.system import System
from integration.sales.store import JOAO, MARIA, NewStore, Store, sale_of
from support import data_of, wrong_fields


async def listed(store: Store, **query: Any) -> tuple[list[str], int]:
    """Returns the ids of a page, and the total."""
    answer = await store.get("/sales", **query)
    return [sale["id"] for sale in data_of(answer)], answer.json()["pageInfo"]["total"]


async def drafts(store: Store, *days: str, **changes: Any) -> list[str]:
    """Creates a sale on each of these days and returns their ids."""
    return [(await store.draft("curso", saleDate=day, **changes))["id"] for day in days]


class TestUnreadableRows:
    @pytest.mark.parametrize(
        "stored",
        ["payments = '[{\"x\": 1}]'", "payments = '5'", "nfse = '[1]'", "nfse = '{\"property\": 1}'"],
    )
    async def test_a_row_that_cannot_be_parsed_leaves_the_list_readable(
        self, store: Store, stored: str
    ) -> None:
        bad, good = await drafts(store, "2026-11-02", "2026-11-01")
        await store.system.fetch(f"update sales set {stored} where id = $1", UUID(bad))
        first, second = data_of(await store.get("/sales"))
        assert (first["id"], first["payments"], first["nfse"], second["id"]) == (bad, [], None, good)
        assert (first["warnings"], second["warnings"]) == ([UNREADABLE], [])
        path = store.path(f"/sales/{bad}")
        refused = await store.caller.http.patch(path, json={"notes": "Obrigado"})
        assert error_of(refused, 409, "INVALID_STATE") == {"currentStatus": "draft", "allowed": []}
        repaired = {"payments": [{"method": "pix", "amount": 100}], "nfse": {"property": None}}
        assert data_of(await store.caller.http.patch(path, json=repaired))["warnings"] == []


class TestUnreadableCatalog:
    async def test_unknown_fields_of_items_and_addresses_are_ignored(self, store: Store) -> None:
        customer = await store.know(MARIA)
        fiscal = '{"ncm": "69120000", "oldKey": 1}'
        query = "update products set fiscal = $2::text::jsonb where company_id = $1 and sku = 'caneca'"
        await store.system.fetch(query, UUID(store.id), fiscal)
        query = """update customers set address = address || '{"oldKey": 1}' where id = $1"""
        await store.system.fetch(query, UUID(customer["id"]))
        sale = await store.invoiced("curso", "caneca", customer=customer["id"])
        assert [document["status"] for document in sale["invoices"]] == ["authorized"] * 2


class TestPages:
    async def test_the_newest_sales_are_listed_first(self, store: Store) -> None:
        old, new, middle = await drafts(store, "2026-09-01", "2026-11-01", "2026-10-01")
        assert await listed(store) == ([new, middle, old], 3)

    async def test_sales_of_one_day_are_listed_last_created_first(self, store: Store) -> None:
        ids = await drafts(store, *["2026-11-01"] * 4)
        assert await listed(store) == (ids[::-1], 4)

    async def test_a_page_has_twenty_sales_by_default(self, store: Store) -> None:
        ids = await drafts(store, *["2026-11-01"] * 21)
        answer = await store.get("/sales")
        assert [sale["id"] for sale in data_of(answer)] == ids[:0:-1]
        assert answer.json()["pageInfo"] == {"page": 1, "pageSize": 20, "total": 21}

    async def test_pages_have_no_gaps_and_do_not_overlap(self, store: Store) -> None:
        ids = (await drafts(store, *["2026-11-01"] * 5))[::-1]
        pages = [await listed(store, page=page, pageSize=2) for page in (1, 2, 3, 4)]
        assert pages == [(ids[:2], 5), (ids[2:4], 5), (ids[4:], 5), ([], 5)]

    async def test_the_list_has_the_same_records_as_a_read(self, store: Store) -> None:
        sale = await store.invoiced("curso", "caneca", discount=5, externalId="pedido-1")
        assert data_of(await store.get("/sales")) == [sale]

    async def test_pages_outside_of_the_limits_are_invalid(self, store: Store) -> None:
        cases = [("pageSize", 101), ("pageSize", 0), ("page", 0), ("page", "x"), ("pagesize", 5)]
        wrong = await wrong_fields(
            {f"{name} {value}": store.get("/sales", **{name: value}) for name, value in cases}
        )
        assert wrong == {f"{name} {value}": [name] for name, value in cases}

    async def test_sales_of_direct_documents_are_listed(self, store: Store) -> None:
        document = await store.issue("nfse", externalId="pedido-1")
        (sale,) = data_of(await store.get("/sales"))
        assert (sale["id"], sale["status"]) == (document["saleId"], "invoiced")
        assert (sale["externalId"], sale["amount"]) == ("pedido-1", 59.8)
        assert [document["id"] for document in sale["invoices"]] == [document["id"]]
        assert await store.read_sale(sale) == sale


class TestFilters:
    async def test_sales_are_filtered_by_customer(self, store: Store) -> None:
        (own,), (other,) = await drafts(store, "2026-11-01"), await drafts(store, "2026-11-01", customer=JOAO)
        sale = await store.read_sale({"id": other})
        assert await listed(store, customerId=sale["customer"]["id"]) == ([other], 1)
        assert await listed(store, customerId=own) == ([], 0)

    async def test_sales_are_filtered_by_external_id(self, store: Store) -> None:
        ids = [(await store.draft("curso", externalId=f"pedido-{place}"))["id"] for place in range(3)]
        assert await listed(store, externalId="pedido-1") == ([ids[1]], 1)
        assert await listed(store, externalId="pedido") == ([], 0)

    async def test_sales_are_filtered_by_day(self, store: Store) -> None:
        first, second, third = await drafts(store, "2026-10-31", "2026-11-01", "2026-11-02")
        assert await listed(store, startDate="2026-11-01") == ([third, second], 2)
        assert await listed(store, endDate="2026-11-01") == ([second, first], 2)
        assert await listed(store, startDate="2026-11-01", endDate="2026-11-01") == ([second], 1)
        assert await listed(store, startDate="2026-11-03") == ([], 0)

    async def test_sales_are_filtered_by_time_in_the_company_s_time_zone(self, store: Store) -> None:
        first, second = await drafts(store, "2026-11-01", "2026-11-02")
        assert await listed(store, startDate="2026-11-02T02:59:59Z") == ([second, first], 2)
        assert await listed(store, startDate="2026-11-02T03:00:00Z") == ([second], 1)
        assert await listed(store, endDate="2026-11-01T23:59:59") == ([first], 1)

    async def test_sales_are_filtered_by_emission_mode(self, store: Store) -> None:
        schedule = {"emitWhen": "after_guarantee", "guaranteeDate": "2999-01-01"}
        waiting = (await store.sold("curso", **schedule))["id"]
        (draft,) = await drafts(store, "2026-11-01")
        assert await listed(store, emitWhen="after_guarantee") == ([waiting], 1)
        assert await listed(store, emitWhen="manual") == ([draft], 1)
        assert await listed(store, emitWhen="immediately") == ([], 0)

    async def test_filters_can_be_combined(self, store: Store) -> None:
        await drafts(store, "2026-10-01", "2026-11-01", customer=JOAO)
        wanted = await store.draft("curso", saleDate="2026-11-01")
        query = {"startDate": "2026-11-01", "status": "draft", "customerId": wanted["customer"]["id"]}
        assert await listed(store, **query) == ([wanted["id"]], 1)
        assert await listed(store, **query, page=2, pageSize=1) == ([], 1)

    async def test_malformed_filter_values_are_invalid(self, store: Store) -> None:
        cases = {
            "startDate": "01/11/2026", "endDate": "hoje", "customerId": "1", "emitWhen": "depois",
            "status": "pending",
        }  # fmt: skip
        wrong = await wrong_fields(
            {name: store.get("/sales", **{name: value}) for name, value in cases.items()}
        )
        assert wrong == {name: [name] for name in cases}


class TestIsolation:
    async def test_each_company_has_its_own_sales(self, store: Store, new_store: NewStore) -> None:
        neighbour = await new_store(store.caller)
        (own,), (others,) = await drafts(store, "2026-11-01"), await drafts(neighbour, "2026-11-01")
        assert (await listed(store), await listed(neighbour)) == (([own], 1), ([others], 1))

    async def test_another_company_cannot_reach_a_sale(self, store: Store, new_store: NewStore) -> None:
        neighbour = await new_store(store.caller)
        draft, invoiced = await store.draft("curso"), await store.invoiced("curso")
        calls: list[tuple[str, dict[str, Any], str, Any]] = [
            ("GET", draft, "", None),
            ("PUT", draft, "", sale_of("curso")),
            ("DELETE", draft, "", None),
            ("POST", draft, "/emit-invoice", None),
            ("POST", invoiced, "/cancel-invoice", None),
        ]
        for method, sale, rest, body in calls:
            path = neighbour.path(f"/sales/{sale['id']}{rest}")
            error_of(await store.caller.http.request(method, path, json=body), 404, "NOT_FOUND")
            assert await store.read_sale(sale) == sale, (method, rest)

    async def test_another_subscription_cannot_reach_a_sale(self, system: System, store: Store) -> None:
        (own,) = await drafts(store, "2026-11-01")
        stranger = Store(system, await system.new_caller(), store.id)
        for rest in ("/sales", f"/sales/{own}"):
            error_of(await stranger.get(rest), 404, "NOT_FOUND")
        error_of(await stranger.sell("curso"), 404, "NOT_FOUND")
        error_of(await stranger.delete({"id": own}), 404, "NOT_FOUND")
        assert await listed(store) == ([own], 1)
