"""Products and services of a company's catalog: created, read, replaced and deleted, each SKU once."""

import asyncio
import re
from collections import Counter
from typing import Any

import pytest

from integration.api.product_shelf import (
    COURSE,
    GOODS_FISCAL,
    LACKING_ALONE,
    MUG,
    SERVICE_FISCAL,
    Shelf,
    body_of,
)
from support import ABSENT, ABSENT_ITEM, code_of, data_of, fields_of

ALONE = {"fiscalFollowsCompanyDefaults": False}
WHOLE = [(COURSE, SERVICE_FISCAL), (MUG, GOODS_FISCAL)]
BOTH = pytest.mark.parametrize("body", [COURSE, MUG], ids=["service", "product"])


class TestCreate:
    @BOTH
    async def test_with_what_is_required_alone(self, shelf: Shelf, body: dict[str, Any]) -> None:
        item = await shelf.add(body)
        assert re.fullmatch("[0-7][0-9A-HJKMNP-TV-Z]{25}", item["id"])
        assert item["createdAt"] == item["updatedAt"]
        told = {name: value for name, value in body_of(item).items() if value is not None}
        assert told == body | {"fiscalFollowsCompanyDefaults": True}
        assert {name: item[name] for name in ("price", "guarantee")} == {"price": None, "guarantee": None}

    @pytest.mark.parametrize(("body", "fiscal"), WHOLE, ids=["service", "product"])
    async def test_with_every_field(self, shelf: Shelf, body: dict[str, Any], fiscal: dict[str, Any]) -> None:
        told = body | fiscal | ALONE | {"price": 35.9012345678, "guarantee": 365}
        item = await shelf.add(told)
        assert body_of(item) == told
        assert await shelf.read(item) == item

    @pytest.mark.parametrize(("body", "fiscal"), WHOLE, ids=["service", "product"])
    async def test_without_a_fiscal_field_shows_it_as_null(
        self, shelf: Shelf, body: dict[str, Any], fiscal: dict[str, Any]
    ) -> None:
        item = await shelf.add(body)
        assert {name: item[name] for name in fiscal} == dict.fromkeys(fiscal)

    @pytest.mark.parametrize(
        ("body", "name", "told", "kept"),
        [
            (MUG, "ncm", "6912.00.00", "69120000"),
            (MUG, "cest", "21.046.00", "2104600"),
            (COURSE, "nbs", "1.2205.19.00", "122051900"),
            (COURSE, "cnaeCode", "8599-6/04", "8599604"),
            (COURSE, "name", "  Curso de cerâmica ", "Curso de cerâmica"),
            (COURSE, "price", 0, 0),
        ],
    )
    async def test_keeps_codes_without_punctuation(
        self, shelf: Shelf, body: dict[str, Any], name: str, told: Any, kept: Any
    ) -> None:
        assert (await shelf.add(body, **{name: told}))[name] == kept

    @BOTH
    @pytest.mark.parametrize("name", ["name", "category", "type"])
    async def test_needs_what_is_required(self, shelf: Shelf, body: dict[str, Any], name: str) -> None:
        lacking = {other: value for other, value in body.items() if other != name}
        assert fields_of(await shelf.post(lacking)) == {name: "Campo obrigatório."}

    async def test_gets_a_sku_of_its_name_if_it_has_none(self, shelf: Shelf) -> None:
        nameless = {name: value for name, value in MUG.items() if name != "sku"}
        first, second = await shelf.add(nameless), await shelf.add(nameless)
        assert first["sku"] == f"caneca-de-porcelana-{first['id'][-6:].lower()}"
        assert first["sku"] != second["sku"]
        strange = await shelf.add(nameless, name="陶器のカップ")
        assert strange["sku"] == f"item-{strange['id'][-6:].lower()}"

    async def test_keeps_its_sku_if_a_replacement_has_none(self, shelf: Shelf) -> None:
        mug = await shelf.add(MUG)
        nameless = {name: value for name, value in MUG.items() if name != "sku"}
        changed = data_of(await shelf.put(mug["id"], nameless | {"price": 12}))
        assert (changed["sku"], changed["price"]) == ("caneca", 12)

    @pytest.mark.parametrize(
        ("name", "value", "error"),
        [
            ("name", "ab", "Deve ter pelo menos 3 caracteres."),
            ("name", "x" * 65, "Deve ter no máximo 64 caracteres."),
            ("sku", "x" * 65, "Deve ter no máximo 64 caracteres."),
            ("category", "x" * 65, "Deve ter no máximo 64 caracteres."),
            ("type", "bundle", "Valor inválido: use 'service', 'product' ou 'split'."),
            ("price", -0.01, "Deve ser maior ou igual a 0."),
            ("price", "35", "Deve ser um número."),
            ("price", 0.00000000001, "Deve ter no máximo 10 casas decimais."),
            ("guarantee", 0, "Deve ser maior ou igual a 1."),
            ("guarantee", 366, "Deve ser menor ou igual a 365."),
            ("fiscalFollowsCompanyDefaults", "sim", "Deve ser true ou false."),
            ("ncm", "123", "Formato inválido: informe os 8 dígitos, por exemplo 69120000, e não “123”."),
            ("serviceItemCode", "01.05", "Campo de itens do tipo service."),
            ("components", [], "Campo de itens do tipo split."),
            ("id", ABSENT_ITEM, "Campo desconhecido."),
            ("weight", None, "Campo desconhecido."),
        ],
    )
    async def test_refuses_a_wrong_field_by_name(
        self, shelf: Shelf, name: str, value: Any, error: str
    ) -> None:
        assert fields_of(await shelf.post(MUG | {name: value})) == {name: error}

    @pytest.mark.parametrize(
        ("body", "fields"),
        [
            ({}, {"type", "name"}),
            ({"type": "kit", "name": "ab", "price": "1"}, {"type", "name", "price"}),
            ({"name": "Caneca", "ncm": "69120000", "components": [], "cor": "azul"}, {"type", "cor"}),
        ],
        ids=["empty", "wrong", "of every type"],
    )
    async def test_refuses_all_wrong_fields_at_once_without_a_type(
        self, shelf: Shelf, body: dict[str, Any], fields: set[str]
    ) -> None:
        assert fields_of(await shelf.post(body)).keys() == fields

    async def test_takes_null_in_a_field_of_another_type(self, shelf: Shelf) -> None:
        item = await shelf.add(COURSE, ncm=None, components=None)
        assert "ncm" not in item
        assert fields_of(await shelf.post(COURSE | {"sku": "other", "ncm": "69120000"})) == {
            "ncm": "Campo de itens do tipo product."
        }

    async def test_refuses_what_is_no_object(self, shelf: Shelf) -> None:
        assert fields_of(await shelf.post([COURSE])) == {"body": "Deve ser um objeto JSON."}

    @pytest.mark.parametrize(
        ("body", "lacking"),
        [(COURSE, ["serviceItemCode", "iss"]), (MUG, ["ncm", "cfop", "icms.cst"])],
        ids=["service", "product"],
    )
    async def test_alone_needs_all_that_the_company_would_give(
        self, shelf: Shelf, body: dict[str, Any], lacking: list[str]
    ) -> None:
        assert fields_of(await shelf.post(body | ALONE)) == dict.fromkeys(lacking, LACKING_ALONE)


