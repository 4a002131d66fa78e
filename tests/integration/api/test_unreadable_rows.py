"""A stored row that cannot be read does not turn a whole list into an internal error."""

from typing import Any
from uuid import UUID

import pytest

from carimbo.storage.database import Database
from integration.api.customer_book import ADDRESS, JOHN, WHOLE, CustomerApi
from integration.api.product_api import COURSE, MUG, ProductApi
from integration.api.webhook_api import WebhookApi
from support import CNPJ, OTHER_CNPJ, Caller, data_of


async def spoil(database: Database, statement: str, *arguments: Any) -> None:
    async with database.connection() as connection:
        await connection.execute(statement, *arguments)


class TestLists:
    async def test_a_customer_with_an_address_of_another_version_comes_without_it(
        self, database: Database, customers: CustomerApi
    ) -> None:
        good, bad = await customers.upsert(JOHN), await customers.upsert(WHOLE)
        await spoil(
            database, "update customers set address = '{\"street\": 5}' where id = $1", UUID(bad["id"])
        )
        first, second = data_of(await customers.listed())
        assert second == good
        assert first == bad | {"address": None}
        path = f"/v1/companies/{customers.company_id}/customers/{bad['id']}"
        assert data_of(await customers.caller.http.get(path)) == first

    async def test_a_customer_with_a_malformed_document_shows_it_as_stored(
        self, database: Database, customers: CustomerApi
    ) -> None:
        bad = await customers.upsert(WHOLE)
        await spoil(database, "update customers set document = '123' where id = $1", UUID(bad["id"]))
        assert data_of(await customers.listed()) == [bad | {"document": "123"}]

    async def test_a_company_with_an_address_of_another_version_comes_without_it(
        self, database: Database, caller: Caller
    ) -> None:
        good, bad = await caller.create_company(CNPJ), await caller.create_company(OTHER_CNPJ)
        await spoil(database, 'update companies set address = \'{"rua": "A"}\' where id = $1', UUID(bad))
        listed = data_of(await caller.http.get("/v1/companies"))
        assert [(company["id"], company["address"]) for company in listed] == [(bad, None), (good, None)]
        assert data_of(await caller.http.get(f"/v1/companies/{bad}")) == listed[0]

    async def test_an_item_with_fiscal_fields_of_another_version_comes_without_them(
        self, database: Database, products: ProductApi
    ) -> None:
        good, bad = (
            data_of(await products.post(COURSE)),
            data_of(await products.post(MUG | {"ncm": "69120000"})),
        )
        await spoil(database, "update products set fiscal = '{\"ncm\": [7]}' where id = $1", bad["id"])
        first, second = data_of(await products.caller.http.get(products.path()))
        assert second == good
        assert (first["id"], first["name"], first["ncm"]) == (bad["id"], MUG["name"], None)
        assert data_of(await products.caller.http.get(products.path(f"/{bad['id']}"))) == first

    @pytest.mark.parametrize(
        ("column", "shown"),
        [
            ("tax_regime = 'zz'", {"taxRegime": None}),
            ("address = '{\"a\": 1}'", {"address": None}),
            ("address = '\"x\"'", {"address": None}),
            ("ibs_cbs_regime = '\"regular\"'", {"ibsCbsRegime": []}),
            ("simples_iss_regime = 9, pis_cofins_regime = 'zz'", {"pisCofinsRegime": None}),
        ],
    )
    async def test_a_damaged_column_of_a_company_comes_empty(
        self, database: Database, caller: Caller, column: str, shown: dict[str, Any]
    ) -> None:
        company_id = await caller.create_company(CNPJ)
        await spoil(database, f"update companies set {column} where id = $1", UUID(company_id))
        (listed,) = data_of(await caller.http.get("/v1/companies"))
        assert listed | shown == listed
        assert data_of(await caller.http.get(f"/v1/companies/{company_id}")) == listed
        whole = data_of(await caller.http.get("/v1/company"))
        assert whole | listed == whole

    @pytest.mark.parametrize(
        "column", ["fiscal = '[]'", "fiscal = '\"x\"'", "components = '\"x\"'", "components = '[1]'"]
    )
    async def test_an_item_with_damaged_json_does_not_hide_the_others(
        self, database: Database, products: ProductApi, column: str
    ) -> None:
        good, bad = data_of(await products.post(COURSE)), data_of(await products.post(MUG))
        await spoil(database, f"update products set {column} where id = $1", bad["id"])
        first, second = data_of(await products.caller.http.get(products.path()))
        assert second == good
        assert (first["id"], first["name"]) == (bad["id"], MUG["name"])
        assert data_of(await products.caller.http.get(products.path(f"/{bad['id']}"))) == first

    async def test_an_unknown_key_of_an_item_is_left_out_alone(
        self, database: Database, products: ProductApi
    ) -> None:
        bad = data_of(await products.post(MUG | {"ncm": "69120000"}))
        fiscal = '{"ncm": "69120000", "cest": [1]}'
        await spoil(database, f"update products set fiscal = '{fiscal}' where id = $1", bad["id"])
        (shown,) = data_of(await products.caller.http.get(products.path()))
        assert (shown["ncm"], shown["cest"]) == ("69120000", None)

    async def test_a_webhook_with_a_delivery_of_a_later_release_is_read(
        self, database: Database, webhooks: WebhookApi
    ) -> None:
        webhook_id = (await webhooks.create())["id"]
        await webhooks.add_events("nfe.authorized")
        (delivery,) = await webhooks.deliveries(webhook_id)
        await webhooks.attempt(delivery["id"])
        await spoil(
            database,
            "update events set topic = 'mdfe.expiring', details = '\"x\"' where id = $1",
            UUID(delivery["eventId"]),
        )
        (listed,) = await webhooks.deliveries(webhook_id)
        assert listed["event"] == "mdfe.expiring"
        assert (await webhooks.read(webhook_id, f"/deliveries/{delivery['id']}"))["event"] == "mdfe.expiring"
        (webhook,) = data_of(await webhooks.http.get("/v1/webhooks"))
        assert webhook["lastDelivery"]["event"] == "mdfe.expiring"
        (event,) = data_of(await webhooks.http.get("/v1/events"))
        assert (event["event"], event["data"]) == ("mdfe.expiring", {})


