"""NFC-e that a point of sale issued offline: stored and sent as they were printed."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from lxml import etree

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from integration.issuing.point_of_sale import REASON, PointOfSale, point_of_sale_of
from integration.issuing.shop import MUG, REFUSED, NewShop, Shop, accepted, body_of, error_of
from integration.issuing.system import System
from support import data_of, fields_of

LONG_AGO = timedelta(days=10)
IDENTIFIES = "Identifica o documento e não pode ser alterado."


async def types_of(shop: Shop, document: dict[str, Any]) -> list[str]:
    return [event["type"] for event in await shop.events(document)]


class TestSubmittedReceipt:
    async def test_offline_receipt_has_the_printed_data_at_once(
        self, system: System, point_of_sale: PointOfSale
    ) -> None:
        paper = point_of_sale.paper(10, series=7)
        async with system.worker_stopped():
            record = await point_of_sale.submit(paper)
            assert await point_of_sale.shop.read(record) == record
            assert await types_of(point_of_sale.shop, record) == ["created", "numbered", "queued"]
        assert record["status"] == "processing"
        assert (record["number"], record["series"]) == (10, 7)
        assert record["accessKey"] == paper["accessKey"]
        issued_at, contingency = datetime.fromisoformat(paper["issuedAt"]), record["contingency"]
        assert datetime.fromisoformat(record["issuedAt"]) == issued_at
        assert (contingency["type"], contingency["reason"]) == ("9", REASON)
        assert datetime.fromisoformat(contingency["startedAt"]) == issued_at

    async def test_offline_receipt_is_authorized_as_it_was_printed(
        self, system: System, point_of_sale: PointOfSale
    ) -> None:
        paper = point_of_sale.paper(10, series=7)
        record = await point_of_sale.shop.settled(await point_of_sale.submit(paper))
        assert (record["status"], record["accessKey"]) == ("authorized", paper["accessKey"])
        (sent,) = await system.journal(paper["accessKey"])
        assert sent["code"] == "100"
        root = etree.fromstring((await point_of_sale.shop.get(f"/nfce/{record['id']}/xml")).content)
        values = [
            root.findtext(f".//{{{NAMESPACE}}}{tag}") for tag in ("tpEmis", "dhEmi", "dhCont", "xJust", "nNF")
        ]
        assert values == ["9", paper["issuedAt"], paper["contingency"]["startedAt"], REASON, "10"]
        assert (await types_of(point_of_sale.shop, record))[3:] == ["signed", "transmitted", "authorized"]

    async def test_offline_receipt_keeps_the_printed_time_zone(self, point_of_sale: PointOfSale) -> None:
        paper = point_of_sale.paper(10, zone=ZoneInfo("America/Noronha"))
        record = await point_of_sale.shop.settled(await point_of_sale.submit(paper))
        assert (record["status"], record["accessKey"]) == ("authorized", paper["accessKey"])
        xml = (await point_of_sale.shop.get(f"/nfce/{record['id']}/xml")).text
        assert f"<dhEmi>{paper['issuedAt']}</dhEmi>" in xml
        assert paper["issuedAt"].endswith("-02:00")

    async def test_missing_printed_fields_are_reported_at_once(self, point_of_sale: PointOfSale) -> None:
        paper = point_of_sale.paper(10)
        printed = ("accessKey", "number", "series", "issuedAt", "contingency")
        lacking = {name: value for name, value in paper.items() if name not in printed}
        message = "Campo obrigatório quando issueMode é offlineContingency."
        assert fields_of(await point_of_sale.shop.post("/nfce", lacking)) == dict.fromkeys(printed, message)

    async def test_access_key_may_have_spaces(self, point_of_sale: PointOfSale) -> None:
        paper = point_of_sale.paper(10)
        key = paper["accessKey"]
        spaced = " ".join(key[place : place + 4] for place in range(0, 44, 4))
        assert (await point_of_sale.submit(paper | {"accessKey": spaced}))["accessKey"] == key

    async def test_offline_receipt_that_contradicts_its_key_is_refused(
        self, point_of_sale: PointOfSale
    ) -> None:
        paper = point_of_sale.paper(10) | {"number": 11, "series": 2}
        details = error_of(await point_of_sale.shop.post("/nfce", paper), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["field"] for rule in details["rules"]] == ["series", "number"]
        assert await point_of_sale.shop.count() == 0

    async def test_offline_receipt_of_another_company_is_refused(
        self, point_of_sale: PointOfSale, new_shop: NewShop
    ) -> None:
        other = await point_of_sale_of(await new_shop(point_of_sale.shop.caller))
        details = error_of(
            await point_of_sale.shop.post("/nfce", other.paper(10)), 422, "FISCAL_RULE_VIOLATION"
        )
        assert [rule["field"] for rule in details["rules"]] == ["accessKey"]

    async def test_offline_receipt_must_follow_the_rules(self, point_of_sale: PointOfSale) -> None:
        paper = point_of_sale.paper(10, items=[MUG | {"ncm": "99999999"}])
        details = error_of(await point_of_sale.shop.post("/nfce", paper), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["field"] for rule in details["rules"]] == ["items[0].ncm"]

    async def test_offline_receipt_in_time_has_only_a_warning_about_its_qr_code(
        self, point_of_sale: PointOfSale
    ) -> None:
        (warning,) = (await point_of_sale.keep())["warnings"]
        assert "QR Code impresso pode não conferir" in warning

    async def test_late_offline_receipt_is_authorized_with_a_warning(
        self, system: System, point_of_sale: PointOfSale
    ) -> None:
        paper = point_of_sale.paper(10, ago=LONG_AGO)
        record = await point_of_sale.shop.settled(await point_of_sale.submit(paper))
        assert record["status"] == "authorized"
        assert any("prazo de transmissão" in warning and "(150)" in warning for warning in record["warnings"])
        (sent,) = await system.journal(paper["accessKey"])
        assert sent["code"] == "150"


class TestSignedXml:
    async def test_signed_xml_is_sent_and_archived_byte_for_byte(
        self, point_of_sale: PointOfSale, certificate: A1Certificate
    ) -> None:
        paper = point_of_sale.paper(10)
        signed = await point_of_sale.signed(paper | {"notes": "Caixa 3"}, Signer.of(certificate))
        document = await point_of_sale.submit(paper | {"signedXml": signed})
        assert document["warnings"] == []
        record = await point_of_sale.shop.settled(document)
        assert (record["status"], record["accessKey"]) == ("authorized", paper["accessKey"])
        assert signed in (await point_of_sale.shop.get(f"/nfce/{record['id']}/xml")).text
        assert "Caixa 3" in signed

    async def test_signed_xml_of_another_receipt_is_refused(
        self, point_of_sale: PointOfSale, certificate: A1Certificate
    ) -> None:
        signed = await point_of_sale.signed(point_of_sale.paper(10), Signer.of(certificate))
        answer = await point_of_sale.shop.post("/nfce", point_of_sale.paper(11, signedXml=signed))
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert {"accessKey", "number"} <= {rule["field"] for rule in rules}

    async def test_changed_signed_xml_is_refused(
        self, point_of_sale: PointOfSale, certificate: A1Certificate
    ) -> None:
        paper = point_of_sale.paper(10)
        signed = (await point_of_sale.signed(paper, Signer.of(certificate))).replace("Caneca", "Xícara")
        answer = await point_of_sale.shop.post("/nfce", paper | {"signedXml": signed})
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert {rule["field"] for rule in rules} == {"signedXml"}


class TestPlan:
    @pytest.mark.parametrize("transmit", ["now", "later"])
    async def test_offline_receipt_is_counted_and_accepted_beyond_the_plan(
        self, system: System, new_shop: NewShop, transmit: str
    ) -> None:
        point_of_sale = await point_of_sale_of(await new_shop(plan="trial"))
        await system.fetch(
            "insert into allowances (subscription_id, period, used) values ($1, 'total', 10)",
            point_of_sale.shop.caller.subscription_id,
        )
        document = await point_of_sale.submit(point_of_sale.paper(10, transmit=transmit))
        if transmit == "later":
            accepted(await point_of_sale.shop.post(f"/nfce/{document['id']}/transmit"))
        assert (await point_of_sale.shop.settled(document))["status"] == "authorized"
        (row,) = await system.fetch(
            "select used, reserved from allowances where subscription_id = $1",
            point_of_sale.shop.caller.subscription_id,
        )
        assert (row["used"], row["reserved"]) == (11, 0)
        error_of(await point_of_sale.shop.post("/nfce", body_of("nfce")), 402, "DOCUMENT_LIMIT_REACHED")


class TestLater:
    async def test_stored_offline_receipt_has_its_number(self, point_of_sale: PointOfSale) -> None:
        record = await point_of_sale.keep()
        assert (record["status"], record["number"]) == ("pending", 10)
        assert await types_of(point_of_sale.shop, record) == ["created", "numbered"]

    async def test_stored_offline_receipt_is_sent_on_request(self, point_of_sale: PointOfSale) -> None:
        document = await point_of_sale.keep()
        started = accepted(await point_of_sale.shop.post(f"/nfce/{document['id']}/transmit"))
        assert (started["status"], started["number"]) == ("processing", 10)
        record = await point_of_sale.shop.settled(document)
        assert record["status"] == "authorized"
        assert (record["number"], record["accessKey"]) == (10, document["accessKey"])


class TestCorrecting:
    @pytest.mark.parametrize("name", ["accessKey", "number", "series", "issueMode"])
    async def test_identifying_field_of_an_offline_receipt_can_not_be_changed(
        self, point_of_sale: PointOfSale, name: str
    ) -> None:
        document = await point_of_sale.keep()
        other = point_of_sale.paper(11, series=2) | {"issueMode": "normal"}
        assert fields_of(await point_of_sale.shop.patch(document, **{name: other[name]})) == {
            name: IDENTIFIES
        }
        assert await point_of_sale.shop.read(document) == document

    async def test_normal_receipt_can_not_be_changed_to_an_offline_one(
        self, point_of_sale: PointOfSale
    ) -> None:
        document = await point_of_sale.shop.create("nfce", transmit="later")
        fields = fields_of(await point_of_sale.shop.patch(document, **point_of_sale.paper(10)))
        assert fields == dict.fromkeys(["issueMode", "accessKey", "number", "series"], IDENTIFIES)

    async def test_corrected_contingency_reason_is_shown(self, point_of_sale: PointOfSale) -> None:
        document = await point_of_sale.keep()
        changed = data_of(
            await point_of_sale.shop.patch(document, contingency={"reason": "Queda de energia na loja"})
        )
        assert changed["contingency"] == document["contingency"] | {"reason": "Queda de energia na loja"}
        assert changed["accessKey"] == document["accessKey"]

    async def test_refused_offline_receipt_keeps_number_and_key_when_emitted_again(
        self, system: System, point_of_sale: PointOfSale
    ) -> None:
        refused = await point_of_sale.shop.settled(
            await point_of_sale.submit(point_of_sale.paper(10, notes=REFUSED))
        )
        assert (refused["status"], refused["number"]) == ("rejected", 10)
        data_of(await point_of_sale.shop.patch(refused, notes=None))
        accepted(await point_of_sale.shop.emit(refused))
        record = await point_of_sale.shop.settled(refused)
        kept = ("status", "number", "accessKey", "issuedAt")
        assert [record[name] for name in kept] == ["authorized", *(refused[name] for name in kept[1:])]
        assert [sent["code"] for sent in await system.journal(record["accessKey"])] == ["528", "100"]


class TestTrialRun:
    async def test_dry_run_uses_the_printed_number_and_stores_nothing(
        self, point_of_sale: PointOfSale
    ) -> None:
        paper = point_of_sale.paper(10, series=7)
        trial = data_of(await point_of_sale.shop.post("/nfce", paper, dryRun="true"))
        assert trial["problems"] == []
        root = etree.fromstring(trial["xml"].encode())
        assert root[0].get("Id") == f"NFe{paper['accessKey']}"
        assert root.findtext(f".//{{{NAMESPACE}}}nNF") == "10"
        assert (await point_of_sale.shop.count(), await point_of_sale.next_number()) == (0, 1)


class TestItems:
    async def test_items_of_a_stored_offline_receipt_can_be_read(self, point_of_sale: PointOfSale) -> None:
        document = await point_of_sale.keep()
        (line,) = data_of(await point_of_sale.shop.get(f"/nfce/{document['id']}/items"))
        assert line["description"] == "Caneca"
