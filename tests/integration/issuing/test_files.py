"""What can be read of a document besides its record: files, history and lines."""

from datetime import datetime
from typing import Any

import httpx2
import pytest
from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE
from carimbo.fiscal.schemas import Schema, Schemas
from integration.issuing.floor import Floor
from integration.issuing.shop import MUG, REFUSED, UNANSWERED, Shop, error_of
from support import data_of
from xmlsec1 import xmlsec1_accepts

BEFORE_AN_ANSWER = ["created", "queued", "numbered", "signed", "transmitted"]
EVENT = {
    "id", "type", "status", "sequence", "protocol", "authorityCode", "authorityMessage", "createdAt"
}  # fmt: skip
of_both_types = pytest.mark.parametrize("kind", ["nfe", "nfce"])


def text_of(xml: bytes, tag: str) -> str | None:
    return etree.fromstring(xml).findtext(f".//{{{NAMESPACE}}}{tag}")


async def xml_of(shop: Shop, document: dict[str, Any], file: str = "xml") -> bytes:
    answer = await shop.get(f"/{document['type']}/{document['id']}/{file}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/xml"), answer.text
    return answer.content


@of_both_types
class TestXml:
    async def test_is_the_signed_document_with_its_authorization(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        xml = await xml_of(shop, record)
        assert etree.fromstring(xml).tag == f"{{{NAMESPACE}}}nfeProc"
        assert Schemas().problems(Schema.NFE_AUTHORIZED, etree.fromstring(xml)) == ()
        assert xmlsec1_accepts(xml, "infNFe")
        assert (text_of(xml, "chNFe"), text_of(xml, "nProt")) == (record["accessKey"], record["protocol"])
        assert text_of(xml, "nNF") == str(record["number"])

    async def test_is_what_the_authority_has(self, floor: Floor, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        async with httpx2.AsyncClient(base_url=floor.simulator.control_url) as client:
            kept = (await client.get(f"/documents/{record['accessKey']}.xml")).content
        digest = ".//{http://www.w3.org/2000/09/xmldsig#}DigestValue"
        ours, theirs = (etree.fromstring(one).findtext(digest) for one in (await xml_of(shop, record), kept))
        assert ours == theirs
        assert ours

    async def test_is_found_by_id_over_every_type(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        answer = await shop.caller.http.get(f"/v1/invoices/{record['id']}.xml")
        assert answer.content == await xml_of(shop, record)
        assert f"{record['accessKey']}.xml" in answer.headers["content-disposition"]

    async def test_is_not_there_before_an_authorization(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with floor.standstill():
            made = await shop.create(kind)
            answers = [
                await shop.get(f"/{kind}/{made['id']}/xml"),
                await shop.caller.http.get(f"/v1/invoices/{made['id']}.xml"),
            ]
        for answer in answers:
            details = error_of(answer, 409, "INVALID_STATE")
            assert details["currentStatus"] == "processing"
            assert "authorized" in details["allowed"]

    async def test_is_not_there_while_the_authority_does_not_answer(self, shop: Shop, kind: str) -> None:
        made = await shop.create(kind, notes=UNANSWERED)
        sent = "type = 'transmitted'"
        await shop.floor.until(
            f"exists (select from document_events where document_id = '{made['id']}' and {sent})"
        )
        error_of(await shop.get(f"/{kind}/{made['id']}/xml"), 409, "INVALID_STATE")

    async def test_is_not_there_after_a_refusal(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes=REFUSED)
        details = error_of(await shop.get(f"/{kind}/{record['id']}/xml"), 409, "INVALID_STATE")
        assert details["currentStatus"] == "rejected"


@of_both_types
class TestRejection:
    async def test_tells_code_message_field_and_hint(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes=REFUSED)
        rejection = record["rejection"]
        assert (record["status"], record["protocol"], record["authorizedAt"]) == ("rejected", None, None)
        assert set(rejection) == {"code", "message", "field", "hint", "retryable"}
        assert (rejection["code"], rejection["field"]) == ("528", "items[].icms.amount")
        assert rejection["message"].startswith("Rejeição: Valor do ICMS difere")
        assert rejection["hint"].endswith(".")
        assert rejection["retryable"] is False

    async def test_for_what_is_outside_of_the_document_is_retryable(self, shop: Shop, kind: str) -> None:
        rejection = (await shop.issue(kind, notes="SIMULA:REJEICAO:280"))["rejection"]
        assert (rejection["code"], rejection["retryable"]) == ("280", True)

    async def test_whose_field_is_not_known_has_none(self, shop: Shop, kind: str) -> None:
        rejection = (await shop.issue(kind, notes="SIMULA:REJEICAO:214"))["rejection"]
        assert (rejection["code"], rejection["field"]) == ("214", None)

    async def test_file_is_what_was_sent_with_what_came_back(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes=REFUSED)
        root = etree.fromstring(await xml_of(shop, record, "rejection-xml"))
        (sent,), (received,) = root.iterfind("sent/*"), root.iterfind("received/*")
        document = etree.tostring(sent)
        assert Schemas().problems(Schema.NFE, etree.fromstring(document)) == ()
        assert xmlsec1_accepts(document, "infNFe")
        assert received.findtext(f".//{{{NAMESPACE}}}cStat") == "528"
        assert received.findtext(f".//{{{NAMESPACE}}}chNFe") == record["accessKey"]

    async def test_file_is_not_there_without_a_refusal(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        details = error_of(await shop.get(f"/{kind}/{record['id']}/rejection-xml"), 409, "INVALID_STATE")
        assert details == {"currentStatus": "authorized", "allowed": ["rejected"]}


@of_both_types
class TestEvents:
    async def test_tell_the_whole_way_to_an_authorization(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind)
        events = await shop.events(record)
        assert [event["type"] for event in events] == [*BEFORE_AN_ANSWER, "authorized"]
        assert [event["status"] for event in events] == ["processing"] * 5 + ["authorized"]
        last = events[-1]
        assert (last["authorityCode"], last["protocol"]) == ("100", record["protocol"])
        assert last["authorityMessage"].startswith("Autorizado o uso")
        assert {frozenset(event) for event in events} == {frozenset(EVENT)}

    async def test_are_in_the_order_of_time(self, shop: Shop, kind: str) -> None:
        events = await shop.events(await shop.issue(kind))
        moments = [datetime.fromisoformat(event["createdAt"]) for event in events]
        assert moments == sorted(moments)
        assert len({event["id"] for event in events}) == len(events)

    async def test_tell_the_whole_way_to_a_refusal(self, shop: Shop, kind: str) -> None:
        events = await shop.events(await shop.issue(kind, notes=REFUSED))
        assert [event["type"] for event in events] == [*BEFORE_AN_ANSWER, "rejected"]
        assert (events[-1]["status"], events[-1]["authorityCode"]) == ("rejected", "528")
        assert events[-1]["authorityMessage"].startswith("Rejeição")

    async def test_tell_of_an_answer_that_was_lost(self, floor: Floor, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes="SIMULA:RESPOSTA_PERDIDA")
        events = await shop.events(record)
        assert [event["type"] for event in events] == [*BEFORE_AN_ANSWER, "consulted", "authorized"]
        assert (events[-2]["status"], events[-2]["authorityCode"]) == ("processing", "100")
        sent = [entry["service"] for entry in await floor.journal(record["accessKey"])]
        assert sorted(sent) == ["NFeAutorizacao4", "NFeConsultaProtocolo4"]

    async def test_of_a_stored_document_are_few(self, shop: Shop, kind: str) -> None:
        later = {"transmit": "later"} if kind == "nfce" else {"notes": UNANSWERED}
        first, *_ = await shop.events(await shop.create(kind, **later))
        assert first["type"] == "created"


@of_both_types
class TestItems:
    async def test_list_the_lines_with_their_taxes(self, shop: Shop, kind: str) -> None:
        items = [MUG | {"sku": "A1", "unit": "CX"}, MUG | {"cfop": "5101", "unitValue": 10}]
        record = await shop.issue(kind, cfop="5102", items=items, payments=None)
        first, second = data_of(await shop.get(f"/{kind}/{record['id']}/items"))
        assert (first["number"], first["sku"], first["unit"], first["cfop"]) == (1, "A1", "CX", "5102")
        assert (second["number"], second["cfop"], second["quantity"], second["amount"]) == (2, "5101", 2, 20)
        assert (first["ncm"], first["unitValue"], first["icms"]["csosn"]) == ("69120000", 29.9, "102")

    async def test_are_the_same_before_and_after_issuing(self, floor: Floor, shop: Shop, kind: str) -> None:
        async with floor.standstill():
            made = await shop.create(kind, items=[MUG, MUG | {"unitValue": 0.3333333333}], payments=None)
            before = data_of(await shop.get(f"/{kind}/{made['id']}/items"))
        await shop.settled(made)
        assert data_of(await shop.get(f"/{kind}/{made['id']}/items")) == before
        assert [line["number"] for line in before] == [1, 2]

    async def test_of_a_corrected_document_are_the_corrected_ones(self, shop: Shop, kind: str) -> None:
        record = await shop.issue(kind, notes=REFUSED, payments=None)
        corrected = data_of(await shop.patch(record, items=[MUG | {"unitValue": 5}]))
        (line,) = data_of(await shop.get(f"/{kind}/{record['id']}/items"))
        assert (corrected["amount"], line["amount"]) == (10, 10)
