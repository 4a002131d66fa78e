"""MDF-e through the API: issued, changed on their way, closed, and freed when another program forgot one."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from lxml import etree

from carimbo.authorities.pacing import MAX_SAME_LIST
from integration.issuing.actions import cancel, xml_of
from integration.issuing.manifests import (
    DRIVER,
    LATER,
    PAYMENT,
    create,
    issue,
    issue_on_hired_truck,
    issue_with_cte,
)
from integration.issuing.shop import CARRIED_NFE, MDFE, Shop, accepted, changed, error_of
from pdf_reading import text_of
from support import data_of

RIO, SAO_PAULO, CAMPINAS = "3304557", "3550308", "3509502"


async def close(shop: Shop, manifest: dict[str, Any], city: str = RIO) -> Any:
    return await shop.post(f"/mdfe/{manifest['id']}/close", {"cityCode": city})


async def topics_of(shop: Shop, manifest: dict[str, Any]) -> list[str]:
    listed = data_of(await shop.caller.http.get("/v1/events"))
    return [event["event"] for event in listed if event["data"].get("id") == manifest["id"]]


async def forget(shop: Shop, manifest: dict[str, Any]) -> None:
    """Makes a manifest one of another program: the authority has it, and we don't."""
    query = "update emissions set access_key = null where access_key = $1"
    await shop.system.fetch(query, manifest["accessKey"])


@pytest.fixture
async def issued(shop: Shop) -> dict[str, Any]:
    """An authorized manifest."""
    manifest = await issue(shop)
    assert manifest["status"] == "authorized", manifest["rejection"]
    return manifest


class TestIssuing:
    async def test_manifest_is_authorized(self, shop: Shop, issued: dict[str, Any]) -> None:
        assert (issued["status"], issued["type"], issued["amount"]) == ("authorized", "mdfe", 59.8)
        assert (issued["accessKey"][20:22], issued["closedAt"]) == ("58", None)
        root = etree.fromstring(await xml_of(shop, issued))
        assert [etree.QName(child).localname for child in root] == ["MDFe", "protMDFe"]
        assert [entry["service"] for entry in await shop.journal(issued)] == ["MDFeRecepcaoSinc"]

    async def test_lost_answer_is_consulted_and_nothing_is_sent_again(self, shop: Shop) -> None:
        document = await issue(shop, additional="SIMULA:RESPOSTA_PERDIDA")
        assert document["status"] == "authorized"
        services = [entry["service"] for entry in await shop.journal(document)]
        assert services == ["MDFeRecepcaoSinc", "MDFeConsulta"]

    async def test_draft_waits_until_it_is_transmitted(self, shop: Shop) -> None:
        draft = await create(shop, transmit="later")
        assert draft["status"] == "pending"
        accepted(await shop.post(f"/mdfe/{draft['id']}/transmit"))
        assert (await shop.settled(draft))["status"] == "authorized"

    async def test_date_of_a_draft_that_waited_for_a_day_becomes_now(self, shop: Shop) -> None:
        asked_for = datetime.now(UTC) - timedelta(hours=20)
        draft = await create(shop, transmit="later", issueDate=asked_for.isoformat(timespec="seconds"))
        await shop.system.fetch(
            "update documents set request = replace(request, $2, $3),"
            " created_at = created_at - interval '10 hours' where id = $1",
            draft["id"],
            asked_for.isoformat(timespec="seconds"),
            (asked_for - timedelta(hours=10)).isoformat(timespec="seconds"),
        )
        accepted(await shop.post(f"/mdfe/{draft['id']}/transmit"))
        issued = await shop.settled(draft)
        assert issued["status"] == "authorized", issued["rejection"]
        assert datetime.fromisoformat(issued["issuedAt"]) > asked_for + timedelta(hours=19)

    async def test_carrier_has_the_rntrc_of_the_settings_of_cte(self, shop: Shop) -> None:
        body = changed(MDFE, {"issuerType": "globalizedCarrier"})
        details = error_of(await shop.post("/mdfe", body), 422, "FISCAL_RULE_VIOLATION")
        assert "688" not in {rule["code"] for rule in details["rules"]}
        await shop.put_settings(cte={"rntrc": None})
        details = error_of(await shop.post("/mdfe", body), 422, "FISCAL_RULE_VIOLATION")
        assert "688" in {rule["code"] for rule in details["rules"]}

    async def test_same_external_id_names_the_same_manifest(self, shop: Shop) -> None:
        first = await create(shop, externalId="viagem-1")
        replay = await shop.post("/mdfe", MDFE | {"externalId": "viagem-1"})
        assert (replay.status_code, data_of(replay)["id"]) == (200, first["id"])


