"""Cancellation of an authorized document."""

import asyncio
from typing import Any

import pytest

from carimbo.fiscal.xml_reading import read_xml
from carimbo.service.filing.context import FilingContext
from integration.issuing.actions import cancel, filings
from integration.issuing.shop import NewShop, Shop, error_of
from support import data_of
from toy.authority import Register
from toy.codes import LATE_CODE, PROTOCOL_CODE, REFUSED, REGISTERED_CODE
from toy.events import ALTERNATIVE
from toy.shop import KINDS, codes_of, tax_id_of

REASON = "Pedido cancelado pelo cliente"
AT_ONCE = 10
of_every_type = pytest.mark.parametrize("document_type", KINDS)


def hold_until_all_have_read(patch: pytest.MonkeyPatch, callers: int) -> None:
    """Holds callers that have read the document as authorized until all of them have."""
    barrier, snapshot_of = asyncio.Barrier(callers), FilingContext.snapshot_of

    async def wait_for_the_others(context: FilingContext, *arguments: Any) -> Any:
        await barrier.wait()
        return await snapshot_of(context, *arguments)

    patch.setattr(FilingContext, "snapshot_of", wait_for_the_others)


class TestCancel:
    @pytest.mark.parametrize("document_type", KINDS)
    async def test_cancellation_waits_for_the_authority(self, shop: Shop, document_type: str) -> None:
        document = await shop.issue(document_type)
        answer = await cancel(shop, document, {"justification": REASON})
        assert data_of(answer) == {"id": document["id"], "status": "canceled", "type": document_type}
        read = await shop.read(document)
        assert (read["status"], read["cancelableUntil"]) == ("canceled", None)
        assert (read["accessKey"], read["number"]) == (document["accessKey"], document["number"])
        assert await codes_of(shop, document) == [("send", "100"), ("register_event", REGISTERED_CODE)]

    @of_every_type
    async def test_cancellation_appears_as_an_event_with_its_xml(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        await cancel(shop, document, {"justification": f"  {REASON.replace(' ', '  ')} "})
        event = (await shop.events(document))[-1]
        assert (event["type"], event["status"], event["sequence"]) == ("cancellation", "canceled", 1)
        answer = await shop.get(f"/{document_type}/{document['id']}/events/{event['id']}/xml")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/xml")
        root = read_xml(answer.content)
        assert root.findtext(".//{*}words") == REASON
        assert root.findtext("receipt/protocol") == event["protocol"]

    @of_every_type
    async def test_cancellation_without_a_justification_uses_the_default(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        assert data_of(await cancel(shop, document))["status"] == "canceled"

    @of_every_type
    async def test_justification_may_be_in_the_query(self, shop: Shop, document_type: str) -> None:
        document = await shop.issue(document_type)
        data_of(await cancel(shop, document, justification=REASON))
        (row,) = await shop.system.fetch(
            "select request from event_filings where document_id = $1", document["id"]
        )
        assert REASON in row["request"]

    @of_every_type
    @pytest.mark.parametrize("reason", ["curta demais", "x" * 256, "Com quebra\nde linha no meio"])
    async def test_justification_that_the_authority_would_refuse_is_invalid(
        self, shop: Shop, document_type: str, reason: str
    ) -> None:
        document = await shop.issue(document_type)
        details = error_of(await cancel(shop, document, {"justification": reason}), 422, "VALIDATION_ERROR")
        assert details["fields"][0]["field"] == "justification"
        assert await filings(shop, document) == []

    @of_every_type
    async def test_justification_with_characters_the_authority_refuses_is_a_rule_violation(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        answer = await cancel(shop, document, {"justification": "Pedido cancelado 😀 pelo cliente"})
        (rule,) = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
        assert rule["field"] == "justification"
        assert await filings(shop, document) == []

    @of_every_type
    async def test_only_an_authorized_document_can_be_canceled(self, shop: Shop, document_type: str) -> None:
        rejected = await shop.issue(document_type, notes=REFUSED)
        details = error_of(await cancel(shop, rejected), 409, "INVALID_STATE")
        assert details == {"currentStatus": "rejected", "allowed": ["authorized"]}
        document = await shop.issue(document_type)
        data_of(await cancel(shop, document))
        details = error_of(await cancel(shop, document), 409, "INVALID_STATE")
        assert details["currentStatus"] == "canceled"

    async def test_cancellation_of_a_draft_names_the_route_to_discard_it(self, shop: Shop) -> None:
        draft = await shop.create(transmit="later")
        answer = await shop.caller.http.delete(shop.path(f"/toy/{draft['id']}"))
        details = error_of(answer, 409, "INVALID_STATE")
        assert details == {"currentStatus": "pending", "allowed": ["authorized"]}
        assert "DELETE /v1/companies/{companyId}/invoices/{id}" in answer.json()["error"]["message"]

    @of_every_type
    async def test_document_of_another_subscription_is_not_found(
        self, shop: Shop, new_shop: NewShop, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        error_of(await cancel(await new_shop(), document), 404, "NOT_FOUND")

    @of_every_type
    async def test_concurrent_cancellations_make_one_event(
        self, shop: Shop, document_type: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        document = await shop.issue(document_type)
        hold_until_all_have_read(monkeypatch, AT_ONCE)
        calls = (cancel(shop, document, justification=REASON) for _ in range(AT_ONCE))
        answers = await asyncio.gather(*calls)
        assert {answer.status_code for answer in answers} == {200}
        assert await filings(shop, document) == ["registered"]
        assert [service for service, _ in await codes_of(shop, document)] == ["send", "register_event"]

    async def test_refused_cancellation_is_answered_with_the_authoritys_code_and_message(
        self, shop: Shop
    ) -> None:
        document = await shop.issue()
        await shop.system.fetch(
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

    async def test_cancellation_may_be_requested_again_after_a_refusal(self, shop: Shop) -> None:
        document = await shop.issue()
        await shop.system.fetch(
            "update emissions set protocol = '999999999999999' where document_id = $1", document["id"]
        )
        await cancel(shop, document)
        await shop.system.fetch(
            "update emissions set protocol = $2 where document_id = $1", document["id"], document["protocol"]
        )
        assert data_of(await cancel(shop, document))["status"] == "canceled"
        assert await filings(shop, document) == ["refused", "registered"]


@of_every_type
class TestNoAnswer:
    @pytest.mark.usefixtures("short_wait")
    async def test_cancellation_without_an_answer_is_answered_202_and_completed_later(
        self, shop: Shop, register: Register, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        with register.out_of_service():
            answer = await cancel(shop, document)
            assert answer.status_code == 202
            record = answer.json()["data"]
            assert (record["id"], record["status"], record["type"]) == (
                document["id"],
                "authorized",
                document_type,
            )
            assert record["cancellation"]["status"] == "processing"
            shown = (await shop.events(document))[-1]
            assert (shown["id"], shown["type"], shown["status"]) == (
                record["cancellation"]["id"], "cancellation", "processing",
            )  # fmt: skip
            file = await shop.get(f"/{document_type}/{document['id']}/events/{shown['id']}/xml")
            assert error_of(file, 409, "INVALID_STATE")["currentStatus"] == "processing"
        await shop.system.until(f"(select status from documents where id = '{document['id']}') = 'canceled'")
        assert (await shop.events(document))[-1]["id"] == record["cancellation"]["id"]

    async def test_lost_answer_to_a_cancellation_is_settled_by_a_consult(
        self, shop: Shop, register: Register, document_type: str
    ) -> None:
        document = await shop.issue(document_type)
        register.losing.add(await tax_id_of(shop))
        assert data_of(await cancel(shop, document))["status"] == "canceled"
        assert await codes_of(shop, document) == [
            ("send", "100"), ("register_event", REGISTERED_CODE), ("consult_event", REGISTERED_CODE),
        ]  # fmt: skip
        event = (await shop.events(document))[-1]
        answer = await shop.get(f"/{document_type}/{document['id']}/events/{event['id']}/xml")
        assert answer.status_code == 200


class TestDeadline:
    async def test_late_cancellation_is_answered_with_the_authoritys_code_and_an_alternative(
        self, shop: Shop, register: Register
    ) -> None:
        document = await shop.issue()
        register.is_too_late = True
        details = error_of(await cancel(shop, document), 422, "CANCELLATION_DEADLINE_EXCEEDED")
        assert (details["authorityCode"], details["alternative"]) == (LATE_CODE, ALTERNATIVE)
        assert (await shop.read(document))["status"] == "authorized"