class TestChanges:
    @pytest.mark.parametrize("address", [None, ADDRESS])
    async def test_a_customer_with_an_address_of_another_version_can_be_changed(
        self, database: Database, customers: CustomerApi, address: dict[str, Any] | None
    ) -> None:
        bad = await customers.upsert(WHOLE)
        spoiled = "update customers set address = '{\"street\": 5}' where id = $1"
        await spoil(database, spoiled, UUID(bad["id"]))
        assert data_of(await customers.put(bad["id"], {"phone": "1133334444"}))["address"] is None
        changed = data_of(await customers.put(bad["id"], {"address": address}))
        assert changed["address"] == (address and bad["address"])

    async def test_upsert_replaces_an_address_of_another_version(
        self, database: Database, customers: CustomerApi
    ) -> None:
        bad = await customers.upsert(WHOLE)
        spoiled = "update customers set address = '{\"street\": 5}' where id = $1"
        await spoil(database, spoiled, UUID(bad["id"]))
        assert (await customers.upsert(WHOLE, address={"number": "9"}))["address"]["number"] == "9"

    @pytest.mark.parametrize("path", ["/v1/companies/{id}", "/v1/company"])
    async def test_a_company_with_an_address_of_another_version_can_be_changed(
        self, database: Database, caller: Caller, path: str
    ) -> None:
        bad = await caller.create_company(CNPJ)
        path = path.format(id=bad)
        await spoil(database, 'update companies set address = \'{"rua": "A"}\' where id = $1', UUID(bad))
        assert data_of(await caller.http.get(path))["address"] is None
        assert data_of(await caller.http.put(path, json={"tradeName": "Loja"}))["address"] is None
        assert data_of(await caller.http.put(path, json={"address": ADDRESS}))["address"]["number"] == "1000"
