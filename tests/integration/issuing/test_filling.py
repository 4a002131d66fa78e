"""Documents whose missing fields are filled from the company's catalog."""

from typing import Any

import pytest

from carimbo.service.orders import DIFFERENT_BODY
from integration.issuing.actions import text_in_xml
from integration.issuing.shop import ADDRESS, GOODS, NewShop, Shop, accepted, body_of, error_of
from integration.issuing.system import System
from support import data_of, fields_of

CPF = "529.982.247-25"
CUSTOMER = {"name": "Maria da Silva", "email": "maria@example.com", "document": CPF, "address": ADDRESS}
MUG = {
    "type": "product", "name": "Caneca", "sku": "caneca", "category": "casa", "ncm": "69111010",
    "cfop": "5101", "unit": "CX", "icms": {"csosn": "400"},
}  # fmt: skip
SOLD = {"description": "Caneca", "sku": "caneca", "quantity": 2, "unitValue": 29.9}
SPARE: dict[str, Any] = {"recipient": {"taxId": CPF}, "items": [SOLD]}


@pytest.fixture
async def catalog_shop(shop: Shop) -> Shop:
    """A shop with Maria as a customer and a mug as a product."""
    data_of(await shop.post("/customers", CUSTOMER))
    data_of(await shop.post("/products", MUG))
    return shop


async def mug_of(shop: Shop) -> str:
    """Returns the id of the mug in the catalog."""
    (item,) = data_of(await shop.get("/products"))
    return str(item["id"])


async def replace_mug(shop: Shop, **changes: Any) -> None:
    path = shop.path(f"/products/{await mug_of(shop)}")
    data_of(await shop.caller.http.put(path, json=MUG | changes))