class TestSku:
    async def test_is_unique_in_the_catalog(self, shelf: Shelf) -> None:
        first = await shelf.add(COURSE)
        answer = await shelf.post(MUG | {"sku": "curso"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "sku", "existingId": first["id"]}

    async def test_of_twenty_at_once_one_is_made(self, shelf: Shelf) -> None:
        answers = await asyncio.gather(*(shelf.post(COURSE) for _ in range(20)))
        assert Counter(answer.status_code for answer in answers) == {409: 19, 200: 1}
        (made,) = data_of(await shelf.get())
        named = {
            answer.json()["error"]["details"]["existingId"] for answer in answers if answer.status_code == 409
        }
        assert named == {made["id"]}

    async def test_of_another_company_may_be_the_same(self, shelf: Shelf, other_shelf: Shelf) -> None:
        assert (await shelf.add(COURSE))["id"] != (await other_shelf.add(COURSE))["id"]

    async def test_is_free_again_after_a_delete(self, shelf: Shelf) -> None:
        first = await shelf.add(COURSE)
        data_of(await shelf.delete(first["id"]))
        assert (await shelf.add(COURSE))["id"] != first["id"]

    async def test_of_another_item_can_t_be_taken_over(self, shelf: Shelf) -> None:
        course, mug = await shelf.add(COURSE), await shelf.add(MUG)
        answer = await shelf.put(mug["id"], MUG | {"sku": "curso"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "sku", "existingId": course["id"]}
        assert await shelf.read(mug) == mug


class TestReplace:
    @pytest.mark.parametrize(("body", "fiscal"), WHOLE, ids=["service", "product"])
    async def test_with_what_was_read_changes_nothing(
        self, shelf: Shelf, body: dict[str, Any], fiscal: dict[str, Any]
    ) -> None:
        item = await shelf.add(body, **fiscal, price=10.5)
        again = data_of(await shelf.put(item["id"], body_of(item)))
        assert body_of(again) == body_of(item)
        assert (again["id"], again["createdAt"]) == (item["id"], item["createdAt"])
        assert again["updatedAt"] > item["updatedAt"]

    async def test_clears_what_is_null(self, shelf: Shelf) -> None:
        item = await shelf.add(MUG, **GOODS_FISCAL, price=10.5, guarantee=7)
        nothing = dict.fromkeys([*GOODS_FISCAL, "price", "guarantee"])
        data_of(await shelf.put(item["id"], nothing | {"name": "Caneca nova"}))
        told = {name: value for name, value in body_of(await shelf.read(item)).items() if value is not None}
        assert told == MUG | {"name": "Caneca nova", "fiscalFollowsCompanyDefaults": True}

    async def test_may_change_the_type(self, shelf: Shelf) -> None:
        item = await shelf.add(MUG, **GOODS_FISCAL)
        changed = data_of(await shelf.put(item["id"], COURSE | {"sku": "caneca"}))
        assert (changed["type"], "ncm" in changed) == ("service", False)

    async def test_needs_as_much_as_a_new_item(self, shelf: Shelf) -> None:
        item = await shelf.add(COURSE)
        assert set(fields_of(await shelf.put(item["id"], COURSE | ALONE))) == {"serviceItemCode", "iss"}


class TestById:
    @pytest.mark.parametrize("written", [str.upper, str.lower])
    async def test_an_id_may_be_in_lower_case(self, shelf: Shelf, written: Any) -> None:
        item = await shelf.add(COURSE)
        told = written(item["id"])
        assert data_of(await shelf.get(f"/{told}")) == item
        assert data_of(await shelf.put(told, COURSE))["id"] == item["id"]
        assert data_of(await shelf.delete(told)) == {"id": item["id"], "deleted": True}

    async def test_an_item_that_never_was_is_not_found(self, shelf: Shelf) -> None:
        await shelf.add(COURSE)
        answers = [
            await shelf.get(f"/{ABSENT_ITEM}"), await shelf.put(ABSENT_ITEM, COURSE),
            await shelf.delete(ABSENT_ITEM),
        ]  # fmt: skip
        assert [(one.status_code, code_of(one)) for one in answers] == [(404, "NOT_FOUND")] * 3

    async def test_what_is_deleted_is_not_found(self, shelf: Shelf) -> None:
        item = await shelf.add(COURSE)
        data_of(await shelf.delete(item["id"]))
        answers = [
            await shelf.get(f"/{item['id']}"), await shelf.put(item["id"], COURSE),
            await shelf.delete(item["id"]),
        ]  # fmt: skip
        assert [(one.status_code, code_of(one)) for one in answers] == [(404, "NOT_FOUND")] * 3
        assert await shelf.found() == []

    async def test_an_item_of_another_company_is_not_found(self, shelf: Shelf, other_shelf: Shelf) -> None:
        item = await shelf.add(COURSE)
        answers = [
            await other_shelf.get(f"/{item['id']}"), await other_shelf.put(item["id"], COURSE),
            await other_shelf.delete(item["id"]),
        ]  # fmt: skip
        assert [(one.status_code, code_of(one)) for one in answers] == [(404, "NOT_FOUND")] * 3
        assert await shelf.read(item) == item

    @pytest.mark.parametrize("told", ["1", "8" + ABSENT_ITEM[1:], ABSENT])
    async def test_what_is_no_id_is_refused(self, shelf: Shelf, told: str) -> None:
        assert fields_of(await shelf.get(f"/{told}")) == {
            "id": f"Formato inválido: informe os 26 caracteres do id, e não “{told}”."
        }
