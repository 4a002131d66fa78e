"""Taking an authorized document back."""

import asyncio
from typing import Any

import pytest

from carimbo.fiscal.xml_reading import read_xml
from carimbo.service.filing.desk import Desk
from integration.issuing.actions import cancel, filings
from integration.issuing.shop import NewShop, Shop, error_of
from support import data_of
from toy.authority import Register
from toy.codes import LATE_CODE, PROTOCOL_CODE, REFUSED, REGISTERED_CODE
from toy.events import ALTERNATIVE
from toy.shop import KINDS, codes_of, tax_id_of

REASON = "Pedido cancelado pelo cliente"
AT_ONCE = 10
of_every_type = pytest.mark.parametrize("kind", KINDS)


def let_none_pass_before(patch: pytest.MonkeyPatch, callers: int) -> None:
    """Holds callers that read a document as authorized until so many of them have read it."""
    barrier, dossier_of = asyncio.Barrier(callers), Desk.dossier_of

    async def wait_for_the_others(desk: Desk, *arguments: Any) -> Any:
        await barrier.wait()
        return await dossier_of(desk, *arguments)

    patch.setattr(Desk, "dossier_of", wait_for_the_others)


class TestCancel:
    @pytest.mark.parametrize("kind", KINDS)
    async def test_waits_for_the_authority(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        answer = await cancel(shop, document, {"justification": REASON})
        assert data_of(answer) == {"id": document["id"], "status": "canceled", "type": kind}
        read = await shop.read(document)
        assert (read["status"], read["cancelableUntil"]) == ("canceled", None)
        assert (read["accessKey"], read["number"]) == (document["accessKey"], document["number"])
        assert await codes_of(shop, document) == [("send", "100"), ("register_event", REGISTERED_CODE)]

    @of_every_type
    async def test_adds_an_event_with_its_xml_to_the_history(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        await cancel(shop, document, {"justification": f"  {REASON.replace(' ', '  ')} "})
        event = (await shop.events(document))[-1]
        assert (event["type"], event["status"], event["sequence"]) == ("cancellation", "canceled", 1)
        answer = await shop.get(f"/{kind}/{document['id']}/events/{event['id']}/xml")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/xml")
        root = read_xml(answer.content)
        assert root.findtext(".//{*}words") == REASON
        assert root.findtext("receipt/protocol") == event["protocol"]

    @of_every_type
    async def test_without_a_justification_sends_a_usual_one(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        assert data_of(await cancel(shop, document))["status"] == "canceled"

    @of_every_type
    async def test_takes_the_reason_from_the_query_too(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        data_of(await cancel(shop, document, justification=REASON))
        (row,) = await shop.floor.fetch(
            "select request from event_filings where document_id = $1", document["id"]
        )
        assert REASON in row["request"]

    @of_every_type
    @pytest.mark.parametrize("reason", ["curta demais", "x" * 256, "Com quebra\nde linha no meio"])
    async def test_refuses_a_reason_that_the_authority_would_refuse(
        self, shop: Shop, kind: str, reason: str
    ) -> None:
        document = await shop.issue(kind)
        details = error_of(await cancel(shop, document, {"justification": reason}), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "justification"
        assert await filings(shop, document) == []

    @of_every_type
    async def test_refuses_characters_that_the_authority_does_not_accept(self, shop: Shop, kind: str) -> None:
        document = await shop.issue(kind)
        answer = await cancel(shop, document, {"justification": "Pedido cancelado 😀 pelo cliente"})
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "justification"
        assert await filings(shop, document) == []

    @of_every_type
    async def test_of_a_document_that_is_not_authorized_is_refused(self, shop: Shop, kind: str) -> None:
        rejected = await shop.issue(kind, notes=REFUSED)
        details = error_of(await cancel(shop, rejected), 409, "INVALID_STATE")
        assert details == {"currentStatus": "rejected", "allowed": ["authorized"]}
        document = await shop.issue(kind)
        data_of(await cancel(shop, document))
        details = error_of(await cancel(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == "canceled"

    async def test_of_a_draft_says_how_to_discard_it(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        answer = await shop.caller.http.delete(shop.path(f"/toy/{draft['id']}"))
        details = error_of(answer, 409, "INVALID_STATE")
        assert details == {"currentStatus": "pending", "allowed": ["authorized"]}
        assert "DELETE /v1/companies/{companyId}/invoices/{id}" in answer.json()["error"]["message"]

    @of_every_type
    async def test_of_a_document_of_another_subscription_is_not_found(
        self, shop: Shop, new_shop: NewShop, kind: str
    ) -> None:
        document = await shop.issue(kind)
        error_of(await cancel(await new_shop(), document), 404, "NOT_FOUND")

    @of_every_type
    async def test_twice_at_once_makes_one_event(
        self, shop: Shop, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await shop.issue(kind)
        let_none_pass_before(monkeypatch, AT_ONCE)
        calls = (cancel(shop, document, justification=REASON) for _ in range(AT_ONCE))
        answers = await asyncio.gather(*calls)
        assert {answer.status_code for answer in answers} == {200}
        assert await filings(shop, document) == ["registered"]
        assert [service for service, _ in await codes_of(shop, document)] == ["send", "register_event"]

    async def test_that_the_authority_refuses_is_answered_in_its_words(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.floor.fetch(
            "update emissions set protocol = '999999999999999' where document_id = $1", document["id"]
        )
        details = error_of(await cancel(shop, document), 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == PROTOCOL_CODE
        assert "Protocolo" in details["authorityMessage"]
        event = (await shop.events(document))[-1]
        assert (event["type"], event["status"], event["authorityCode"]) == (
            "cancellation",
            "rejected",
            PROTOCOL_CODE,
        )
        error_of(await shop.get(f"/toy/{document['id']}/events/{event['id']}/xml"), 409, "INVALID_STATE")
        assert (await shop.read(document))["status"] == "authorized"

    async def test_may_be_asked_for_again_after_a_refusal(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.floor.fetch(
            "update emissions set protocol = '999999999999999' where document_id = $1", document["id"]
        )
        await cancel(shop, document)
        await shop.floor.fetch(
            "update emissions set protocol = $2 where document_id = $1", document["id"], document["protocol"]
        )
        assert data_of(await cancel(shop, document))["status"] == "canceled"
        assert await filings(shop, document) == ["refused", "registered"]


@of_every_type
class TestNoAnswer:
    @pytest.mark.usefixtures("short_wait")
    async def test_is_answered_with_202_and_the_document_is_canceled_later(
        self, shop: Shop, register: Register, kind: str
    ) -> None:
        document = await shop.issue(kind)
        with register.out_of_service():
            answer = await cancel(shop, document)
            assert answer.status_code == 202
            record = answer.json()["data"]
            assert (record["id"], record["status"], record["type"]) == (document["id"], "authorized", kind)
            assert record["cancellation"]["status"] == "processing"
            shown = (await shop.events(document))[-1]
            assert (shown["id"], shown["type"], shown["status"]) == (
                record["cancellation"]["id"], "cancellation", "processing",
            )  # fmt: skip
            file = await shop.get(f"/{kind}/{document['id']}/events/{shown['id']}/xml")
            assert error_of(file, 409, "INVALID_STATE")["currentStatus"] == "processing"
        await shop.floor.until(f"(select status from documents where id = '{document['id']}') = 'canceled'")
        assert (await shop.events(document))[-1]["id"] == record["cancellation"]["id"]

    async def test_is_settled_by_a_consult(self, shop: Shop, register: Register, kind: str) -> None:
        document = await shop.issue(kind)
        register.losing.add(await tax_id_of(shop))
        assert data_of(await cancel(shop, document))["status"] == "canceled"
        assert await codes_of(shop, document) == [
            ("send", "100"), ("register_event", REGISTERED_CODE), ("consult_event", REGISTERED_CODE),
        ]  # fmt: skip
        event = (await shop.events(document))[-1]
        answer = await shop.get(f"/{kind}/{document['id']}/events/{event['id']}/xml")
        assert answer.status_code == 200


class TestDeadline:
    async def test_that_is_over_is_answered_in_the_words_of_the_authority_and_with_an_alternative(
        self, shop: Shop, register: Register
    ) -> None:
        document = await shop.issue()
        register.is_too_late = True
        details = error_of(await cancel(shop, document), 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert (details["authorityCode"], details["alternative"]) == (LATE_CODE, ALTERNATIVE)
        assert (await shop.read(document))["status"] == "authorized"
