"""Customers that an NFS-e created, in the catalog."""

import json
from pathlib import Path
from typing import Any

import pytest

from integration.issuing.shop import ADDRESS, NFSE, Shop, accepted, note_of
from support import data_of, fields_of

EXAMPLES = Path(__file__).parents[3] / "examples" / "nfse"
LONG_NAME = "Companhia Brasileira de Importação e Exportação de Artigos para Escritório e Papelaria Ltda"


async def only_customer(shop: Shop) -> dict[str, Any]:
    """Returns the only customer of the list, and checks that reading it by id gives the same."""
    (record,) = data_of(await shop.get("/customers"))
    assert data_of(await shop.get(f"/customers/{record['id']}")) == record
    return dict(record)


class TestNoteCustomer:
    async def test_customer_has_the_data_of_the_note(self, shop: Shop) -> None:
        borrower = {"taxId": "12ABC34501DE35", "name": LONG_NAME, "phone": "11 3333-4444", "address": ADDRESS}
        await shop.create("nfse", borrower=borrower | {"municipalRegistration": "123"})
        record = await only_customer(shop)
        assert (record["name"], record["email"]) == (LONG_NAME, None)
        assert (record["document"], record["phone"]) == ("12.ABC.345/01DE-35", "1133334444")
        assert record["address"]["zipcode"] == "01310-100"
        assert (record["municipalRegistration"], record["foreign"]) == ("123", False)
        assert data_of(await shop.get("/customers", search="papelaria importacao")) == [record]

    async def test_customer_abroad_is_in_the_catalog(self, shop: Shop) -> None:
        body = json.loads((EXAMPLES / "foreign-taker.json").read_text())
        accepted(await shop.post("/nfse", body))
        record = await only_customer(shop)
        assert (record["foreign"], record["document"]) == (True, None)
        assert record["address"] == body["borrower"]["address"] | {"complement": None}

    @pytest.mark.parametrize("name", ["Zé", LONG_NAME])
    async def test_customer_can_be_written_back_with_the_name_that_was_read(
        self, shop: Shop, name: str
    ) -> None:
        await shop.create("nfse", borrower={"taxId": "52998224725", "name": name})
        record = await only_customer(shop)
        path = shop.path(f"/customers/{record['id']}")
        again = data_of(await shop.caller.http.put(path, json=record | {"tradeName": "Loja"}))
        assert (again["name"], again["tradeName"]) == (name, "Loja")
        refused = await shop.caller.http.put(path, json=record | {"name": f"{name[:1]}."})
        assert list(fields_of(refused)) == ["name"]

    async def test_posting_the_same_customer_updates_the_one_of_the_note(self, shop: Shop) -> None:
        await shop.create("nfse")
        customer = await only_customer(shop)
        fields = {"name": "Maria Souza", "email": "maria@example.com", "document": "529.982.247-25"}
        updated = data_of(await shop.post("/customers", fields))
        assert updated.items() >= {"id": customer["id"], **fields}.items()

    async def test_note_adds_missing_data_to_an_existing_customer_and_keeps_the_rest(
        self, shop: Shop
    ) -> None:
        fields = {"name": "Maria Souza", "email": "maria@example.com", "document": "529.982.247-25"}
        created = data_of(await shop.post("/customers", fields))
        other = {
            "taxId": "52998224725",
            "name": "Outro nome",
            "email": "outro@example.com",
            "phone": "1133334444",
        }
        await shop.create("nfse", borrower=other)
        record = await only_customer(shop)
        assert record == created | {"phone": "1133334444", "updatedAt": record["updatedAt"]}

    async def test_deleted_customer_is_still_named_by_its_sale_and_its_note(self, shop: Shop) -> None:
        first = accepted(await shop.post("/nfse", NFSE))
        customer = await only_customer(shop)
        data_of(await shop.caller.http.delete(shop.path(f"/customers/{customer['id']}")))
        assert data_of(await shop.get("/customers")) == []
        sale = data_of(await shop.get(f"/sales/{first['saleId']}"))
        assert sale["customer"] == {name: customer[name] for name in ("id", "name", "email", "document")}
        assert (await shop.settled(first))["status"] == "authorized"
        assert (await note_of(shop, first)).text("toma/xNome") == customer["name"]
        await shop.create("nfse")
        assert (await only_customer(shop))["id"] != customer["id"]
