"""Split items of a catalog: their price is divided between services and products."""

import asyncio
from typing import Any

import pytest

from integration.api.product_api import COURSE, MUG, ProductApi, body_of, new_product_api, split_of
from support import ABSENT_ITEM, OTHER_CNPJ, code_of, data_of, fields_of


async def add_parts(products: ProductApi) -> tuple[dict[str, Any], dict[str, Any]]:
    """Adds a course and a mug that an item may divide into."""
    return await products.add(COURSE), await products.add(MUG)


def assert_refused_for_use(answer: Any, split: dict[str, Any]) -> None:
    assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
    assert f"“{split['sku']}”" in answer.json()["error"]["message"]
    assert answer.json()["error"]["details"] == {"usedBy": [split["id"]]}


class TestCreate:
    async def test_split_needs_no_category_and_has_no_fiscal_fields(self, products: ProductApi) -> None:
        course, mug = await add_parts(products)
        item = await products.add(split_of(("curso", 70), ("caneca", 30)))
        assert body_of(item) == {
            "type": "split", "name": "Curso com caneca", "sku": "kit", "category": None, "price": None,
            "guarantee": None, "fiscalFollowsCompanyDefaults": True,
            "components": [
                {"id": course["id"], "sku": "curso", "percentage": 70},
                {"id": mug["id"], "sku": "caneca", "percentage": 30},
            ],
        }  # fmt: skip
        assert await products.read(item) == item
        assert data_of(await products.get(type="split")) == [item]

    async def test_parts_are_accepted_by_sku_by_id_and_by_both(self, products: ProductApi) -> None:
        course, mug = await add_parts(products)
        await products.add(COURSE, sku="outro")
        body = split_of(("outro", 33.3333)) | {"category": "course", "price": 99.9}
        body["components"] += [
            {"id": course["id"].lower(), "percentage": 33.3333},
            {"id": mug["id"], "sku": "caneca", "percentage": 33.3334},
        ]
        item = await products.add(body)
        components = [(part["sku"], part["percentage"]) for part in item["components"]]
        assert components == [("outro", 33.3333), ("curso", 33.3333), ("caneca", 33.3334)]
        assert (item["category"], item["price"]) == ("course", 99.9)

    @pytest.mark.parametrize(
        ("parts", "wrong"),
        [
            ([("curso", 100)], {"components": "Deve ter pelo menos 2 itens."}),
            ([("curso", 70), ("caneca", 30.0001)],
             {"components": "Os percentuais devem somar 100, e somam 100.0001."}),
            ([("curso", 70), ("caneca", 29)], {"components": "Os percentuais devem somar 100, e somam 99."}),
            ([("curso", 100), ("caneca", 0)], {"components[1].percentage": "Deve ser maior que 0."}),
            ([("curso", 70), ("caneca", 30.00001)],
             {"components[1].percentage": "Deve ter no máximo 4 casas decimais."}),
            ([("curso", 70), ("curso", 30)], {"components[1].sku": "É o mesmo item de components[0]."}),
            ([("x", 70), ("y", 30)], dict.fromkeys(
                ("components[0].sku", "components[1].sku"), "Não há item com este SKU no catálogo.")),
            ([("curso", 5)] * 21, {"components": "Deve ter no máximo 20 itens."}),
        ],
        ids=["one", "above", "below", "nothing", "decimals", "twice", "unknown", "many"],
    )  # fmt: skip
    async def test_parts_that_do_not_add_up_are_refused(
        self, products: ProductApi, parts: list[tuple[str, float]], wrong: dict[str, str]
    ) -> None:
        await add_parts(products)
        assert fields_of(await products.post(split_of(*parts))) == wrong

    async def test_parts_that_name_no_item_of_the_catalog_are_refused(self, products: ProductApi) -> None:
        other = await (await new_product_api(products.caller, OTHER_CNPJ)).add(COURSE)
        course, mug = await add_parts(products)
        data_of(await products.delete(mug["id"]))
        body = split_of(("caneca", 25))
        body["components"] += [
            {"id": ABSENT_ITEM, "percentage": 25},
            {"id": other["id"], "percentage": 25},
            {"id": course["id"], "sku": "caneca", "percentage": 25},
        ]
        assert fields_of(await products.post(body)) == {
            "components[0].sku": "Não há item com este SKU no catálogo.",
            "components[1].id": "Não há item com este id no catálogo.",
            "components[2].id": "Não há item com este id no catálogo.",
            "components[3].id": "O item com este id tem outro SKU, “curso”.",
        }
        body["components"] = [{"percentage": 50}, {"sku": "curso", "id": "1", "percentage": 50}]
        assert fields_of(await products.post(body)) == {
            "components[0]": "Informe sku ou id.",
            "components[1].id": "Formato inválido: informe os 26 caracteres do id, e não “1”.",
        }

    async def test_splits_are_refused_as_parts(self, products: ProductApi) -> None:
        await products.split()
        answer = await products.post(split_of(("kit", 50), ("curso", 50)) | {"sku": "kit-2"})
        assert fields_of(answer) == {
            "components[0].sku": "É um item dividido: informe um serviço ou produto."
        }

    @pytest.mark.parametrize(
        ("name", "value", "owners"),
        [
            ("ncm", "69120000", "product"),
            ("serviceItemCode", "01.05", "service"),
            ("ibsCbs", {}, "service ou product"),
        ],
    )
    async def test_fiscal_fields_of_a_split_are_refused(
        self, products: ProductApi, name: str, value: Any, owners: str
    ) -> None:
        await add_parts(products)
        body = split_of(("curso", 70), ("caneca", 30)) | {name: value}
        assert fields_of(await products.post(body)) == {name: f"Campo de itens do tipo {owners}."}


