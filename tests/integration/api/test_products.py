"""Products and services of a catalog: created, read, replaced and deleted; SKUs are unique."""

import asyncio
import re
from collections import Counter
from typing import Any

import pytest

from integration.api.product_api import (
    COURSE,
    GOODS_FISCAL,
    LACKING_ALONE,
    MUG,
    SERVICE_FISCAL,
    ProductApi,
    body_of,
)
from support import ABSENT, ABSENT_ITEM, code_of, data_of, fields_of

ALONE = {"fiscalFollowsCompanyDefaults": False}
WHOLE = [(COURSE, SERVICE_FISCAL), (MUG, GOODS_FISCAL)]
BOTH = pytest.mark.parametrize("body", [COURSE, MUG], ids=["service", "product"])


class TestCreate:
    @BOTH
    async def test_item_is_created_with_required_fields_alone(
        self, products: ProductApi, body: dict[str, Any]
    ) -> None:
        item = await products.add(body)
        assert re.fullmatch("[0-7][0-9A-HJKMNP-TV-Z]{25}", item["id"])
        assert item["createdAt"] == item["updatedAt"]
        filled = {name: value for name, value in body_of(item).items() if value is not None}
        assert filled == body | {"fiscalFollowsCompanyDefaults": True}
        assert {name: item[name] for name in ("price", "guarantee")} == {"price": None, "guarantee": None}

    @pytest.mark.parametrize(("body", "fiscal"), WHOLE, ids=["service", "product"])
    async def test_item_is_created_with_every_field(
        self, products: ProductApi, body: dict[str, Any], fiscal: dict[str, Any]
    ) -> None:
        whole = body | fiscal | ALONE | {"price": 35.9012345678, "guarantee": 365}
        item = await products.add(whole)
        assert body_of(item) == whole
        assert await products.read(item) == item

    @pytest.mark.parametrize(("body", "fiscal"), WHOLE, ids=["service", "product"])
    async def test_absent_fiscal_fields_are_shown_as_null(
        self, products: ProductApi, body: dict[str, Any], fiscal: dict[str, Any]
    ) -> None:
        item = await products.add(body)
        assert {name: item[name] for name in fiscal} == dict.fromkeys(fiscal)

    @pytest.mark.parametrize(
        ("body", "name", "sent", "kept"),
        [
            (MUG, "ncm", "6912.00.00", "69120000"),
            (MUG, "cest", "21.046.00", "2104600"),
            (COURSE, "nbs", "1.2205.19.00", "122051900"),
            (COURSE, "cnaeCode", "8599-6/04", "8599604"),
            (COURSE, "name", "  Curso de cerâmica ", "Curso de cerâmica"),
            (COURSE, "price", 0, 0),
        ],
    )
    async def test_codes_are_stored_without_punctuation(
        self, products: ProductApi, body: dict[str, Any], name: str, sent: Any, kept: Any
    ) -> None:
        assert (await products.add(body, **{name: sent}))[name] == kept

    @BOTH
    @pytest.mark.parametrize("name", ["name", "category", "type"])
    async def test_required_fields_are_reported(
        self, products: ProductApi, body: dict[str, Any], name: str
    ) -> None:
        lacking = {other: value for other, value in body.items() if other != name}
        assert fields_of(await products.post(lacking)) == {name: "Campo obrigatório."}

    async def test_item_without_a_sku_gets_one_from_its_name(self, products: ProductApi) -> None:
        nameless = {name: value for name, value in MUG.items() if name != "sku"}
        first, second = await products.add(nameless), await products.add(nameless)
        assert first["sku"] == f"caneca-de-porcelana-{first['id'][-6:].lower()}"
        assert first["sku"] != second["sku"]
        strange = await products.add(nameless, name="陶器のカップ")
        assert strange["sku"] == f"item-{strange['id'][-6:].lower()}"

    async def test_replacement_without_a_sku_keeps_it(self, products: ProductApi) -> None:
        mug = await products.add(MUG)
        nameless = {name: value for name, value in MUG.items() if name != "sku"}
        changed = data_of(await products.put(mug["id"], nameless | {"price": 12}))
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
    async def test_wrong_field_is_refused_by_name(
        self, products: ProductApi, name: str, value: Any, error: str
    ) -> None:
        assert fields_of(await products.post(MUG | {name: value})) == {name: error}

    @pytest.mark.parametrize(
        ("body", "fields"),
        [
            ({}, {"type", "name"}),
            ({"type": "kit", "name": "ab", "price": "1"}, {"type", "name", "price"}),
            ({"name": "Caneca", "ncm": "69120000", "components": [], "cor": "azul"}, {"type", "cor"}),
        ],
        ids=["empty", "wrong", "of every type"],
    )
    async def test_all_wrong_fields_are_refused_at_once_without_a_type(
        self, products: ProductApi, body: dict[str, Any], fields: set[str]
    ) -> None:
        assert fields_of(await products.post(body)).keys() == fields

    async def test_null_in_a_field_of_another_type_is_accepted(self, products: ProductApi) -> None:
        item = await products.add(COURSE, ncm=None, components=None)
        assert "ncm" not in item
        assert fields_of(await products.post(COURSE | {"sku": "other", "ncm": "69120000"})) == {
            "ncm": "Campo de itens do tipo product."
        }

    async def test_body_that_is_no_object_is_refused(self, products: ProductApi) -> None:
        assert fields_of(await products.post([COURSE])) == {"body": "Deve ser um objeto JSON."}

    @pytest.mark.parametrize(
        ("body", "lacking"),
        [(COURSE, ["serviceItemCode", "iss"]), (MUG, ["ncm", "cfop", "icms.cst"])],
        ids=["service", "product"],
    )
    async def test_item_without_company_defaults_needs_their_fields(
        self, products: ProductApi, body: dict[str, Any], lacking: list[str]
    ) -> None:
        assert fields_of(await products.post(body | ALONE)) == dict.fromkeys(lacking, LACKING_ALONE)


