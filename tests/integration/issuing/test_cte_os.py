"""CT-e OS through the API: created in their own collection, and read, listed and changed among the CT-e."""

import asyncio
from typing import Any

import pytest
from lxml import etree

from integration.issuing.actions import xml_of
from integration.issuing.shop import CTE, CTE_OS, CTE_SETTINGS, Shop, accepted, changed, error_of
from pdf_reading import text_of
from support import data_of

VALUABLES = CTE_OS | {"serviceType": "valuables", "serviceDescription": "Valores", "charter": None}
GUIDE = {
    "number": "4501",
    "id": "AIDF-77",
    "issueDate": "2026-11-14",
    "checkDigit": "3",
    "volumes": 4,
    "species": [{"type": "cash", "amount": 250000}],
    "shipper": {"taxId": "66777888000181", "state": "SP", "name": "Banco Paulistano S.A."},
    "recipient": {"taxId": "11444777000161", "state": "RJ", "name": "Lojas Guanabara Ltda"},
}


async def create(shop: Shop, **changes: Any) -> dict[str, Any]:
    return accepted(await shop.post("/cte-os", changed(CTE_OS, changes)))


async def issue(shop: Shop, **changes: Any) -> dict[str, Any]:
    return await shop.settled(await create(shop, **changes))


@pytest.fixture
async def issued(shop: Shop) -> dict[str, Any]:
    """An authorized CT-e OS."""
    return await issue(shop)