class TestClosing:
    async def test_manifest_is_open_until_it_is_closed(self, shop: Shop, issued: dict[str, Any]) -> None:
        other = await issue(shop)
        event = data_of(await close(shop, issued))
        assert (event["type"], event["status"], event["authorityCode"]) == ("close", "authorized", "135")
        closed = await shop.read(issued)
        assert (closed["status"], closed["closedAt"] is not None) == ("authorized", True)
        of_state = {
            is_open: [row["id"] for row in data_of(await shop.get("/mdfe", open=is_open))]
            for is_open in ("true", "false")
        }
        assert of_state == {"true": [other["id"]], "false": [issued["id"]]}
        assert await topics_of(shop, issued) == ["mdfe.authorized", "mdfe.closed"]

    async def test_closing_again_returns_the_first_closing(self, shop: Shop, issued: dict[str, Any]) -> None:
        first, second = data_of(await close(shop, issued)), data_of(await close(shop, issued, CAMPINAS))
        assert first["id"] == second["id"]

    async def test_city_that_does_not_exist_is_refused(self, shop: Shop, issued: dict[str, Any]) -> None:
        details = error_of(await close(shop, issued, "3500000"), 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [("714", "cityCode")]

    async def test_closed_manifest_takes_no_driver_and_no_cancellation(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        data_of(await close(shop, issued))
        error_of(await shop.post(f"/mdfe/{issued['id']}/drivers", DRIVER), 409, "INVALID_STATE")
        path = shop.path(f"/mdfe/{issued['id']}")
        refused = await shop.caller.http.delete(path, params={"justification": "Viagem não iniciada"})
        error_of(refused, 409, "INVALID_STATE")

    async def test_closing_is_printed(self, shop: Shop, issued: dict[str, Any]) -> None:
        before = text_of((await shop.get(f"/mdfe/{issued['id']}/pdf")).content)
        data_of(await close(shop, issued))
        after = text_of((await shop.get(f"/mdfe/{issued['id']}/pdf")).content)
        assert ("ENCERRADO" in before, "ENCERRADO" in after) == (False, True)


class TestCanceling:
    async def test_justification_is_required(self, shop: Shop, issued: dict[str, Any]) -> None:
        path = shop.path(f"/mdfe/{issued['id']}")
        details = error_of(await shop.caller.http.delete(path), 422, "VALIDATION_ERROR")
        assert [field["field"] for field in details["fields"]] == ["justification"]
        answer = await shop.caller.http.delete(path, params={"justification": "Viagem não iniciada"})
        assert data_of(answer) == {"id": issued["id"], "status": "canceled", "type": "mdfe"}


class TestOnItsWay:
    async def test_driver_is_added_once_and_printed(self, shop: Shop, issued: dict[str, Any]) -> None:
        path = f"/mdfe/{issued['id']}/drivers"
        assert data_of(await shop.post(path, DRIVER))["sequence"] == 1
        assert "390.533.447-05" in text_of((await shop.get(f"/mdfe/{issued['id']}/pdf")).content)
        third = {"name": "Carlos Alberto Souza", "taxId": "111.444.777-35"}
        assert data_of(await shop.post(path, third))["sequence"] == 2
        for driver in (DRIVER, MDFE["drivers"][0]):
            details = error_of(await shop.post(path, driver), 422, "FISCAL_RULE_VIOLATION")
            assert [rule["code"] for rule in details["rules"]] == ["577"]

    async def test_documents_are_loaded_later(self, shop: Shop) -> None:
        manifest = await issue(shop, **LATER)
        details = error_of(await close(shop, manifest, SAO_PAULO), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["715"]
        included = {"cityCode": SAO_PAULO, "nfeAccessKeys": [CARRIED_NFE]}
        body = {"loadingCityCode": SAO_PAULO, "documents": [included]}
        assert data_of(await shop.post(f"/mdfe/{manifest['id']}/documents", body))["authorityCode"] == "135"
        path = shop.path(f"/mdfe/{manifest['id']}")
        refused = await shop.caller.http.delete(path, params={"justification": "Viagem não iniciada"})
        error_of(refused, 409, "INVALID_STATE")
        assert data_of(await close(shop, manifest, SAO_PAULO))["type"] == "close"

    async def test_documents_of_another_manifest_are_refused(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        included = {"cityCode": RIO, "nfeAccessKeys": [CARRIED_NFE]}
        body = {"loadingCityCode": SAO_PAULO, "documents": [included]}
        answer = await shop.post(f"/mdfe/{issued['id']}/documents", body)
        details = error_of(answer, 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["708"]

    async def test_payment_of_an_aggregated_carrier_is_registered_and_changed(self, shop: Shop) -> None:
        manifest = await issue_on_hired_truck(shop)
        path = f"/mdfe/{manifest['id']}/payments"
        body = {"trips": {"total": 2, "current": 1}, "payments": [PAYMENT]}
        assert data_of(await shop.post(path, body))["authorityCode"] == "135"
        change = {"payments": [PAYMENT | {"components": [{"type": "freight", "amount": 3100}]}]}
        answer = await shop.caller.http.put(shop.path(path), json=change)
        assert data_of(answer)["type"] == "paymentChange"

    async def test_payment_without_an_aggregated_carrier_is_refused(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        body = {"trips": {"total": 2, "current": 1}, "payments": [PAYMENT]}
        answer = await shop.post(f"/mdfe/{issued['id']}/payments", body)
        details = error_of(answer, 422, "FISCAL_RULE_VIOLATION")
        assert [rule["code"] for rule in details["rules"]] == ["723"]


class TestForgottenManifest:
    async def test_truck_is_freed_in_three_calls(self, shop: Shop) -> None:
        forgotten = await issue(shop, plate="FGH2J45")
        await forget(shop, forgotten)
        refused = await issue(shop, plate="FGH2J45")
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", "611")
        assert forgotten["accessKey"] in refused["rejection"]["hint"]
        assert forgotten["protocol"] in refused["rejection"]["hint"]

        (open_manifest,) = data_of(await shop.get("/mdfe/open-at-authority"))
        assert (open_manifest["accessKey"], open_manifest["documentId"]) == (forgotten["accessKey"], None)
        named = {name: open_manifest[name] for name in ("accessKey", "protocol")}
        closed = data_of(await shop.post("/mdfe/close-by-key", named | {"cityCode": RIO}))
        assert closed["authorityCode"] == "135"
        accepted(await shop.post(f"/invoices/{refused['id']}/emit"))
        assert (await shop.settled(refused))["status"] == "authorized"

    async def test_own_manifest_is_closed_by_its_key_like_by_its_id(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        (open_manifest,) = data_of(await shop.get("/mdfe/open-at-authority"))
        assert open_manifest["documentId"] == issued["id"]
        body = {"accessKey": issued["accessKey"], "protocol": issued["protocol"], "cityCode": RIO}
        answers = await asyncio.gather(*(shop.post("/mdfe/close-by-key", body) for _ in range(2)))
        assert {data_of(answer)["documentId"] for answer in answers} == {issued["id"]}
        assert (await shop.read(issued))["closedAt"] is not None
        assert data_of(await shop.get("/mdfe/open-at-authority")) == []

    async def test_list_of_open_manifests_is_not_asked_for_too_often(self, shop: Shop) -> None:
        for _ in range(MAX_SAME_LIST):
            data_of(await shop.get("/mdfe/open-at-authority"))
        answer = await shop.get("/mdfe/open-at-authority")
        error_of(answer, 429, "AUTHORITY_THROTTLED")
        assert 0 < int(answer.headers["Retry-After"]) <= 3600

    async def test_key_of_another_type_is_refused(self, shop: Shop) -> None:
        for key in (CARRIED_NFE, (await shop.issue("nfe"))["accessKey"]):
            body = {"accessKey": key, "protocol": "935260000000123", "cityCode": RIO}
            details = error_of(await shop.post("/mdfe/close-by-key", body), 422, "FISCAL_RULE_VIOLATION")
            assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [("236", "accessKey")]


class TestFromDocuments:
    """Manifests filled from the company's own documents."""

    async def test_nfe_fill_municipalities_value_and_weight(self, shop: Shop) -> None:
        freight = {"mode": "sender", "volumes": [{"quantity": 2, "grossWeight": 12.5}]}
        invoices = [await shop.issue("nfe", freight=freight) for _ in range(2)]
        keys = [invoice["accessKey"] for invoice in invoices]
        body = {"documents": [{"nfeAccessKeys": keys}], "modal": MDFE["modal"], "drivers": MDFE["drivers"]}
        answer = await shop.post("/mdfe", body | {"externalId": "entrega-1"}, fromDocuments="true")
        manifest = await shop.settled(accepted(answer))
        again = await shop.post("/mdfe", body | {"externalId": "entrega-1"}, fromDocuments="true")
        assert data_of(again)["warnings"] == manifest["warnings"]
        assert (manifest["status"], manifest["amount"]) == ("authorized", 119.6)
        (warning,) = [text for text in manifest["warnings"] if text.startswith("fromDocuments:")]
        assert "municipalityStartIbge" in warning
        root = etree.fromstring(await xml_of(shop, manifest))
        read = {
            tag: root.findtext(f".//{{*}}{tag}") for tag in ("cMunCarrega", "cMunDescarga", "qNFe", "qCarga")
        }
        assert read == {"cMunCarrega": SAO_PAULO, "cMunDescarga": SAO_PAULO, "qNFe": "2", "qCarga": "25.0000"}

    async def test_cte_fill_the_contractor_too(self, shop: Shop) -> None:
        waybill = await shop.issue("cte")
        manifest = await issue_with_cte(shop, waybill["accessKey"])
        root = etree.fromstring(await xml_of(shop, manifest))
        assert root.findtext(".//{*}infContratante/{*}CNPJ") == "44555666000181"
        assert root.findtext(".//{*}qCarga") == "1500.0000"

    async def test_cte_of_an_open_manifest_is_not_canceled(self, shop: Shop) -> None:
        waybill = await shop.issue("cte")
        manifest = await issue_with_cte(shop, waybill["accessKey"])
        refused = error_of(await cancel(shop, waybill), 409, "INVALID_STATE")
        assert refused["currentStatus"] == "authorized"
        path = shop.path(f"/mdfe/{manifest['id']}")
        data_of(await shop.caller.http.delete(path, params={"justification": "Viagem não iniciada"}))
        assert data_of(await cancel(shop, waybill))["status"] == "canceled"

    async def test_authority_refuses_to_cancel_the_cte_of_a_closed_manifest(self, shop: Shop) -> None:
        waybill = await shop.issue("cte")
        data_of(await close(shop, await issue_with_cte(shop, waybill["accessKey"])))
        details = error_of(await cancel(shop, waybill), 422, "AUTHORITY_REJECTED")
        assert (details["authorityCode"], bool(details["hint"])) == ("528", True)

    async def test_document_that_the_company_does_not_have_is_refused(self, shop: Shop) -> None:
        body = MDFE | {"fromDocuments": True}
        details = error_of(await shop.post("/mdfe", body), 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [
            ("DOCUMENT_UNKNOWN", "documents[0].nfeAccessKeys[0]")
        ]

    async def test_missing_fields_are_named(self, shop: Shop) -> None:
        body = changed(MDFE, {"municipalityStartIbge": None, "documents": [{"nfeAccessKeys": [CARRIED_NFE]}]})
        details = error_of(await shop.post("/mdfe", body), 422, "VALIDATION_ERROR")
        assert {field["field"] for field in details["fields"]} == {
            "municipalityStartIbge",
            "documents[0].cityCode",
        }
