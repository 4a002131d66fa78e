"""PUT keeps absent fields, clears null fields, and accepts a record as it was read."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from carimbo.storage.database import Database
from integration.api.customer_book import JOHN, WHOLE, new_customer_api
from integration.api.product_api import COURSE, GOODS_FISCAL, MUG, SERVICE_FISCAL, new_product_api
from integration.api.webhook_api import HEADERS, URL, WebhookApi
from support import Caller, data_of, fields_of

READ_ONLY = "Só de leitura: envie o valor que o registro tem, ou deixe o campo de fora."


@dataclass(frozen=True)
class Stored:
    """A stored record, and its path."""

    caller: Caller
    path: str

    async def read(self) -> dict[str, Any]:
        return dict(data_of(await self.caller.http.get(self.path)))

    async def put(self, body: dict[str, Any]) -> dict[str, Any]:
        return dict(data_of(await self.caller.http.put(self.path, json=body)))

    async def refused(self, body: dict[str, Any]) -> dict[str, str]:
        return fields_of(await self.caller.http.put(self.path, json=body))


async def company(caller: Caller, _: Database) -> Stored:
    body = {"tradeName": "Loja", "email": "a@example.com", "phone": "11 3333-4444", "taxRegime": "simples"}
    options = [{"halfYear": "2027-1", "regime": "regular"}]
    company_id = await caller.create_company(**body, ibsCbsRegime=options)
    return Stored(caller, f"/v1/companies/{company_id}")


async def only_company(caller: Caller, database: Database) -> Stored:
    await company(caller, database)
    return Stored(caller, "/v1/company")


async def customer(caller: Caller, _: Database) -> Stored:
    customers = await new_customer_api(caller)
    return Stored(caller, customers.path((await customers.upsert(WHOLE))["id"]))


async def foreign_customer(caller: Caller, _: Database) -> Stored:
    customers = await new_customer_api(caller)
    return Stored(caller, customers.path((await customers.upsert(JOHN))["id"]))


async def service(caller: Caller, _: Database) -> Stored:
    products = await new_product_api(caller)
    return Stored(
        caller, products.path(f"/{(await products.add(COURSE, price=10.5, **SERVICE_FISCAL))['id']}")
    )


async def product(caller: Caller, _: Database) -> Stored:
    products = await new_product_api(caller)
    return Stored(caller, products.path(f"/{(await products.add(MUG, price=10.5, **GOODS_FISCAL))['id']}"))


async def split(caller: Caller, _: Database) -> Stored:
    products = await new_product_api(caller)
    return Stored(caller, products.path(f"/{(await products.split(price=10.5))['id']}"))


async def webhook(caller: Caller, database: Database) -> Stored:
    webhooks = WebhookApi(caller, database)
    created = await webhooks.create(name="Loja", headers=HEADERS)
    return Stored(caller, f"/v1/webhooks/{created['id']}")


Make = Callable[[Caller, Database], Awaitable[Stored]]
RECORDS: list[Make] = [
    company, only_company, customer, foreign_customer, service, product, split, webhook
]  # fmt: skip
# A field that may change, its new value, and a field that may be cleared.
CHANGES: list[tuple[Make, str, Any, str]] = [
    (company, "tradeName", "Outra loja", "phone"),
    (customer, "name", "Outro nome", "tradeName"),
    (service, "name", "Outro curso", "iss"),
    (product, "unit", "KG", "ncm"),
    (split, "name", "Outro kit", "price"),
    (webhook, "url", f"{URL}/outro", "name"),
]


def without_date(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != "updatedAt"}


class TestPut:
    @pytest.mark.parametrize("make", RECORDS)
    async def test_put_accepts_a_record_as_it_was_read(
        self, caller: Caller, database: Database, make: Make
    ) -> None:
        stored = await make(caller, database)
        before = await stored.read()
        assert without_date(await stored.put(before)) == without_date(before)

    @pytest.mark.parametrize(("make", "name", "value", "cleared"), CHANGES)
    async def test_put_changes_sent_fields_and_clears_null_fields(
        self, caller: Caller, database: Database, make: Make, name: str, value: Any, cleared: str
    ) -> None:
        stored = await make(caller, database)
        before = await stored.read()
        assert without_date(await stored.put({name: value})) == without_date(before | {name: value})
        after = await stored.put({cleared: None})
        assert before[cleared] is not None
        assert without_date(after) == without_date(before | {name: value, cleared: None})

    @pytest.mark.parametrize("make", RECORDS)
    async def test_put_refuses_another_value_of_a_read_only_field(
        self, caller: Caller, database: Database, make: Make
    ) -> None:
        stored = await make(caller, database)
        assert await stored.refused({"createdAt": "2020-01-01T00:00:00Z"}) == {"createdAt": READ_ONLY}

    async def test_put_refuses_another_tax_id_or_environment_of_a_company(
        self, caller: Caller, database: Database
    ) -> None:
        stored = await company(caller, database)
        wrong = {"taxId": "12ABC34501DE35", "environment": "homologation"}
        assert await stored.refused(wrong) == dict.fromkeys(["environment", "taxId"], READ_ONLY)

    async def test_put_accepts_a_stored_customer_without_an_email(
        self, caller: Caller, database: Database
    ) -> None:
        stored = await customer(caller, database)
        await stored.put({"email": None})
        record = await stored.read()
        assert record["email"] is None
        assert (await stored.put(record | {"name": "Novo nome"}))["email"] is None

    async def test_put_moves_a_webhook_only_with_its_full_header_values(
        self, caller: Caller, database: Database
    ) -> None:
        stored = await webhook(caller, database)
        elsewhere = {"url": "http://127.0.0.1:10/webhooks"}
        assert list(await stored.refused(elsewhere)) == ["headers"]
        assert (await stored.put(elsewhere | {"headers": []}))["headers"] == []