class TestIssuing:
    async def test_cte_os_is_authorized_by_its_own_reception(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        assert (issued["status"], issued["type"], issued["amount"]) == ("authorized", "cteOs", 59.8)
        assert issued["accessKey"][20:22] == "67"
        root = etree.fromstring(await xml_of(shop, issued | {"type": "cte"}))
        assert etree.QName(root).localname == "cteOSProc"
        assert [etree.QName(child).localname for child in root] == ["CTeOS", "protCTe"]
        assert [entry["service"] for entry in await shop.journal(issued)] == ["CTeRecepcaoOSV4"]

    async def test_cte_and_cte_os_are_listed_together_with_numbers_of_their_own(self, shop: Shop) -> None:
        documents = [await issue(shop), await shop.issue("cte")]
        listed = data_of(await shop.get("/cte"))
        assert {(row["type"], row["id"]) for row in listed} == {(row["type"], row["id"]) for row in documents}
        assert [row["number"] for row in documents] == [1, 1]
        unified = data_of(await shop.get("/invoices", type="cteOs"))
        assert [row["id"] for row in unified] == [documents[0]["id"]]

    async def test_cte_and_cte_os_share_their_idempotency_keys(self, shop: Shop) -> None:
        first = await create(shop, externalId="pedido-1")
        replay = await shop.post("/cte", CTE | {"externalId": "pedido-1"})
        assert (replay.status_code, replay.headers["Idempotent-Replayed"]) == (200, "true")
        assert data_of(replay)["id"] == first["id"]

    async def test_lost_answer_is_consulted_and_nothing_is_sent_again(self, shop: Shop) -> None:
        document = await issue(shop, notes="SIMULA:RESPOSTA_PERDIDA")
        assert document["status"] == "authorized"
        services = [entry["service"] for entry in await shop.journal(document)]
        assert services == ["CTeRecepcaoOSV4", "CTeConsultaV4"]

    async def test_broken_rules_are_reported_all_at_once(self, shop: Shop) -> None:
        body = changed(CTE_OS, {"takerParty": None, "taf": None, "charter": None, "cfop": "6357"})
        details = error_of(await shop.post("/cte-os", body), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["757", "840", "841"]

    async def test_cte_os_follows_switch_and_environment_of_cte(self, shop: Shop) -> None:
        await shop.put_settings(cte=CTE_SETTINGS | {"active": False, "environment": "homologation"})
        draft = await create(shop)
        assert (draft["status"], draft["environment"]) == ("pending", "homologation")
        refused = await shop.post(f"/invoices/{draft['id']}/emit")
        assert error_of(refused, 422, "COMPANY_NOT_READY")["missing"] == ["cte.active"]
        await shop.put_settings(cte={"active": True})
        accepted(await shop.post(f"/invoices/{draft['id']}/emit"))
        assert (await shop.settled(draft))["status"] == "authorized"

    async def test_numbers_of_cte_os_are_those_of_the_environment_of_cte(self, shop: Shop) -> None:
        await shop.put_settings(cte={"environment": "homologation"}, cteOs={"number": 7})
        assert (await issue(shop))["number"] == 7
        await shop.put_settings(cte={"environment": "production"})
        assert data_of(await shop.get("/settings"))["cteOs"]["number"] == 1

    async def test_dacte_os_is_printed(self, shop: Shop, issued: dict[str, Any]) -> None:
        pdf = await shop.get(f"/cte/{issued['id']}/pdf")
        assert "DACTE OS" in text_of(pdf.content)


class TestEvents:
    async def test_cte_os_is_canceled(self, shop: Shop, issued: dict[str, Any]) -> None:
        answer = await shop.caller.http.delete(shop.path(f"/cte/{issued['id']}"))
        assert data_of(answer) == {"id": issued["id"], "status": "canceled", "type": "cteOs"}

    async def test_letter_corrects_fields_of_its_own_layout(self, shop: Shop, issued: dict[str, Any]) -> None:
        path = f"/cte/{issued['id']}/correction"
        correction = {"group": "infServico", "field": "xDescServ", "value": "Fretamento de empregados"}
        event = data_of(await shop.post(path, {"corrections": [correction]}))
        assert event["authorityCode"] == "135"
        of_cargo = {"group": "infCarga", "field": "proPred", "value": "Pessoas"}
        details = error_of(await shop.post(path, {"corrections": [of_cargo]}), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["525"]

    async def test_guides_of_valuables_are_added_once_each(self, shop: Shop) -> None:
        document = await issue(shop, **VALUABLES)
        path = f"/cte/{document['id']}/gtv"
        assert data_of(await shop.post(path, {"gtvs": [GUIDE]}))["sequence"] == 1
        more = [GUIDE | {"number": "4502"}]
        assert data_of(await shop.post(path, {"gtvs": more}))["sequence"] == 2
        details = error_of(await shop.post(path, {"gtvs": [*more, GUIDE]}), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["619", "619"]

    async def test_each_model_has_only_its_own_events(self, shop: Shop, issued: dict[str, Any]) -> None:
        delivery = {"deliveredAt": "2026-11-14T10:00:00-03:00", "recipientName": "Ana"}
        body = delivery | {"recipientDocument": "1234", "image": "iVBORw0KGgo="}
        cte = await shop.issue("cte")
        answers = await asyncio.gather(
            shop.post(f"/cte/{issued['id']}/delivery", body),
            shop.post(f"/cte/{cte['id']}/gtv", {"gtvs": [GUIDE]}),
        )
        for answer in answers:
            error_of(answer, 409, "INVALID_STATE")


class TestCorrectedDocuments:
    async def test_complement_repeats_taker_and_route_of_its_original(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        body = {"purpose": "complement", "complementedAccessKeys": [issued["accessKey"]]}
        price = {"serviceType": "passengers", "serviceAmount": 10, "icms": {}, "federalTaxes": {"inss": 0}}
        complement = await shop.settled(accepted(await shop.post("/cte-os", body | price)))
        assert complement["status"] == "authorized"
        assert any("takerParty, cfop" in warning for warning in complement["warnings"])

    async def test_substitution_must_agree_with_its_original(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        body = {"purpose": "substitution", "substitution": {"accessKey": issued["accessKey"]}}
        other = {"takerParty": CTE["recipient"], "municipalityEndIbge": "4106902"}
        answer = await shop.post("/cte-os", changed(CTE_OS, body | other))
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert [(rule["code"], rule["field"]) for rule in rules] == [
            ("560", "municipalityEndIbge"),
            ("552", "takerParty.taxId"),
        ]
