"""What real types say themselves of taking a document back."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml
from integration.issuing.actions import JOURNALS, cancel, filings
from integration.issuing.shop import BY_NUMBERING, Shop, error_of
from integration.issuing.till import till_of
from support import data_of
from xmlsec1 import xmlsec1_accepts

REASON = "Pedido cancelado pelo cliente"
HOUR = 3600
FILES = {
    "nfe": (Schema.NFE_CANCELLATION_REGISTERED, "infEvento", "xJust"),
    "nfse": (Schema.NFSE_EVENT_REGISTERED, "infPedReg", "xMotivo"),
}
"""The message of a registered event, what we signed of it, and where it has the reason."""
of_each_numbering = pytest.mark.parametrize("kind", BY_NUMBERING)


class TestCancel:
    @of_each_numbering
    async def test_tells_its_event_and_the_xml_of_it(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        await cancel(shop, document, {"justification": f"  {REASON.replace(' ', '  ')} "})
        told = (await shop.events(document))[-1]
        assert (told["type"], told["status"], told["sequence"]) == ("cancellation", "canceled", 1)
        answer = await shop.get(f"/{kind}/{document['id']}/events/{told['id']}/xml")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/xml")
        schema, signed, reason = FILES[kind]
        root = read_xml(answer.content)
        assert Schemas().problems(schema, root) == ()
        assert root.findtext(f".//{{*}}{reason}") == REASON
        assert xmlsec1_accepts(answer.content, signed)

    async def test_tells_the_protocol_of_the_authority(self, shop: Shop) -> None:
        document = await shop.issue()
        await cancel(shop, document)
        told = (await shop.events(document))[-1]
        assert (told["authorityCode"], len(told["protocol"])) == ("135", 15)
        root = read_xml((await shop.get(f"/nfe/{document['id']}/events/{told['id']}/xml")).content)
        assert root.findtext(".//{*}retEvento//{*}nProt") == told["protocol"]

    @of_each_numbering
    async def test_refuses_letters_that_the_authority_does_not_take(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        answer = await cancel(shop, document, {"justification": "Pedido cancelado 😀 pelo cliente"})
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "justification"
        assert await filings(shop, document) == []

    async def test_that_the_authority_refuses_is_told_with_its_words(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.floor.fetch(
            "update emissions set protocol = '135260000009999' where document_id = $1", document["id"]
        )
        details = error_of(await cancel(shop, document), 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == "222"
        assert "Protocolo" in details["authorityMessage"]
        told = (await shop.events(document))[-1]
        assert (told["type"], told["status"], told["authorityCode"]) == ("cancellation", "rejected", "222")
        error_of(await shop.get(f"/nfe/{document['id']}/events/{told['id']}/xml"), 409, "INVALID_STATE")
        assert (await shop.read(document))["status"] == "authorized"

    @of_each_numbering
    async def test_is_settled_by_a_consult(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        await shop.floor.switch(lostAnswers=1)
        asking = asyncio.create_task(cancel(shop, document))
        await shop.floor.until(
            f"exists (select from event_filings where document_id = '{document['id']}' and tries > 0)"
        )
        await shop.floor.switch(lostAnswers=None)
        assert data_of(await asking)["status"] == "canceled"
        journal = await shop.floor.journal(document["accessKey"])
        service, code = JOURNALS[kind][-1]
        assert [one["code"] for one in journal if one["service"] == service] == [code]
        told = (await shop.events(document))[-1]
        answer = await shop.get(f"/{kind}/{document['id']}/events/{told['id']}/xml")
        assert answer.status_code == 200


class TestDeadline:
    @pytest.mark.parametrize(
        ("kind", "term"), [("nfe", timedelta(hours=24)), ("nfce", timedelta(minutes=30))]
    )
    async def test_is_told_of_an_authorized_document(self, shop: Shop, kind: str, term: timedelta) -> None:
        document = await shop.issue(kind)
        until = datetime.fromisoformat(document["cancelableUntil"])
        assert until - datetime.fromisoformat(document["authorizedAt"]) == term

    async def test_that_is_over_may_be_overlooked_where_the_authority_allows_it(self, shop: Shop) -> None:
        document = await shop.issue()
        await authorized_before(shop, document, hours=30)
        await shop.floor.switch(clockOffsetSeconds=30 * HOUR)
        try:
            answer = await cancel(shop, document)
        finally:
            await shop.floor.switch(clockOffsetSeconds=None)
        assert data_of(answer)["status"] == "canceled"
        assert (await shop.events(document))[-1]["authorityCode"] == "155"

    async def test_that_is_over_for_good_is_told_without_asking(self, shop: Shop) -> None:
        document = await shop.issue()
        await authorized_before(shop, document, hours=800)
        details = error_of(await cancel(shop, document), 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert set(details) == {"deadline", "alternative"}
        assert "devolução" in details["alternative"]
        assert await filings(shop, document) == []

    async def test_that_the_authority_has_shorter_is_told_with_its_words(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.floor.switch(clockOffsetSeconds=800 * HOUR)
        try:
            answer = await cancel(shop, document)
        finally:
            await shop.floor.switch(clockOffsetSeconds=None)
        details = error_of(answer, 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert details["authorityCode"] == "501"
        assert details["deadline"] == document["cancelableUntil"]


async def authorized_before(shop: Shop, document: dict[str, Any], hours: int) -> None:
    """Make our own books say that a document was authorised earlier."""
    await shop.floor.fetch(
        "update emissions set authorized_at = authorized_at - $2::interval where document_id = $1",
        document["id"], timedelta(hours=hours),
    )  # fmt: skip


class TestBySubstitution:
    async def test_gives_way_to_a_receipt_that_was_issued_offline(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        till = await till_of(shop)
        paper = till.paper(document["number"] + 1, ago=timedelta(minutes=1))
        other = await shop.settled(await till.hand_over(paper))
        answer = await cancel(shop, document, {"replacedByAccessKey": other["accessKey"]})
        assert data_of(answer)["status"] == "canceled"
        told = (await shop.events(document))[-1]
        file = await shop.get(f"/nfce/{document['id']}/events/{told['id']}/xml")
        root = read_xml(file.content)
        assert (root.findtext(".//{*}tpEvento"), root.findtext(".//{*}chNFeRef")) == (
            "110112", other["accessKey"],
        )  # fmt: skip
        assert (told["type"], told["status"]) == ("substitution", "canceled")
        assert (await shop.read(document))["replacedById"] == other["id"]
        assert (await shop.read(other))["replacedById"] is None

    async def test_names_the_receipt_that_took_its_place(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        other = await shop.issue("nfce")
        answer = await cancel(shop, document, {"replacedByAccessKey": other["accessKey"]})
        # Not one of contingency: the authority's rule, which shows that 110112 was sent.
        assert error_of(answer, 422, "AUTHORITY_REJECTED")["authorityCode"] == "921"

    async def test_refuses_what_is_no_key(self, shop: Shop) -> None:
        document = await shop.issue("nfce")
        wrong = document["accessKey"][:-1] + str((int(document["accessKey"][-1]) + 1) % 10)
        answer = await cancel(shop, document, replacedByAccessKey=wrong)
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "replacedByAccessKey"

    async def test_is_not_for_invoices(self, shop: Shop) -> None:
        document = await shop.issue()
        answer = await cancel(shop, document, {"replacedByAccessKey": document["accessKey"]})
        assert error_of(answer, 422, "VALIDATION_ERROR")["fields"][0]["field"] == "replacedByAccessKey"