class TestReplace:
    async def test_put_of_a_record_as_read_changes_nothing(self, products: ProductApi) -> None:
        item = await products.split(price=100)
        assert body_of(data_of(await products.put(item["id"], body_of(item)))) == body_of(item)

    async def test_part_is_kept_when_its_sku_changes(self, products: ProductApi) -> None:
        course, _ = await add_parts(products)
        item = await products.add(split_of(("curso", 70), ("caneca", 30)))
        data_of(await products.put(course["id"], COURSE | {"sku": "aulas"}))
        assert [part["sku"] for part in (await products.read(item))["components"]] == ["aulas", "caneca"]

    async def test_item_cannot_divide_into_itself(self, products: ProductApi) -> None:
        course, _ = await add_parts(products)
        body = split_of(("curso", 70), ("caneca", 30)) | {"sku": "curso"}
        assert fields_of(await products.put(course["id"], body)) == {
            "components[0].sku": "Um item não se divide em si mesmo."
        }

    async def test_part_cannot_become_a_split(self, products: ProductApi) -> None:
        item = await products.split()
        mug = item["components"][1]
        await products.add(MUG, sku="outra")
        body = split_of(("curso", 70), ("outra", 30)) | {"sku": "caneca"}
        assert_refused_for_use(await products.put(mug["id"], body), item)

    async def test_split_may_become_a_service(self, products: ProductApi) -> None:
        item = await products.split()
        changed = data_of(await products.put(item["id"], COURSE | {"sku": "kit"}))
        assert (changed["type"], "components" in changed) == ("service", False)
        data_of(await products.delete(item["components"][0]["id"]))


class TestDelete:
    async def test_part_of_a_split_cannot_be_deleted(self, products: ProductApi) -> None:
        item = await products.split()
        course = item["components"][0]
        assert_refused_for_use(await products.delete(course["id"]), item)
        data_of(await products.delete(item["id"]))
        assert data_of(await products.delete(course["id"])) == {"id": course["id"], "deleted": True}

    async def test_simultaneous_split_and_deletion_of_its_part_let_one_win(
        self, products: ProductApi
    ) -> None:
        for _ in range(5):
            course, mug = await add_parts(products)
            created, deleted = await asyncio.gather(
                products.post(split_of(("curso", 70), ("caneca", 30))), products.delete(mug["id"])
            )
            assert {created.status_code, deleted.status_code} in ({200, 409}, {422, 200})
            if created.status_code == 200:
                data_of(await products.delete(data_of(created)["id"]))
                data_of(await products.delete(mug["id"]))
            data_of(await products.delete(course["id"]))