async def item_of(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    (item,) = data_of(await shop.get(f"/{document['type']}/{document['id']}/items"))
    return dict(item)


class TestCreate:
    async def test_nfe_takes_recipient_and_item_from_the_catalog(self, catalog_shop: Shop) -> None:
        document = await catalog_shop.issue("nfe", **SPARE)
        assert document["status"] == "authorized", document
        read = [
            await text_in_xml(catalog_shop, document, path)
            for path in ("dest/xNome", "dest/email", "enderDest/xLgr", "prod/NCM", "prod/CFOP", "prod/uCom")
        ]
        assert read == [
            "Maria da Silva", "maria@example.com", "Avenida Paulista", "69111010", "5101", "CX",
        ]  # fmt: skip
        assert await text_in_xml(catalog_shop, document, "ICMS/ICMSSN102/CSOSN") == "400"

    async def test_nfce_takes_buyer_and_item_from_the_catalog(self, catalog_shop: Shop) -> None:
        document = await catalog_shop.issue("nfce", **SPARE)
        assert document["status"] == "authorized", document
        assert await text_in_xml(catalog_shop, document, "dest/xNome") == "Maria da Silva"
        assert await text_in_xml(catalog_shop, document, "prod/NCM") == "69111010"

    async def test_nfce_takes_the_address_of_the_catalog_only_for_a_delivery(
        self, catalog_shop: Shop
    ) -> None:
        for presence, is_in in (("inPerson", False), ("delivery", True)):
            body = body_of("nfce", **SPARE, presence=presence)
            xml = data_of(await catalog_shop.post("/nfce", body, dryRun="true"))["xml"]
            assert ("<enderDest>" in xml) is is_in

    @pytest.mark.parametrize("blank", [{"name": "  "}, {"address": {}}, {"address": {"street": " "}}])
    async def test_blank_values_are_filled_from_the_customer(
        self, catalog_shop: Shop, blank: dict[str, Any]
    ) -> None:
        body = body_of("nfe", **SPARE | {"recipient": {"taxId": CPF} | blank})
        trial = data_of(await catalog_shop.post("/nfe", body, dryRun="true"))
        assert trial["problems"] == []
        assert "<xLgr>Avenida Paulista</xLgr>" in trial["xml"]

    async def test_address_with_another_number_is_not_filled_from_the_customer(
        self, catalog_shop: Shop
    ) -> None:
        address = {name: value for name, value in ADDRESS.items() if name != "district"} | {"number": "9"}
        body = body_of("nfe", **SPARE | {"recipient": {"taxId": CPF, "address": address}})
        trial = data_of(await catalog_shop.post("/nfe", body, dryRun="true"))
        assert [problem["field"] for problem in trial["problems"]] == ["recipient.address.district"]

    async def test_cest_of_the_catalog_is_used_only_with_its_ncm(self, catalog_shop: Shop) -> None:
        await replace_mug(catalog_shop, ncm="69120000", cest="2104600")
        for ncm, is_in in ((None, True), ("69111010", False)):
            body = body_of("nfe", **SPARE | {"items": [SOLD | {"ncm": ncm}]})
            xml = data_of(await catalog_shop.post("/nfe", body, dryRun="true"))["xml"]
            assert ("<CEST>" in xml) is is_in

    @pytest.mark.parametrize(
        ("cfop", "amount"), [("5101", "65.78"), ("5910", "59.80"), ("5915", "59.80"), ("5949", "59.80")]
    )
    async def test_taxes_of_the_catalog_are_used_only_for_a_sale(
        self, catalog_shop: Shop, cfop: str, amount: str
    ) -> None:
        await replace_mug(catalog_shop, ipi={"cst": "50", "rate": 10})
        for change in ({"items": [SOLD | {"cfop": cfop}]}, {"cfop": cfop}):
            body = body_of("nfe", **SPARE | {"payments": None} | change)
            xml = data_of(await catalog_shop.post("/nfe", body, dryRun="true"))["xml"]
            assert (f"<vNF>{amount}</vNF>" in xml, f"<CFOP>{cfop}</CFOP>" in xml) == (True, True)

    async def test_recipient_in_another_state_takes_no_state_registration(self, shop: Shop) -> None:
        data_of(await shop.post("/customers", CUSTOMER | {"stateRegistration": "110042490114"}))
        elsewhere = ADDRESS | {"zipcode": "78005-000", "city": "Cuiabá", "state": "MT"}
        body = body_of("nfe", recipient={"taxId": CPF, "address": elsewhere})
        trial = data_of(await shop.post("/nfe", body, dryRun="true"))
        assert trial["problems"] == []
        assert "<indIEDest>9</indIEDest>" in trial["xml"]

    async def test_dry_run_is_filled_from_the_catalog(self, catalog_shop: Shop) -> None:
        trial = data_of(await catalog_shop.post("/nfe", body_of("nfe", **SPARE), dryRun="true"))
        assert trial["problems"] == []
        assert "<NCM>69111010</NCM>" in trial["xml"]

    async def test_repeated_body_is_no_different_body(self, catalog_shop: Shop) -> None:
        body = body_of("nfe", **SPARE, externalId="pedido-1")
        accepted(await catalog_shop.post("/nfe", body))
        again = data_of(await catalog_shop.post("/nfe", body))
        assert DIFFERENT_BODY not in again["warnings"]

    async def test_unknown_customer_without_a_name_is_invalid(self, shop: Shop) -> None:
        required = "Campo obrigatório."
        answer = await shop.post("/nfe", body_of("nfe", recipient={"taxId": CPF}))
        assert fields_of(answer) == {"recipient.name": required}
        answer = await shop.post("/nfe", body_of("nfe", recipient={"address": ADDRESS}), dryRun="true")
        assert fields_of(answer) == {"recipient.taxId": required, "recipient.name": required}

    async def test_spaces_around_a_sku_are_ignored(self, catalog_shop: Shop) -> None:
        body = body_of("nfe", **SPARE | {"items": [SOLD | {"sku": " caneca "}]})
        assert "<NCM>69111010</NCM>" in data_of(await catalog_shop.post("/nfe", body, dryRun="true"))["xml"]

    async def test_name_too_long_for_the_layout_is_cut_with_a_warning(self, shop: Shop) -> None:
        data_of(await shop.post("/customers", CUSTOMER | {"name": "N" * 64}))
        trial = data_of(await shop.post("/nfe", body_of("nfe", recipient={"taxId": CPF}), dryRun="true"))
        assert trial["problems"] == []
        assert f"<xNome>{'N' * 60}</xNome>" in trial["xml"]
        assert any(warning.startswith("recipient.name:") for warning in trial["warnings"])

    @pytest.mark.parametrize("sku", ["desconhecido", "curso", "CANECA"])
    async def test_sku_that_is_unknown_or_of_a_service_is_not_filled(
        self, catalog_shop: Shop, sku: str
    ) -> None:
        service = {"type": "service", "name": "Curso", "sku": "curso", "category": "curso"}
        data_of(await catalog_shop.post("/products", service))
        body = body_of("nfe", **SPARE | {"items": [SOLD | {"sku": sku}]})
        rules = error_of(await catalog_shop.post("/nfe", body), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert [(rule["code"], rule["field"]) for rule in rules] == [("777", "items[0].ncm")]

    async def test_deleted_item_and_customer_are_not_used(self, catalog_shop: Shop) -> None:
        (customer,) = data_of(await catalog_shop.get("/customers"))
        for path in (f"/products/{await mug_of(catalog_shop)}", f"/customers/{customer['id']}"):
            data_of(await catalog_shop.caller.http.delete(catalog_shop.path(path)))
        answer = await catalog_shop.post("/nfe", body_of("nfe", **SPARE))
        assert fields_of(answer) == {"recipient.name": "Campo obrigatório."}

    async def test_catalog_of_another_company_is_not_used(
        self, catalog_shop: Shop, new_shop: NewShop
    ) -> None:
        other = await new_shop(catalog_shop.caller)
        answer = await other.post("/nfe", body_of("nfe", **SPARE))
        assert fields_of(answer) == {"recipient.name": "Campo obrigatório."}


class TestOrigin:
    """Errors about values that come from the catalog."""

    FROM_THE_MUG = "O valor de items[0].icms vem do item “caneca” do catálogo."

    @staticmethod
    async def move_to_the_normal_regime(shop: Shop) -> None:
        """Makes the CSOSN of the mug invalid for the company."""
        regime = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=regime))

    def assert_the_catalog_is_named(self, problems: list[dict[str, Any]]) -> None:
        (problem,) = [problem for problem in problems if problem["code"] == "591"]
        assert problem["field"] == "items[0].icms.csosn"
        assert problem["message"].endswith(f". {self.FROM_THE_MUG}")

    @pytest.mark.parametrize("document_type", GOODS)
    async def test_rule_violation_names_the_item_of_the_catalog(
        self, catalog_shop: Shop, document_type: str
    ) -> None:
        await self.move_to_the_normal_regime(catalog_shop)
        body = body_of(document_type, **SPARE)
        error = error_of(await catalog_shop.post(f"/{document_type}", body), 422, "FISCAL_RULE_VIOLATION")
        self.assert_the_catalog_is_named(error["rules"])
        self.assert_the_catalog_is_named(
            data_of(await catalog_shop.post(f"/{document_type}", body, dryRun="true"))["problems"]
        )

    async def test_rule_violation_of_a_changed_or_sent_draft_names_the_item(self, catalog_shop: Shop) -> None:
        draft = await catalog_shop.create("nfce", **SPARE, transmit="later")
        await self.move_to_the_normal_regime(catalog_shop)
        for answer in (await catalog_shop.patch(draft, notes="Presente"), await catalog_shop.emit(draft)):
            self.assert_the_catalog_is_named(error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"])

    async def test_rejection_when_a_document_is_checked_again_names_the_item(
        self, system: System, catalog_shop: Shop
    ) -> None:
        async with system.worker_stopped():
            document = await catalog_shop.create("nfe", **SPARE)
            await self.move_to_the_normal_regime(catalog_shop)
        assert self.FROM_THE_MUG in (await catalog_shop.settled(document))["rejection"]["message"]

    async def test_rule_violation_of_a_value_in_the_body_does_not_mention_the_catalog(
        self, catalog_shop: Shop
    ) -> None:
        await self.move_to_the_normal_regime(catalog_shop)
        body = body_of("nfe", **SPARE | {"items": [SOLD | {"icms": {"csosn": "400"}}]})
        error = error_of(await catalog_shop.post("/nfe", body), 422, "FISCAL_RULE_VIOLATION")
        assert "catálogo" not in str(error)

    async def test_invalid_field_names_the_customer(self, shop: Shop) -> None:
        address = {"street": "S" * 61, "number": "1", "district": "Baixa", "countryCode": "PT"}
        data_of(await shop.post("/customers", CUSTOMER | {"address": address}))
        answer = await shop.post("/nfe", body_of("nfe", recipient={"taxId": CPF}))
        assert fields_of(answer) == {
            "recipient.address.street": "Deve ter no máximo 60 caracteres."
            " O valor de recipient.address vem do cadastro do cliente."
        }


class TestLater:
    async def test_stored_document_does_not_change_with_the_catalog(self, catalog_shop: Shop) -> None:
        draft = await catalog_shop.create("nfce", **SPARE, transmit="later")
        await replace_mug(catalog_shop, ncm="69120000", cfop="5102")
        assert (await item_of(catalog_shop, draft))["ncm"] == "69111010"
        assert (await catalog_shop.post(f"/nfce/{draft['id']}/transmit")).status_code == 202
        document = await catalog_shop.settled(draft)
        assert await text_in_xml(catalog_shop, document, "prod/NCM") == "69111010"

    async def test_patch_fills_the_posted_body_again(self, catalog_shop: Shop) -> None:
        draft = await catalog_shop.create("nfce", **SPARE, transmit="later")
        await replace_mug(catalog_shop, ncm="69120000", cfop="5102")
        changed = data_of(await catalog_shop.patch(draft, notes="Presente"))
        assert changed["version"] == 2
        assert (await item_of(catalog_shop, changed))["ncm"] == "69120000"

    async def test_repeated_patch_keeps_the_posted_body(self, catalog_shop: Shop) -> None:
        draft = await catalog_shop.create("nfce", **SPARE, transmit="later")
        changed = data_of(await catalog_shop.patch(draft, notes="Presente"))
        path = f"/nfce/{draft['id']}"
        posted = data_of(await catalog_shop.get(path, include="request"))["request"]
        await replace_mug(catalog_shop, ncm="69120000", cfop="5102")
        data_of(await catalog_shop.patch(changed, notes="Presente"))
        assert data_of(await catalog_shop.get(path, include="request"))["request"] == posted

    async def test_patch_keeps_its_own_values(self, catalog_shop: Shop) -> None:
        draft = await catalog_shop.create("nfce", **SPARE, transmit="later")
        changed = data_of(await catalog_shop.patch(draft, items=[SOLD | {"ncm": "69120000"}]))
        item = await item_of(catalog_shop, changed)
        assert (item["ncm"], item["unit"]) == ("69120000", "CX")
