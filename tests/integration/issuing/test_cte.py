"""CT-e through the API: issued by the simulated authorities, filled from other documents, corrected."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from lxml import etree

from integration.issuing.actions import xml_of
from integration.issuing.shop import CARRIED_NFE, CTE, CTE_SETTINGS, RECIPIENT, Shop, accepted, error_of
from support import data_of

CANCELED_REASON = {"justification": "Carga recusada antes da coleta"}
CORRECTION = {"corrections": [{"group": "compl", "field": "xObs", "value": "Entrega na doca 4"}]}


def text_in(xml: bytes, tag: str) -> str | None:
    return etree.fromstring(xml).findtext(f".//{{*}}{tag}")


@pytest.fixture
async def issued(shop: Shop) -> dict[str, Any]:
    """An authorized CT-e."""
    return await shop.issue("cte")


class TestIssuing:
    async def test_cte_is_authorized_with_its_protocol(self, shop: Shop, issued: dict[str, Any]) -> None:
        assert (issued["status"], issued["type"], issued["amount"]) == ("authorized", "cte", 59.8)
        root = etree.fromstring(await xml_of(shop, issued))
        assert [etree.QName(child).localname for child in root] == ["CTe", "protCTe"]
        assert [entry["service"] for entry in await shop.journal(issued)] == ["CTeRecepcaoSincV4"]

    async def test_dry_run_shows_what_is_derived(self, shop: Shop) -> None:
        trial = data_of(await shop.post("/cte", {**CTE, "cfop": None}, dryRun="true"))
        assert trial["problems"] == []
        xml = trial["xml"].encode()
        assert (text_in(xml, "CFOP"), text_in(xml, "xMunFim"), text_in(xml, "RNTRC")) == (
            "6353",
            "RIO DE JANEIRO",
            "12345678",
        )

    async def test_cte_with_an_inactive_module_waits_until_it_is_emitted(self, shop: Shop) -> None:
        await shop.put_settings(cte=CTE_SETTINGS | {"active": False})
        draft = accepted(await shop.post("/cte", CTE))
        assert (draft["status"], draft["number"]) == ("pending", None)
        details = error_of(await shop.emit(draft), 422, "COMPANY_NOT_READY")
        assert details["missing"] == ["cte.active"]
        await shop.put_settings(cte=CTE_SETTINGS)
        accepted(await shop.emit(draft))
        assert (await shop.settled(draft))["status"] == "authorized"

    async def test_refused_cte_says_which_field_to_change(self, shop: Shop) -> None:
        refused = await shop.issue("cte", notes="SIMULA:REJEICAO:746")
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", "746")
        assert refused["rejection"]["hint"]


class TestEvents:
    async def test_cte_is_canceled(self, shop: Shop, issued: dict[str, Any]) -> None:
        path = shop.path(f"/cte/{issued['id']}")
        data_of(await shop.caller.http.request("DELETE", path, json=CANCELED_REASON))
        assert (await shop.read(issued))["status"] == "canceled"

    async def test_corrected_cte_can_not_be_canceled(self, shop: Shop, issued: dict[str, Any]) -> None:
        event = data_of(await shop.post(f"/cte/{issued['id']}/correction", CORRECTION))
        assert (event["status"], event["authorityCode"]) == ("authorized", "135")
        path = shop.path(f"/cte/{issued['id']}")
        answer = await shop.caller.http.request("DELETE", path, json=CANCELED_REASON)
        error_of(answer, 409, "INVALID_STATE")

    async def test_letter_can_not_correct_the_price(self, shop: Shop, issued: dict[str, Any]) -> None:
        price = {"group": "vPrest", "field": "vTPrest", "value": "10.00"}
        answer = await shop.post(f"/cte/{issued['id']}/correction", {"corrections": [price]})
        details = error_of(answer, 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [
            ("681", "corrections[0].field")
        ]


class TestFilling:
    async def test_cte_is_filled_from_the_nfe_of_its_cargo(self, shop: Shop) -> None:
        volumes = [{"quantity": 3, "kind": "CAIXA", "grossWeight": 12.5}]
        buyer = RECIPIENT | {"taxId": "11.444.777/0001-61", "stateRegistration": None}
        nfe = await shop.issue("nfe", freight={"mode": "recipient", "volumes": volumes}, recipient=buyer)
        body = {
            "documents": {"nfes": [{"accessKey": nfe["accessKey"]}], "fromInvoices": True},
            "serviceAmount": 80,
            "icms": {},
        }
        cte = await shop.settled(accepted(await shop.post("/cte", body)))
        assert cte["status"] == "authorized"
        xml = await xml_of(shop, cte)
        assert text_in(xml, "vCarga") == f"{nfe['amount']:.2f}"
        assert (text_in(xml, "qCarga"), text_in(xml, "cMunIni"), text_in(xml, "toma")) == (
            "12.5000",
            "3550308",
            "3",
        )
        assert any("fromInvoices" in warning for warning in cte["warnings"])

    async def test_unknown_nfe_can_not_fill_a_cte(self, shop: Shop) -> None:
        unknown = {"nfes": [{"accessKey": CARRIED_NFE}], "fromInvoices": True}
        body = CTE | {"documents": unknown}
        details = error_of(await shop.post("/cte", body), 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [
            ("INVOICE_UNKNOWN", "documents.nfes[0].accessKey")
        ]

    async def test_complement_repeats_the_parties_of_the_complemented_cte(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        body = {
            "purpose": "complement",
            "complementedAccessKeys": [issued["accessKey"]],
            "serviceAmount": 50,
            "icms": {},
        }
        complement = await shop.settled(accepted(await shop.post("/cte", body)))
        assert complement["status"] == "authorized"
        assert text_in(await xml_of(shop, complement), "chCTe") == issued["accessKey"]


class TestSubstitution:
    @pytest.fixture
    async def substitute(self, shop: Shop, issued: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """The CT-e that replaces the issued one; the taker's event is not required (739)."""
        await shop.system.switch(rulesOff=["739"])
        body = {
            "purpose": "substitution",
            "substitution": {"accessKey": issued["accessKey"]},
            "serviceAmount": 50,
            "icms": {},
        }
        yield await shop.settled(accepted(await shop.post("/cte", body)))
        await shop.system.switch(rulesOff=None)

    async def test_replaced_cte_stays_authorized_and_names_its_substitute(
        self, shop: Shop, issued: dict[str, Any], substitute: dict[str, Any]
    ) -> None:
        assert substitute["status"] == "authorized"
        replaced = await shop.read(issued)
        assert (replaced["status"], replaced["replacedById"]) == ("authorized", substitute["id"])
        assert (replaced["cancelableUntil"], substitute["cancelableUntil"]) == (None, None)
        entries = data_of(await shop.get(f"/cte/{issued['id']}/events"))
        assert entries[-1]["type"] == "substitution"

    async def test_substitute_can_not_be_canceled(self, shop: Shop, substitute: dict[str, Any]) -> None:
        path = shop.path(f"/cte/{substitute['id']}")
        canceled = await shop.caller.http.request("DELETE", path, json=CANCELED_REASON)
        error_of(canceled, 409, "INVALID_STATE")
        assert "(574)" in canceled.json()["error"]["message"]

    async def test_replaced_cte_can_be_neither_canceled_nor_corrected(
        self, shop: Shop, issued: dict[str, Any], substitute: dict[str, Any]
    ) -> None:
        path = shop.path(f"/cte/{issued['id']}")
        canceled = await shop.caller.http.request("DELETE", path, json=CANCELED_REASON)
        error_of(canceled, 409, "INVALID_STATE")
        assert "(576)" in canceled.json()["error"]["message"]
        corrected = await shop.post(f"/cte/{issued['id']}/correction", CORRECTION)
        error_of(corrected, 409, "INVALID_STATE")
        assert "(664)" in corrected.json()["error"]["message"]
