"""NFS-e whose service is filled from the company's catalog when they are accepted."""

import json
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.orders import DIFFERENT_BODY
from integration.issuing.shop import NFSE_SETTINGS, REFUSALS, Shop, accepted, body_of, note_of
from support import data_of

HOSTING = {
    "type": "service", "name": "Hospedagem", "sku": "hospedagem", "category": "saas",
    "cityServiceCode": "02800", "serviceItemCode": "01.03.02", "iss": {"rate": 3}, "nbs": "1.1502.10.00",
}  # fmt: skip
BY_CITY_CODE = {"serviceCode": "02800"}
NAMED_ITEM = (
    "serviceCode: O código nacional 01.03.02 é o do item “hospedagem” do catálogo, que tem o mesmo código"
    " municipal."
)


@pytest.fixture
async def hosting_shop(shop: Shop) -> Shop:
    """A shop whose notes take the national service code from the catalog only."""
    await shop.put_settings(nfse={"federalServiceCode": None, "issRate": None})
    data_of(await shop.post("/products", HOSTING))
    return shop


async def hosting_path(shop: Shop) -> str:
    (item,) = (item for item in data_of(await shop.get("/products")) if item["sku"] == HOSTING["sku"])
    return shop.path(f"/products/{item['id']}")


async def replace_hosting(shop: Shop, **changes: Any) -> None:
    data_of(await shop.caller.http.put(await hosting_path(shop), json=HOSTING | changes))


async def delete_hosting(shop: Shop) -> None:
    data_of(await shop.caller.http.delete(await hosting_path(shop)))


async def add_another_service(shop: Shop) -> None:
    data_of(await shop.post("/products", HOSTING | {"sku": "outro", "serviceItemCode": "01.07"}))


async def change_hosting(shop: Shop) -> None:
    await replace_hosting(shop, serviceItemCode="01.07", iss={"rate": 5}, nbs="1.1103.22.00")


async def service_of(shop: Shop, document: dict[str, Any]) -> tuple[str | None, str | None]:
    """Returns national code and NBS of an authorized note."""
    note = await note_of(shop, document)
    return note.text("cTribNac"), note.text("cNBS")


async def requests_of(shop: Shop, document: dict[str, Any]) -> tuple[Any, Any]:
    """Returns the posted body, and the stored request."""
    posted = data_of(await shop.get(f"/nfse/{document['id']}", include="request"))["request"]
    (row,) = await shop.system.fetch("select request from documents where id = $1", UUID(document["id"]))
    return posted, json.loads(row["request"])


async def refused_note(shop: Shop) -> dict[str, Any]:
    """Returns a note that took its service from the catalog, and that the authority refused."""
    document = await shop.issue("nfse", **BY_CITY_CODE, notes=REFUSALS["nfse"])
    assert document["status"] == "rejected", document
    return document


class TestAccepted:
    @pytest.mark.parametrize("change", [change_hosting, delete_hosting, add_another_service])
    async def test_accepted_note_does_not_change_with_the_catalog(
        self, hosting_shop: Shop, change: Callable[[Shop], Awaitable[None]]
    ) -> None:
        async with hosting_shop.system.worker_stopped():
            document = await hosting_shop.create("nfse", **BY_CITY_CODE)
            await change(hosting_shop)
        document = await hosting_shop.settled(document)
        assert document["status"] == "authorized", document
        assert await service_of(hosting_shop, document) == ("010302", "115021000")
        assert document["warnings"][0] == NAMED_ITEM

    async def test_accepted_note_that_uses_the_settings_does_not_change_with_the_catalog(
        self, shop: Shop
    ) -> None:
        async with shop.system.worker_stopped():
            document = await shop.create("nfse", **BY_CITY_CODE)
            data_of(await shop.post("/products", HOSTING))
        document = await shop.settled(document)
        assert await service_of(shop, document) == ("010501", None)

    async def test_posted_body_is_kept_beside_the_filled_one(self, hosting_shop: Shop) -> None:
        body = body_of("nfse", **BY_CITY_CODE, externalId="pedido-1")
        document = accepted(await hosting_shop.post("/nfse", body))
        posted, stored = await requests_of(hosting_shop, document)
        assert posted == body
        assert stored == body | {
            "federalServiceCode": "01.03.02", "iss": {"rate": 3, "isWithheld": False}, "nbs": "115021000",
        }  # fmt: skip
        again = data_of(await hosting_shop.post("/nfse", body))
        assert DIFFERENT_BODY not in again["warnings"]

    async def test_item_of_the_sale_has_the_posted_values(self, hosting_shop: Shop) -> None:
        await hosting_shop.create("nfse", **BY_CITY_CODE, sku="plano")
        await replace_hosting(hosting_shop, serviceItemCode="01.07")
        trial = data_of(await hosting_shop.post("/nfse", body_of("nfse", **BY_CITY_CODE), dryRun="true"))
        assert (trial["problems"], "<cTribNac>010701<" in trial["xml"]) == ([], True)

    async def test_dry_run_reports_ambiguous_services_with_all_other_problems(
        self, hosting_shop: Shop
    ) -> None:
        await add_another_service(hosting_shop)
        body = body_of("nfse", **BY_CITY_CODE, serviceDescription="Plano {nomeProduto}")
        trial = data_of(await hosting_shop.post("/nfse", body, dryRun="true"))
        fields = {(problem["code"], problem["field"]) for problem in trial["problems"]}
        assert ("AMBIGUOUS", "serviceCode") in fields
        assert {field for _, field in fields} == {"serviceCode", "serviceDescription"}


class TestLater:
    async def test_emit_keeps_the_service_and_the_warning(self, hosting_shop: Shop) -> None:
        document = await refused_note(hosting_shop)
        await change_hosting(hosting_shop)
        accepted(await hosting_shop.emit(document))
        document = await hosting_shop.settled(document)
        assert document["warnings"][0] == NAMED_ITEM
        _, stored = await requests_of(hosting_shop, document)
        assert stored["federalServiceCode"] == "01.03.02"

    async def test_patch_takes_the_current_service_of_the_catalog(self, hosting_shop: Shop) -> None:
        document = await refused_note(hosting_shop)
        for code in ("01.07", "01.03.01"):
            await replace_hosting(hosting_shop, serviceItemCode=code)
            document = data_of(await hosting_shop.patch(document))
            posted, stored = await requests_of(hosting_shop, document)
            assert "federalServiceCode" not in posted
            assert stored["federalServiceCode"][:5] == code[:5]
            assert f"{code[:5]}.01 é o do item “hospedagem”" in document["warnings"][0]

    async def test_patched_note_of_a_sale_takes_the_service_of_the_catalog(self, hosting_shop: Shop) -> None:
        await hosting_shop.put_settings(nfse=NFSE_SETTINGS)
        plan = {"type": "service", "name": "Plano", "sku": "plano", "category": "saas"}
        item = data_of(await hosting_shop.post("/products", plan))
        line = {"id": item["id"], "price": 50}
        sale = {"products": [line], "customer": {"name": "Maria"}, "emitWhen": "manual"}
        data_of(await hosting_shop.post("/sales", sale))
        (note,) = data_of(await hosting_shop.get("/nfse"))
        note = data_of(await hosting_shop.patch(note, **BY_CITY_CODE))
        assert note["warnings"][0] == NAMED_ITEM
        await change_hosting(hosting_shop)
        accepted(await hosting_shop.emit(note))
        assert (await service_of(hosting_shop, await hosting_shop.settled(note)))[0] == "010302"
