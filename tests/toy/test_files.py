"""When the files and the history of a document are available."""

from datetime import datetime

import pytest

from integration.issuing.actions import xml_of
from integration.issuing.shop import Shop, error_of
from integration.issuing.system import System
from toy.codes import LOSES_ANSWER, REFUSAL_CODE, REFUSED, UNANSWERED
from toy.shop import KINDS

of_every_type = pytest.mark.parametrize("document_type", KINDS)
BEFORE_AN_ANSWER = ["created", "queued", "numbered", "signed", "transmitted"]


@of_every_type
class TestXml:
    async def test_xml_is_read_by_the_id_of_the_document_alone(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type)
        answer = await shop.caller.http.get(f"/v1/invoices/{record['id']}.xml")
        assert answer.content == await xml_of(shop, record)
        assert f"{record['accessKey']}.xml" in answer.headers["content-disposition"]

    async def test_xml_is_missing_before_an_authorization(
        self, system: System, shop: Shop, document_type: str
    ) -> None:
        async with system.worker_stopped():
            document = await shop.create(document_type)
            answers = [
                await shop.get(f"/{document_type}/{document['id']}/xml"),
                await shop.caller.http.get(f"/v1/invoices/{document['id']}.xml"),
            ]
        for answer in answers:
            details = error_of(answer, 409, "INVALID_STATE")
            assert details["currentStatus"] == "processing"
            assert "authorized" in details["allowed"]

    async def test_xml_is_missing_while_the_authority_does_not_answer(
        self, shop: Shop, document_type: str
    ) -> None:
        document = await shop.create(document_type, notes=UNANSWERED)
        sent = "type = 'transmitted'"
        await shop.system.until(
            f"exists (select from document_events where document_id = '{document['id']}' and {sent})"
        )
        error_of(await shop.get(f"/{document_type}/{document['id']}/xml"), 409, "INVALID_STATE")

    async def test_xml_is_missing_after_a_refusal(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type, notes=REFUSED)
        details = error_of(await shop.get(f"/{document_type}/{record['id']}/xml"), 409, "INVALID_STATE")
        assert details["currentStatus"] == "rejected"


@of_every_type
class TestRejection:
    async def test_rejection_has_code_message_field_and_hint(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type, notes=REFUSED)
        rejection = record["rejection"]
        assert (record["status"], record["protocol"], record["authorizedAt"]) == ("rejected", None, None)
        assert set(rejection) == {"code", "message", "field", "hint", "retryable"}
        assert (rejection["code"], rejection["field"]) == (REFUSAL_CODE, "notes")
        assert rejection["retryable"] is False

    async def test_rejection_file_contains_the_request_and_the_answer(
        self, shop: Shop, document_type: str
    ) -> None:
        record = await shop.issue(document_type, notes=REFUSED)
        file = await xml_of(shop, record, "rejection-xml")
        assert file.count(REFUSED.encode()) == 1
        assert file.endswith(b"<code>%b</code></answer></received></rejection>" % REFUSAL_CODE.encode())

    async def test_rejection_file_is_missing_without_a_refusal(self, shop: Shop, document_type: str) -> None:
        record = await shop.issue(document_type)
        details = error_of(
            await shop.get(f"/{document_type}/{record['id']}/rejection-xml"), 409, "INVALID_STATE"
        )
        assert details == {"currentStatus": "authorized", "allowed": ["rejected"]}


@of_every_type
class TestEvents:
    async def test_history_shows_every_step_to_an_outcome(self, shop: Shop, document_type: str) -> None:
        authorized, refused = await shop.issue(document_type), await shop.issue(document_type, notes=REFUSED)
        lost = await shop.issue(document_type, notes=LOSES_ANSWER)
        types = [
            [event["type"] for event in await shop.events(document)]
            for document in (authorized, refused, lost)
        ]
        ends = (["authorized"], ["rejected"], ["consulted", "authorized"])
        assert types == [[*BEFORE_AN_ANSWER, *end] for end in ends]

    async def test_history_is_in_chronological_order(self, shop: Shop, document_type: str) -> None:
        events = await shop.events(await shop.issue(document_type))
        moments = [datetime.fromisoformat(event["createdAt"]) for event in events]
        assert moments == sorted(moments)
        assert len({event["id"] for event in events}) == len(events)

    async def test_history_of_a_stored_document_is_only_its_creation(
        self, shop: Shop, document_type: str
    ) -> None:
        (event,) = await shop.events(await shop.create(document_type, transmit="later"))
        assert event["type"] == "created"
