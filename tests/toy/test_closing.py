"""An event that adds a fact to its document, and whose request does not wait for the authority."""

from datetime import UTC, datetime
from typing import Any

import httpx2

from carimbo.fiscal.outcome import Closed
from integration.issuing.actions import cancel
from integration.issuing.printer import ask_event, last_event, pdf_of
from integration.issuing.scripted import LOST, Script, ScriptedWorker, authorizing
from integration.issuing.shop import Shop, error_of
from pdf_reading import text_of
from toy.codes import REFUSED

REASON = "Entregue"
CLOSED_AT = datetime(2026, 11, 14, 12, tzinfo=UTC)


def closing(script: Script) -> Closed:
    """Returns the answer about a document that somebody else closed."""
    return Closed(
        code="132",
        message="Encerrado",
        closed_at=CLOSED_AT,
        protocol="135260000000009",
        closing_xml=b"<closing/>",
        authorization=authorizing()(script),
    )


async def close(shop: Shop, document: dict[str, Any], reason: str = REASON) -> httpx2.Response:
    path = shop.path(f"/{document['type']}/{document['id']}/close")
    return await shop.caller.http.post(path, json={"reason": reason})


async def settled(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """Returns a document once its event is settled."""
    of_document = f"from event_filings where document_id = '{document['id']}'"
    await shop.system.until(f"exists (select {of_document} and state in ('registered', 'refused'))")
    return await shop.read(document)


class TestClosing:
    async def test_closing_is_answered_at_once_and_its_time_appears_in_the_record(self, shop: Shop) -> None:
        record = await shop.issue()
        assert record["closedAt"] is None
        answer = await close(shop, record)
        assert answer.status_code == 202, answer.text
        body = answer.json()["data"]
        assert (body["status"], body["close"]["status"]) == ("authorized", "processing")
        after = await settled(shop, record)
        # A closed document can not be canceled.
        assert after == record | {"closedAt": after["closedAt"], "cancelableUntil": None}
        assert datetime.fromisoformat(after["closedAt"]) >= datetime.fromisoformat(record["authorizedAt"])

    async def test_closing_appears_in_the_history_and_has_a_printout(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record)
        await settled(shop, record)
        event = await last_event(shop, record)
        assert (event["type"], event["status"]) == ("close", "authorized")
        name = f'"Encerramento-{record["accessKey"]}.pdf"'
        assert REASON in text_of(pdf_of(await ask_event(shop, record, event["id"]), name))

    async def test_repeated_closing_returns_the_registered_one(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record)
        await settled(shop, record)
        again = await close(shop, record, "Outro motivo")
        assert again.status_code == 200, again.text
        assert again.json()["data"]["id"] == (await last_event(shop, record))["id"]

    async def test_refused_closing_leaves_the_document_open(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record, REFUSED)
        assert await settled(shop, record) == record
        assert (await last_event(shop, record))["status"] == "rejected"

    async def test_closing_after_its_deadline_is_a_rule_violation(self, shop: Shop) -> None:
        record = await shop.issue()
        earlier = "update emissions set authorized_at = now() - interval '25 hours' where document_id = $1"
        await shop.system.fetch(earlier, record["id"])
        details = error_of(await close(shop, record), 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [
            ("CLOSING_TOO_LATE", "reason")
        ]

    async def test_closed_document_can_not_be_canceled(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record)
        await settled(shop, record)
        answer = await cancel(shop, record)
        assert error_of(answer, 409, "INVALID_STATE") == {"currentStatus": "authorized", "allowed": []}
        assert answer.json()["error"]["message"] == "O documento já foi encerrado."

    async def test_only_an_authorized_document_can_be_closed(self, shop: Shop) -> None:
        record = await shop.issue()
        await cancel(shop, record)
        details = error_of(await close(shop, record), 409, "INVALID_STATE")
        assert details == {"currentStatus": "canceled", "allowed": ["authorized"]}


class TestDocumentClosedElsewhere:
    async def test_document_closed_elsewhere_is_authorized_and_closed_after_a_lost_answer(
        self, worker: ScriptedWorker, shop: Shop
    ) -> None:
        worker.script.begin(LOST, closing)
        record = await worker.advance(await shop.create())
        assert record["status"] == "authorized"
        assert datetime.fromisoformat(record["closedAt"]) == CLOSED_AT
        types = [event["type"] for event in await shop.events(record)]
        assert types[-2:] == ["authorized", "close"]
        closed = await last_event(shop, record)
        file = await shop.get(f"/toy/{record['id']}/events/{closed['id']}/xml")
        assert file.content == b"<closing/>"
