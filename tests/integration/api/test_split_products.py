"""Split items of a catalog: their price divides into those of services and products."""

import asyncio
from typing import Any

import pytest

from integration.api.product_shelf import COURSE, MUG, Shelf, body_of, new_shelf, split_of
from support import ABSENT_ITEM, OTHER_CNPJ, code_of, data_of, fields_of


async def parts_of(shelf: Shelf) -> tuple[dict[str, Any], dict[str, Any]]:
    """A course and a mug that an item may divide into."""
    return await shelf.add(COURSE), await shelf.add(MUG)


def refused_for_use(answer: Any, split: dict[str, Any]) -> None:
    assert (answer.status_code, code_of(answer)) == (409, "INVALID_STATE")
    assert f"“{split['sku']}”" in answer.json()["error"]["message"]
    assert answer.json()["error"]["details"] == {"usedBy": [split["id"]]}


class TestCreate:
    async def test_needs_no_category_and_has_no_fiscal_fields(self, shelf: Shelf) -> None:
        course, mug = await parts_of(shelf)
        item = await shelf.add(split_of(("curso", 70), ("caneca", 30)))
        assert body_of(item) == {
            "type": "split", "name": "Curso com caneca", "sku": "kit", "category": None, "price": None,
            "guarantee": None, "fiscalFollowsCompanyDefaults": True,
            "components": [
                {"id": course["id"], "sku": "curso", "percentage": 70},
                {"id": mug["id"], "sku": "caneca", "percentage": 30},
            ],
        }  # fmt: skip
        assert await shelf.read(item) == item
        assert data_of(await shelf.get(type="split")) == [item]

    async def test_takes_parts_by_sku_by_id_and_by_both(self, shelf: Shelf) -> None:
        course, mug = await parts_of(shelf)
        await shelf.add(COURSE, sku="outro")
        body = split_of(("outro", 33.3333)) | {"category": "course", "price": 99.9}
        body["components"] += [
            {"id": course["id"].lower(), "percentage": 33.3333},
            {"id": mug["id"], "sku": "caneca", "percentage": 33.3334},
        ]
        item = await shelf.add(body)
        told = [(part["sku"], part["percentage"]) for part in item["components"]]
        assert told == [("outro", 33.3333), ("curso", 33.3333), ("caneca", 33.3334)]
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
    async def test_refuses_parts_that_make_no_whole(
        self, shelf: Shelf, parts: list[tuple[str, float]], wrong: dict[str, str]
    ) -> None:
        await parts_of(shelf)
        assert fields_of(await shelf.post(split_of(*parts))) == wrong

    async def test_refuses_parts_that_name_no_item_of_the_catalog(self, shelf: Shelf) -> None:
        other = await (await new_shelf(shelf.caller, OTHER_CNPJ)).add(COURSE)
        course, mug = await parts_of(shelf)
        data_of(await shelf.delete(mug["id"]))
        body = split_of(("caneca", 25))
        body["components"] += [
            {"id": ABSENT_ITEM, "percentage": 25},
            {"id": other["id"], "percentage": 25},
            {"id": course["id"], "sku": "caneca", "percentage": 25},
        ]
        assert fields_of(await shelf.post(body)) == {
            "components[0].sku": "Não há item com este SKU no catálogo.",
            "components[1].id": "Não há item com este id no catálogo.",
            "components[2].id": "Não há item com este id no catálogo.",
            "components[3].id": "O item com este id tem outro SKU, “curso”.",
        }
        body["components"] = [{"percentage": 50}, {"sku": "curso", "id": "1", "percentage": 50}]
        assert fields_of(await shelf.post(body)) == {
            "components[0]": "Informe sku ou id.",
            "components[1].id": "Formato inválido: informe os 26 caracteres do id, e não “1”.",
        }

    async def test_refuses_splits_as_parts(self, shelf: Shelf) -> None:
        await shelf.split()
        answer = await shelf.post(split_of(("kit", 50), ("curso", 50)) | {"sku": "kit-2"})
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
    async def test_refuses_fiscal_fields(self, shelf: Shelf, name: str, value: Any, owners: str) -> None:
        await parts_of(shelf)
        body = split_of(("curso", 70), ("caneca", 30)) | {name: value}
        assert fields_of(await shelf.post(body)) == {name: f"Campo de itens do tipo {owners}."}


class TestReplace:
    async def test_with_what_was_read_changes_nothing(self, shelf: Shelf) -> None:
        item = await shelf.split(price=100)
        assert body_of(data_of(await shelf.put(item["id"], body_of(item)))) == body_of(item)

    async def test_a_part_keeps_its_place_under_another_sku(self, shelf: Shelf) -> None:
        course, _ = await parts_of(shelf)
        item = await shelf.add(split_of(("curso", 70), ("caneca", 30)))
        data_of(await shelf.put(course["id"], COURSE | {"sku": "aulas"}))
        assert [part["sku"] for part in (await shelf.read(item))["components"]] == ["aulas", "caneca"]

    async def test_an_item_can_t_divide_into_itself(self, shelf: Shelf) -> None:
        course, _ = await parts_of(shelf)
        body = split_of(("curso", 70), ("caneca", 30)) | {"sku": "curso"}
        assert fields_of(await shelf.put(course["id"], body)) == {
            "components[0].sku": "Um item não se divide em si mesmo."
        }

    async def test_a_part_can_t_become_a_split(self, shelf: Shelf) -> None:
        item = await shelf.split()
        mug = item["components"][1]
        await shelf.add(MUG, sku="outra")
        body = split_of(("curso", 70), ("outra", 30)) | {"sku": "caneca"}
        refused_for_use(await shelf.put(mug["id"], body), item)

    async def test_may_make_a_service_of_it(self, shelf: Shelf) -> None:
        item = await shelf.split()
        changed = data_of(await shelf.put(item["id"], COURSE | {"sku": "kit"}))
        assert (changed["type"], "components" in changed) == ("service", False)
        data_of(await shelf.delete(item["components"][0]["id"]))


class TestDelete:
    async def test_a_part_stays_while_a_split_has_it(self, shelf: Shelf) -> None:
        item = await shelf.split()
        course = item["components"][0]
        refused_for_use(await shelf.delete(course["id"]), item)
        data_of(await shelf.delete(item["id"]))
        assert data_of(await shelf.delete(course["id"])) == {"id": course["id"], "deleted": True}

    async def test_of_a_part_and_a_split_of_it_at_once_one_wins(self, shelf: Shelf) -> None:
        for _ in range(5):
            course, mug = await parts_of(shelf)
            made, deleted = await asyncio.gather(
                shelf.post(split_of(("curso", 70), ("caneca", 30))), shelf.delete(mug["id"])
            )
            assert {made.status_code, deleted.status_code} in ({200, 409}, {422, 200})
            if made.status_code == 200:
                data_of(await shelf.delete(data_of(made)["id"]))
                data_of(await shelf.delete(mug["id"]))
            data_of(await shelf.delete(course["id"]))
