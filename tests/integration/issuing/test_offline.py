"""NFC-e that the point of sale issued offline: kept as they were printed, and transmitted as that."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from lxml import etree

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.signature import Signer
from integration.issuing.floor import Floor
from integration.issuing.shop import MUG, REFUSED, NewShop, Shop, accepted, body_of, error_of
from integration.issuing.till import REASON, Till, till_of
from support import data_of, fields_of

LONG_AGO = timedelta(days=10)
IDENTIFIES = "Identifica o documento e não pode ser alterado."


async def types_of(shop: Shop, document: dict[str, Any]) -> list[str]:
    return [event["type"] for event in await shop.events(document)]


class TestHandedOver:
    async def test_tells_what_is_printed_at_once(self, floor: Floor, till: Till) -> None:
        paper = till.paper(10, series=7)
        async with floor.standstill():
            record = await till.hand_over(paper)
            assert await till.shop.read(record) == record
            assert await types_of(till.shop, record) == ["created", "numbered", "queued"]
        assert record["status"] == "processing"
        assert (record["number"], record["series"]) == (10, 7)
        assert record["accessKey"] == paper["accessKey"]
        issued_at, contingency = datetime.fromisoformat(paper["issuedAt"]), record["contingency"]
        assert datetime.fromisoformat(record["issuedAt"]) == issued_at
        assert (contingency["type"], contingency["reason"]) == ("9", REASON)
        assert datetime.fromisoformat(contingency["startedAt"]) == issued_at

    async def test_is_authorized_as_it_was_printed(self, floor: Floor, till: Till) -> None:
        paper = till.paper(10, series=7)
        record = await till.shop.settled(await till.hand_over(paper))
        assert (record["status"], record["accessKey"]) == ("authorized", paper["accessKey"])
        (sent,) = await floor.journal(paper["accessKey"])
        assert sent["code"] == "100"
        root = etree.fromstring((await till.shop.get(f"/nfce/{record['id']}/xml")).content)
        said = [
            root.findtext(f".//{{{NAMESPACE}}}{tag}") for tag in ("tpEmis", "dhEmi", "dhCont", "xJust", "nNF")
        ]
        assert said == ["9", paper["issuedAt"], paper["contingency"]["startedAt"], REASON, "10"]
        assert (await types_of(till.shop, record))[3:] == ["signed", "transmitted", "authorized"]

    async def test_keeps_the_zone_that_is_printed(self, till: Till) -> None:
        paper = till.paper(10, zone=ZoneInfo("America/Noronha"))
        record = await till.shop.settled(await till.hand_over(paper))
        assert (record["status"], record["accessKey"]) == ("authorized", paper["accessKey"])
        xml = (await till.shop.get(f"/nfce/{record['id']}/xml")).text
        assert f"<dhEmi>{paper['issuedAt']}</dhEmi>" in xml
        assert paper["issuedAt"].endswith("-02:00")

    async def test_lists_all_fields_of_the_paper_that_are_missing(self, till: Till) -> None:
        paper = till.paper(10)
        printed = ("accessKey", "number", "series", "issuedAt", "contingency")
        lacking = {name: value for name, value in paper.items() if name not in printed}
        message = "Campo obrigatório quando issueMode é offlineContingency."
        assert fields_of(await till.shop.post("/nfce", lacking)) == dict.fromkeys(printed, message)

    async def test_may_have_its_key_in_groups(self, till: Till) -> None:
        paper = till.paper(10)
        key = paper["accessKey"]
        spaced = " ".join(key[place : place + 4] for place in range(0, 44, 4))
        assert (await till.hand_over(paper | {"accessKey": spaced}))["accessKey"] == key

    async def test_that_contradicts_itself_is_refused_and_nothing_is_stored(self, till: Till) -> None:
        paper = till.paper(10) | {"number": 11, "series": 2}
        details = error_of(await till.shop.post("/nfce", paper), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["field"] for rule in details["rules"]] == ["series", "number"]
        assert await till.shop.count() == 0

    async def test_of_another_company_is_refused(self, till: Till, new_shop: NewShop) -> None:
        other = await till_of(await new_shop(till.shop.caller))
        details = error_of(await till.shop.post("/nfce", other.paper(10)), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["field"] for rule in details["rules"]] == ["accessKey"]

    async def test_is_held_against_the_rules(self, till: Till) -> None:
        paper = till.paper(10, items=[MUG | {"ncm": "99999999"}])
        details = error_of(await till.shop.post("/nfce", paper), 422, "FISCAL_RULE_VIOLATION")
        assert [rule["field"] for rule in details["rules"]] == ["items[0].ncm"]

    async def test_in_time_has_a_warning_of_its_qr_code_alone(self, till: Till) -> None:
        (warning,) = (await till.keep())["warnings"]
        assert "QR Code impresso pode não conferir" in warning

    async def test_too_late_is_told_and_taken_all_the_same(self, floor: Floor, till: Till) -> None:
        paper = till.paper(10, ago=LONG_AGO)
        record = await till.shop.settled(await till.hand_over(paper))
        assert record["status"] == "authorized"
        assert any("prazo de transmissão" in one and "(150)" in one for one in record["warnings"])
        (sent,) = await floor.journal(paper["accessKey"])
        assert sent["code"] == "150"


class TestSignedXml:
    async def test_is_sent_and_archived_byte_for_byte(self, till: Till, certificate: A1Certificate) -> None:
        paper = till.paper(10)
        signed = await till.signed(paper | {"notes": "Caixa 3"}, Signer.of(certificate))
        made = await till.hand_over(paper | {"signedXml": signed})
        assert made["warnings"] == []
        record = await till.shop.settled(made)
        assert (record["status"], record["accessKey"]) == ("authorized", paper["accessKey"])
        assert signed in (await till.shop.get(f"/nfce/{record['id']}/xml")).text
        assert "Caixa 3" in signed

    async def test_of_another_receipt_is_refused(self, till: Till, certificate: A1Certificate) -> None:
        signed = await till.signed(till.paper(10), Signer.of(certificate))
        answer = await till.shop.post("/nfce", till.paper(11, signedXml=signed))
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert {"accessKey", "number"} <= {rule["field"] for rule in rules}

    async def test_that_was_changed_is_refused(self, till: Till, certificate: A1Certificate) -> None:
        paper = till.paper(10)
        signed = (await till.signed(paper, Signer.of(certificate))).replace("Caneca", "Xícara")
        answer = await till.shop.post("/nfce", paper | {"signedXml": signed})
        rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert {rule["field"] for rule in rules} == {"signedXml"}


class TestPlan:
    @pytest.mark.parametrize("transmit", ["now", "later"])
    async def test_that_is_spent_counts_it_and_does_not_refuse_it(
        self, floor: Floor, new_shop: NewShop, transmit: str
    ) -> None:
        till = await till_of(await new_shop(plan="trial"))
        await floor.fetch(
            "insert into allowances (subscription_id, period, used) values ($1, 'total', 10)",
            till.shop.caller.subscription_id,
        )
        made = await till.hand_over(till.paper(10, transmit=transmit))
        if transmit == "later":
            accepted(await till.shop.post(f"/nfce/{made['id']}/transmit"))
        assert (await till.shop.settled(made))["status"] == "authorized"
        (row,) = await floor.fetch(
            "select used, reserved from allowances where subscription_id = $1",
            till.shop.caller.subscription_id,
        )
        assert (row["used"], row["reserved"]) == (11, 0)
        error_of(await till.shop.post("/nfce", body_of("nfce")), 402, "DOCUMENT_LIMIT_REACHED")


class TestLater:
    async def test_is_stored_with_its_number(self, till: Till) -> None:
        record = await till.keep()
        assert (record["status"], record["number"]) == ("pending", 10)
        assert await types_of(till.shop, record) == ["created", "numbered"]

    async def test_is_sent_when_told_to(self, till: Till) -> None:
        made = await till.keep()
        started = accepted(await till.shop.post(f"/nfce/{made['id']}/transmit"))
        assert (started["status"], started["number"]) == ("processing", 10)
        record = await till.shop.settled(made)
        assert record["status"] == "authorized"
        assert (record["number"], record["accessKey"]) == (10, made["accessKey"])


class TestCorrecting:
    @pytest.mark.parametrize("name", ["accessKey", "number", "series", "issueMode"])
    async def test_can_not_make_it_another(self, till: Till, name: str) -> None:
        made = await till.keep()
        other = till.paper(11, series=2) | {"issueMode": "normal"}
        assert fields_of(await till.shop.patch(made, **{name: other[name]})) == {name: IDENTIFIES}
        assert await till.shop.read(made) == made

    async def test_can_not_make_a_receipt_of_ours_one_of_paper(self, till: Till) -> None:
        made = await till.shop.create("nfce", transmit="later")
        told = fields_of(await till.shop.patch(made, **till.paper(10)))
        assert told == dict.fromkeys(["issueMode", "accessKey", "number", "series"], IDENTIFIES)

    async def test_of_its_contingency_is_shown(self, till: Till) -> None:
        made = await till.keep()
        changed = data_of(await till.shop.patch(made, contingency={"reason": "Queda de energia na loja"}))
        assert changed["contingency"] == made["contingency"] | {"reason": "Queda de energia na loja"}
        assert changed["accessKey"] == made["accessKey"]

    async def test_keeps_number_and_key_when_it_is_emitted(self, floor: Floor, till: Till) -> None:
        refused = await till.shop.settled(await till.hand_over(till.paper(10, notes=REFUSED)))
        assert (refused["status"], refused["number"]) == ("rejected", 10)
        data_of(await till.shop.patch(refused, notes=None))
        accepted(await till.shop.emit(refused))
        record = await till.shop.settled(refused)
        kept = ("status", "number", "accessKey", "issuedAt")
        assert [record[name] for name in kept] == ["authorized", *(refused[name] for name in kept[1:])]
        assert [sent["code"] for sent in await floor.journal(record["accessKey"])] == ["528", "100"]


class TestTrialRun:
    async def test_is_made_under_the_printed_number_and_stores_nothing(self, till: Till) -> None:
        paper = till.paper(10, series=7)
        trial = data_of(await till.shop.post("/nfce", paper, dryRun="true"))
        assert trial["problems"] == []
        root = etree.fromstring(trial["xml"].encode())
        assert root[0].get("Id") == f"NFe{paper['accessKey']}"
        assert root.findtext(f".//{{{NAMESPACE}}}nNF") == "10"
        assert (await till.shop.count(), await till.next_number()) == (0, 1)


class TestItems:
    async def test_are_those_of_what_is_stored(self, till: Till) -> None:
        made = await till.keep()
        (line,) = data_of(await till.shop.get(f"/nfce/{made['id']}/items"))
        assert line["description"] == "Caneca"
