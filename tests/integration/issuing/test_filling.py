"""Documents that take from the company's catalog what their bodies lack."""

from typing import Any

import pytest

from carimbo.service.orders import DIFFERENT_BODY
from integration.issuing.actions import text_in_xml
from integration.issuing.floor import Floor
from integration.issuing.shop import ADDRESS, GOODS, NewShop, Shop, accepted, body_of, error_of
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
async def stocked(shop: Shop) -> Shop:
    """A shop that knows Maria and sells mugs."""
    data_of(await shop.post("/customers", CUSTOMER))
    data_of(await shop.post("/products", MUG))
    return shop


async def mug_of(shop: Shop) -> str:
    """The id of the mug in the catalog."""
    (item,) = data_of(await shop.get("/products"))
    return str(item["id"])


async def replace_mug(shop: Shop, **changes: Any) -> None:
    path = shop.path(f"/products/{await mug_of(shop)}")
    data_of(await shop.caller.http.put(path, json=MUG | changes))


async def item_of(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    (item,) = data_of(await shop.get(f"/{document['type']}/{document['id']}/items"))
    return dict(item)


class TestCreate:
    async def test_an_nfe_takes_recipient_and_item_from_the_catalog(self, stocked: Shop) -> None:
        document = await stocked.issue("nfe", **SPARE)
        assert document["status"] == "authorized", document
        read = [
            await text_in_xml(stocked, document, path)
            for path in ("dest/xNome", "dest/email", "enderDest/xLgr", "prod/NCM", "prod/CFOP", "prod/uCom")
        ]
        assert read == [
            "Maria da Silva", "maria@example.com", "Avenida Paulista", "69111010", "5101", "CX",
        ]  # fmt: skip
        assert await text_in_xml(stocked, document, "ICMS/ICMSSN102/CSOSN") == "400"

    async def test_an_nfce_takes_buyer_and_item_from_the_catalog(self, stocked: Shop) -> None:
        document = await stocked.issue("nfce", **SPARE)
        assert document["status"] == "authorized", document
        assert await text_in_xml(stocked, document, "dest/xNome") == "Maria da Silva"
        assert await text_in_xml(stocked, document, "prod/NCM") == "69111010"

    async def test_an_nfce_takes_an_address_for_a_delivery_alone(self, stocked: Shop) -> None:
        for presence, is_in in (("inPerson", False), ("delivery", True)):
            body = body_of("nfce", **SPARE, presence=presence)
            xml = data_of(await stocked.post("/nfce", body, dryRun="true"))["xml"]
            assert ("<enderDest>" in xml) is is_in

    @pytest.mark.parametrize("blank", [{"name": "  "}, {"address": {}}, {"address": {"street": " "}}])
    async def test_blank_values_take_the_customers(self, stocked: Shop, blank: dict[str, Any]) -> None:
        body = body_of("nfe", **SPARE | {"recipient": {"taxId": CPF} | blank})
        trial = data_of(await stocked.post("/nfe", body, dryRun="true"))
        assert trial["problems"] == []
        assert "<xLgr>Avenida Paulista</xLgr>" in trial["xml"]

    async def test_another_number_is_another_place(self, stocked: Shop) -> None:
        address = {name: value for name, value in ADDRESS.items() if name != "district"} | {"number": "9"}
        body = body_of("nfe", **SPARE | {"recipient": {"taxId": CPF, "address": address}})
        trial = data_of(await stocked.post("/nfe", body, dryRun="true"))
        assert [problem["field"] for problem in trial["problems"]] == ["recipient.address.district"]

    async def test_a_cest_goes_with_the_ncm_of_the_catalog_alone(self, stocked: Shop) -> None:
        await replace_mug(stocked, ncm="69120000", cest="2104600")
        for ncm, is_in in ((None, True), ("69111010", False)):
            body = body_of("nfe", **SPARE | {"items": [SOLD | {"ncm": ncm}]})
            xml = data_of(await stocked.post("/nfe", body, dryRun="true"))["xml"]
            assert ("<CEST>" in xml) is is_in

    @pytest.mark.parametrize(
        ("cfop", "amount"), [("5101", "65.78"), ("5910", "59.80"), ("5915", "59.80"), ("5949", "59.80")]
    )
    async def test_only_a_sale_takes_the_taxes_of_the_catalog(
        self, stocked: Shop, cfop: str, amount: str
    ) -> None:
        await replace_mug(stocked, ipi={"cst": "50", "rate": 10})
        for change in ({"items": [SOLD | {"cfop": cfop}]}, {"cfop": cfop}):
            body = body_of("nfe", **SPARE | {"payments": None} | change)
            xml = data_of(await stocked.post("/nfe", body, dryRun="true"))["xml"]
            assert (f"<vNF>{amount}</vNF>" in xml, f"<CFOP>{cfop}</CFOP>" in xml) == (True, True)

    async def test_a_recipient_in_another_state_takes_no_registration(self, shop: Shop) -> None:
        data_of(await shop.post("/customers", CUSTOMER | {"stateRegistration": "110042490114"}))
        elsewhere = ADDRESS | {"zipcode": "78005-000", "city": "Cuiabá", "state": "MT"}
        body = body_of("nfe", recipient={"taxId": CPF, "address": elsewhere})
        trial = data_of(await shop.post("/nfe", body, dryRun="true"))
        assert trial["problems"] == []
        assert "<indIEDest>9</indIEDest>" in trial["xml"]

    async def test_a_dry_run_takes_them_too(self, stocked: Shop) -> None:
        trial = data_of(await stocked.post("/nfe", body_of("nfe", **SPARE), dryRun="true"))
        assert trial["problems"] == []
        assert "<NCM>69111010</NCM>" in trial["xml"]

    async def test_the_same_body_again_is_no_different_body(self, stocked: Shop) -> None:
        body = body_of("nfe", **SPARE, externalId="pedido-1")
        accepted(await stocked.post("/nfe", body))
        again = data_of(await stocked.post("/nfe", body))
        assert DIFFERENT_BODY not in again["warnings"]

    async def test_an_unknown_customer_without_a_name_is_refused_by_its_fields(self, shop: Shop) -> None:
        required = "Campo obrigatório."
        answer = await shop.post("/nfe", body_of("nfe", recipient={"taxId": CPF}))
        assert fields_of(answer) == {"recipient.name": required}
        answer = await shop.post("/nfe", body_of("nfe", recipient={"address": ADDRESS}), dryRun="true")
        assert fields_of(answer) == {"recipient.taxId": required, "recipient.name": required}

    async def test_spaces_around_a_sku_do_not_matter(self, stocked: Shop) -> None:
        body = body_of("nfe", **SPARE | {"items": [SOLD | {"sku": " caneca "}]})
        assert "<NCM>69111010</NCM>" in data_of(await stocked.post("/nfe", body, dryRun="true"))["xml"]

    async def test_a_name_too_long_for_the_layout_is_cut_with_a_warning(self, shop: Shop) -> None:
        data_of(await shop.post("/customers", CUSTOMER | {"name": "N" * 64}))
        trial = data_of(await shop.post("/nfe", body_of("nfe", recipient={"taxId": CPF}), dryRun="true"))
        assert trial["problems"] == []
        assert f"<xNome>{'N' * 60}</xNome>" in trial["xml"]
        assert any(warning.startswith("recipient.name:") for warning in trial["warnings"])

    @pytest.mark.parametrize("sku", ["desconhecido", "curso", "CANECA"])
    async def test_an_unknown_sku_or_that_of_a_service_is_no_item_of_the_catalog(
        self, stocked: Shop, sku: str
    ) -> None:
        service = {"type": "service", "name": "Curso", "sku": "curso", "category": "curso"}
        data_of(await stocked.post("/products", service))
        body = body_of("nfe", **SPARE | {"items": [SOLD | {"sku": sku}]})
        rules = error_of(await stocked.post("/nfe", body), 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert [(rule["code"], rule["field"]) for rule in rules] == [("777", "items[0].ncm")]

    async def test_a_deleted_item_and_customer_are_not_taken(self, stocked: Shop) -> None:
        (customer,) = data_of(await stocked.get("/customers"))
        for path in (f"/products/{await mug_of(stocked)}", f"/customers/{customer['id']}"):
            data_of(await stocked.caller.http.delete(stocked.path(path)))
        answer = await stocked.post("/nfe", body_of("nfe", **SPARE))
        assert fields_of(answer) == {"recipient.name": "Campo obrigatório."}

    async def test_the_catalog_of_another_company_is_not_seen(self, stocked: Shop, new_shop: NewShop) -> None:
        other = await new_shop(stocked.caller)
        answer = await other.post("/nfe", body_of("nfe", **SPARE))
        assert fields_of(answer) == {"recipient.name": "Campo obrigatório."}


class TestOrigin:
    """Refusals of values that were never in the body."""

    FROM_THE_MUG = "O valor de items[0].icms vem do item “caneca” do catálogo."

    @staticmethod
    async def join_the_normal_regime(shop: Shop) -> None:
        """Makes the CSOSN of the mug wrong for the company."""
        regime = {"taxRegime": "normal", "pisCofinsRegime": "cumulative"}
        data_of(await shop.caller.http.put(shop.path(), json=regime))

    def assert_it_is_explained(self, problems: list[dict[str, Any]]) -> None:
        (problem,) = [problem for problem in problems if problem["code"] == "591"]
        assert problem["field"] == "items[0].icms.csosn"
        assert problem["message"].endswith(f". {self.FROM_THE_MUG}")

    @pytest.mark.parametrize("kind", GOODS)
    async def test_a_broken_rule_names_the_item_of_the_catalog(self, stocked: Shop, kind: str) -> None:
        await self.join_the_normal_regime(stocked)
        body = body_of(kind, **SPARE)
        error = error_of(await stocked.post(f"/{kind}", body), 422, "FISCAL_RULE_VIOLATION")
        self.assert_it_is_explained(error["rules"])
        self.assert_it_is_explained(data_of(await stocked.post(f"/{kind}", body, dryRun="true"))["problems"])

    async def test_a_draft_that_is_changed_or_sent_later_names_it_too(self, stocked: Shop) -> None:
        draft = await stocked.create("nfce", **SPARE, transmit="later")
        await self.join_the_normal_regime(stocked)
        for answer in (await stocked.patch(draft, notes="Presente"), await stocked.emit(draft)):
            self.assert_it_is_explained(error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"])

    async def test_a_document_that_is_reviewed_again_names_it_too(self, floor: Floor, stocked: Shop) -> None:
        async with floor.standstill():
            made = await stocked.create("nfe", **SPARE)
            await self.join_the_normal_regime(stocked)
        assert self.FROM_THE_MUG in (await stocked.settled(made))["rejection"]["message"]

    async def test_a_value_in_the_body_is_not_said_to_be_of_the_catalog(self, stocked: Shop) -> None:
        await self.join_the_normal_regime(stocked)
        body = body_of("nfe", **SPARE | {"items": [SOLD | {"icms": {"csosn": "400"}}]})
        error = error_of(await stocked.post("/nfe", body), 422, "FISCAL_RULE_VIOLATION")
        assert "catálogo" not in str(error)

    async def test_an_invalid_field_names_the_customer(self, shop: Shop) -> None:
        place = {"street": "S" * 61, "number": "1", "district": "Baixa", "countryCode": "PT"}
        data_of(await shop.post("/customers", CUSTOMER | {"address": place}))
        answer = await shop.post("/nfe", body_of("nfe", recipient={"taxId": CPF}))
        assert fields_of(answer) == {
            "recipient.address.street": "Deve ter no máximo 60 caracteres."
            " O valor de recipient.address vem do cadastro do cliente."
        }


class TestLater:
    async def test_a_stored_document_does_not_change_with_the_catalog(self, stocked: Shop) -> None:
        draft = await stocked.create("nfce", **SPARE, transmit="later")
        await replace_mug(stocked, ncm="69120000", cfop="5102")
        assert (await item_of(stocked, draft))["ncm"] == "69111010"
        assert (await stocked.post(f"/nfce/{draft['id']}/transmit")).status_code == 202
        document = await stocked.settled(draft)
        assert await text_in_xml(stocked, document, "prod/NCM") == "69111010"

    async def test_a_patch_fills_the_posted_body_anew(self, stocked: Shop) -> None:
        draft = await stocked.create("nfce", **SPARE, transmit="later")
        await replace_mug(stocked, ncm="69120000", cfop="5102")
        changed = data_of(await stocked.patch(draft, notes="Presente"))
        assert changed["version"] == 2
        assert (await item_of(stocked, changed))["ncm"] == "69120000"

    async def test_a_repeated_patch_keeps_the_posted_body(self, stocked: Shop) -> None:
        draft = await stocked.create("nfce", **SPARE, transmit="later")
        changed = data_of(await stocked.patch(draft, notes="Presente"))
        path = f"/nfce/{draft['id']}"
        posted = data_of(await stocked.get(path, include="request"))["request"]
        await replace_mug(stocked, ncm="69120000", cfop="5102")
        data_of(await stocked.patch(changed, notes="Presente"))
        assert data_of(await stocked.get(path, include="request"))["request"] == posted

    async def test_a_patch_keeps_what_it_tells_itself(self, stocked: Shop) -> None:
        draft = await stocked.create("nfce", **SPARE, transmit="later")
        changed = data_of(await stocked.patch(draft, items=[SOLD | {"ncm": "69120000"}]))
        item = await item_of(stocked, changed)
        assert (item["ncm"], item["unit"]) == ("69120000", "CX")