class TestSku:
    async def test_sku_is_unique_in_the_catalog(self, products: ProductApi) -> None:
        first = await products.add(COURSE)
        answer = await products.post(MUG | {"sku": "curso"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "sku", "existingId": first["id"]}

    async def test_simultaneous_requests_with_one_sku_create_one_item(self, products: ProductApi) -> None:
        answers = await asyncio.gather(*(products.post(COURSE) for _ in range(20)))
        assert Counter(answer.status_code for answer in answers) == {409: 19, 200: 1}
        (created,) = data_of(await products.get())
        named = {
            answer.json()["error"]["details"]["existingId"] for answer in answers if answer.status_code == 409
        }
        assert named == {created["id"]}

    async def test_two_companies_may_use_the_same_sku(
        self, products: ProductApi, other_products: ProductApi
    ) -> None:
        assert (await products.add(COURSE))["id"] != (await other_products.add(COURSE))["id"]

    async def test_sku_is_free_again_after_a_deletion(self, products: ProductApi) -> None:
        first = await products.add(COURSE)
        data_of(await products.delete(first["id"]))
        assert (await products.add(COURSE))["id"] != first["id"]

    async def test_sku_of_another_item_is_refused(self, products: ProductApi) -> None:
        course, mug = await products.add(COURSE), await products.add(MUG)
        answer = await products.put(mug["id"], MUG | {"sku": "curso"})
        assert (answer.status_code, code_of(answer)) == (409, "DUPLICATE_RESOURCE")
        assert answer.json()["error"]["details"] == {"field": "sku", "existingId": course["id"]}
        assert await products.read(mug) == mug


class TestReplace:
    @pytest.mark.parametrize(("body", "fiscal"), WHOLE, ids=["service", "product"])
    async def test_put_of_a_record_as_read_changes_nothing(
        self, products: ProductApi, body: dict[str, Any], fiscal: dict[str, Any]
    ) -> None:
        item = await products.add(body, **fiscal, price=10.5)
        again = data_of(await products.put(item["id"], body_of(item)))
        assert body_of(again) == body_of(item)
        assert (again["id"], again["createdAt"]) == (item["id"], item["createdAt"])
        assert again["updatedAt"] > item["updatedAt"]

    async def test_put_clears_null_fields(self, products: ProductApi) -> None:
        item = await products.add(MUG, **GOODS_FISCAL, price=10.5, guarantee=7)
        nothing = dict.fromkeys([*GOODS_FISCAL, "price", "guarantee"])
        data_of(await products.put(item["id"], nothing | {"name": "Caneca nova"}))
        filled = {
            name: value for name, value in body_of(await products.read(item)).items() if value is not None
        }
        assert filled == MUG | {"name": "Caneca nova", "fiscalFollowsCompanyDefaults": True}

    async def test_put_may_change_the_type(self, products: ProductApi) -> None:
        item = await products.add(MUG, **GOODS_FISCAL)
        changed = data_of(await products.put(item["id"], COURSE | {"sku": "caneca"}))
        assert (changed["type"], "ncm" in changed) == ("service", False)

    async def test_put_needs_the_same_fields_as_a_new_item(self, products: ProductApi) -> None:
        item = await products.add(COURSE)
        assert set(fields_of(await products.put(item["id"], COURSE | ALONE))) == {"serviceItemCode", "iss"}


class TestById:
    @pytest.mark.parametrize("written", [str.upper, str.lower])
    async def test_id_may_be_in_lower_case(self, products: ProductApi, written: Any) -> None:
        item = await products.add(COURSE)
        item_id = written(item["id"])
        assert data_of(await products.get(f"/{item_id}")) == item
        assert data_of(await products.put(item_id, COURSE))["id"] == item["id"]
        assert data_of(await products.delete(item_id)) == {"id": item["id"], "deleted": True}

    async def test_unknown_item_is_not_found(self, products: ProductApi) -> None:
        await products.add(COURSE)
        answers = [
            await products.get(f"/{ABSENT_ITEM}"), await products.put(ABSENT_ITEM, COURSE),
            await products.delete(ABSENT_ITEM),
        ]  # fmt: skip
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 3

    async def test_deleted_item_is_not_found(self, products: ProductApi) -> None:
        item = await products.add(COURSE)
        data_of(await products.delete(item["id"]))
        answers = [
            await products.get(f"/{item['id']}"), await products.put(item["id"], COURSE),
            await products.delete(item["id"]),
        ]  # fmt: skip
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 3
        assert await products.skus() == []

    async def test_item_of_another_company_is_not_found(
        self, products: ProductApi, other_products: ProductApi
    ) -> None:
        item = await products.add(COURSE)
        answers = [
            await other_products.get(f"/{item['id']}"), await other_products.put(item["id"], COURSE),
            await other_products.delete(item["id"]),
        ]  # fmt: skip
        assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 3
        assert await products.read(item) == item

    @pytest.mark.parametrize("item_id", ["1", "8" + ABSENT_ITEM[1:], ABSENT])
    async def test_malformed_id_is_refused(self, products: ProductApi, item_id: str) -> None:
        assert fields_of(await products.get(f"/{item_id}")) == {
            "id": f"Formato inválido: informe os 26 caracteres do id, e não “{item_id}”."
        }
