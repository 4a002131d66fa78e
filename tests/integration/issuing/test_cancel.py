"""Cancellation: the parts that differ between the real document types."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from integration.issuing.actions import JOURNALS, cancel, filings
from integration.issuing.point_of_sale import point_of_sale_of
from integration.issuing.shop import BY_NUMBERING, Shop, error_of
from support import data_of
from xmlsec1 import xmlsec1_accepts

REASON = "Pedido cancelado pelo cliente"
HOUR = 3600
FILES = {
    "nfe": (Schema.NFE_CANCELLATION_REGISTERED, "infEvento", "xJust"),
    "nfse": (Schema.NFSE_EVENT_REGISTERED, "infPedReg", "xMotivo"),
}
"""The schema of the registered event, its signed element, and the element of the reason."""
of_each_numbering = pytest.mark.parametrize("document_type", BY_NUMBERING)


class TestCancel:
    @of_each_numbering
    async def test_cancellation_appears_as_an_event_with_its_signed_xml(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        await cancel(shop, document, {"justification": f"  {REASON.replace(' ', '  ')} "})
        event = (await shop.events(document))[-1]
        assert (event["type"], event["status"], event["sequence"]) == ("cancellation", "canceled", 1)
        answer = await shop.get(f"/{document_type}/{document['id']}/events/{event['id']}/xml")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/xml")
        schema, signed, reason = FILES[document_type]
        root = read_xml(answer.content)
        assert Schemas().problems(schema, root) == ()
        assert root.findtext(f".//{{*}}{reason}") == REASON
        assert xmlsec1_accepts(answer.content, signed)

    async def test_cancellation_event_shows_the_protocol_of_the_authority(self, shop: Shop) -> None:
        document = await shop.issue()
        await cancel(shop, document)
        event = (await shop.events(document))[-1]
        assert (event["authorityCode"], len(event["protocol"])) == ("135", 15)
        root = read_xml((await shop.get(f"/nfe/{document['id']}/events/{event['id']}/xml")).content)
        assert root.findtext(".//{*}retEvento//{*}nProt") == event["protocol"]

    @of_each_numbering
    async def test_justification_with_characters_the_authority_refuses_is_a_rule_violation(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        answer = await cancel(shop, document, {"justification": "Pedido cancelado 😀 pelo cliente"})
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "justification"
        assert await filings(shop, document) == []

    async def test_refused_cancellation_is_answered_with_the_authoritys_code_and_message(
        self, shop: Shop
    ) -> None:
        document = await shop.issue()
        await shop.system.fetch(
            "update emissions set protocol = '135260000009999' where document_id = $1", document["id"]
        )
        details = error_of(await cancel(shop, document), 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == "222"
        assert "Protocolo" in details["authorityMessage"]
        event = (await shop.events(document))[-1]
        assert (event["type"], event["status"], event["authorityCode"]) == ("cancellation", "rejected", "222")
        error_of(await shop.get(f"/nfe/{document['id']}/events/{event['id']}/xml"), 409, "INVALID_STATE")
        assert (await shop.read(document))["status"] == "authorized"

    @of_each_numbering
    async def test_lost_answer_to_a_cancellation_is_settled_by_a_consult(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        await shop.system.switch(lostAnswers=1)
        asking = asyncio.create_task(cancel(shop, document))
        await shop.system.until(
            f"exists (select from event_filings where document_id = '{document['id']}' and tries > 0)"
        )
        await shop.system.switch(lostAnswers=None)
        assert data_of(await asking)["status"] == "canceled"
        journal = await shop.system.journal(document["accessKey"])
        service, code = JOURNALS[document_type][-1]
        assert [entry["code"] for entry in journal if entry["service"] == service] == [code]
        event = (await shop.events(document))[-1]
        answer = await shop.get(f"/{document_type}/{document['id']}/events/{event['id']}/xml")
        assert answer.status_code == 200


class TestDeadline:
    @pytest.mark.parametrize(
        ("document_type", "term"), [("nfe", timedelta(hours=24)), ("nfce", timedelta(minutes=30))]
    )
    async def test_cancelable_until_is_the_authorization_plus_the_term_of_the_type(
        self, shop: Shop, document_type: str, term: timedelta
    ) -> None:
        document = await shop.issue(document_type)
        until = datetime.fromisoformat(document["cancelableUntil"])
        assert until - datetime.fromisoformat(document["authorizedAt"]) == term

    async def test_late_cancellation_is_accepted_where_the_state_allows_it(self, shop: Shop) -> None:
        document = await shop.issue()
        await authorized_before(shop, document, hours=30)
        await shop.system.switch(clockOffsetSeconds=30 * HOUR)
        try:
            answer = await cancel(shop, document)
        finally:
            await shop.system.switch(clockOffsetSeconds=None)
        assert data_of(answer)["status"] == "canceled"
        assert (await shop.events(document))[-1]["authorityCode"] == "155"

    async def test_cancellation_long_after_the_deadline_is_refused_without_a_request(
        self, shop: Shop
    ) -> None:
        document = await shop.issue()
        await authorized_before(shop, document, hours=800)
        details = error_of(await cancel(shop, document), 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert set(details) == {"deadline", "alternative"}
        assert "devolução" in details["alternative"]
        assert await filings(shop, document) == []

    async def test_shorter_deadline_of_the_authority_is_answered_with_its_code(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.system.switch(clockOffsetSeconds=800 * HOUR)
        try:
            answer = await cancel(shop, document)
        finally:
            await shop.system.switch(clockOffsetSeconds=None)
        details = error_of(answer, 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert details["authorityCode"] == "501"
        assert details["deadline"] == document["cancelableUntil"]


async def authorized_before(shop: Shop, document: dict[str, Any], hours: int) -> None:
    """Makes our own record say that the document was authorized earlier."""
    await shop.system.fetch(
        "update emissions set authorized_at = authorized_at - $2::interval where document_id = $1",
        document["id"], timedelta(hours=hours),
    )  # fmt: skip


class TestBySubstitution:
    async def test_receipt_is_canceled_in_favour_of_one_issued_offline(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        point_of_sale = await point_of_sale_of(shop)
        paper = point_of_sale.paper(document["number"] + 1, ago=timedelta(minutes=1))
        other = await shop.settled(await point_of_sale.submit(paper))
        answer = await cancel(shop, document, {"replacedByAccessKey": other["accessKey"]})
        assert data_of(answer)["status"] == "canceled"
        event = (await shop.events(document))[-1]
        file = await shop.get(f"/nfce/{document['id']}/events/{event['id']}/xml")
        root = read_xml(file.content)
        assert (root.findtext(".//{*}tpEvento"), root.findtext(".//{*}chNFeRef")) == (
            "110112", other["accessKey"],
        )  # fmt: skip
        assert (event["type"], event["status"]) == ("substitution", "canceled")
        assert (await shop.read(document))["replacedById"] == other["id"]
        assert (await shop.read(other))["replacedById"] is None

    async def test_substitution_is_sent_with_the_key_of_the_other_receipt(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        other = await shop.issue("nfce")
        answer = await cancel(shop, document, {"replacedByAccessKey": other["accessKey"]})
        # Not one of contingency: the authority's rule, which shows that 110112 was sent.
        assert error_of(answer, 422, "AUTHORITY_REJECTED")["authorityCode"] == "921"

    async def test_invalid_replacement_key_is_a_rule_violation(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        wrong = document["accessKey"][:-1] + str((int(document["accessKey"][-1]) + 1) % 10)
        answer = await cancel(shop, document, replacedByAccessKey=wrong)
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "replacedByAccessKey"

    async def test_nfe_can_not_be_canceled_by_substitution(self, shop: Shop) -> None:
        document = await shop.issue()
        answer = await cancel(shop, document, {"replacedByAccessKey": document["accessKey"]})
        assert error_of(answer, 422, "VALIDATION_ERROR")["fields"][0]["field"] == "replacedByAccessKey"
