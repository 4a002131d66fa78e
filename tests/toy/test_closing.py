"""An event that leaves a fact with its document, and whose request does not wait for the authority."""

from datetime import UTC, datetime
from typing import Any

import httpx2

from carimbo.fiscal.outcome import Closed
from integration.issuing.actions import cancel
from integration.issuing.printer import ask_event, last_event, pdf_of
from integration.issuing.scripted import LOST, Play, Script, authorizing
from integration.issuing.shop import Shop, error_of
from pdf_reading import text_of
from toy.codes import REFUSED

REASON = "Entregue"
CLOSED_AT = datetime(2026, 11, 14, 12, tzinfo=UTC)


def closing(script: Script) -> Closed:
    """Returns the answer of an authority at which somebody else closed the document."""
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
    """Returns a document once the fate of its event is known."""
    of_document = f"from event_filings where document_id = '{document['id']}'"
    await shop.floor.until(f"exists (select {of_document} and state in ('registered', 'refused'))")
    return await shop.read(document)


class TestClosing:
    async def test_answers_at_once_and_leaves_the_moment_in_the_record(self, shop: Shop) -> None:
        record = await shop.issue()
        assert record["closedAt"] is None
        answer = await close(shop, record)
        assert answer.status_code == 202, answer.text
        body = answer.json()["data"]
        assert (body["status"], body["closing"]["status"]) == ("authorized", "processing")
        after = await settled(shop, record)
        # What is closed can't be canceled.
        assert after == record | {"closedAt": after["closedAt"], "cancelableUntil": None}
        assert datetime.fromisoformat(after["closedAt"]) >= datetime.fromisoformat(record["authorizedAt"])

    async def test_is_in_the_history_and_on_paper_under_its_own_name(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record)
        await settled(shop, record)
        event = await last_event(shop, record)
        assert (event["type"], event["status"]) == ("closing", "authorized")
        name = f'"Encerramento-{record["accessKey"]}.pdf"'
        assert REASON in text_of(pdf_of(await ask_event(shop, record, event["id"]), name))

    async def test_again_returns_the_one_that_is_registered(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record)
        await settled(shop, record)
        again = await close(shop, record, "Outro motivo")
        assert again.status_code == 200, again.text
        assert again.json()["data"]["id"] == (await last_event(shop, record))["id"]

    async def test_that_is_refused_leaves_nothing(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record, REFUSED)
        assert await settled(shop, record) == record
        assert (await last_event(shop, record))["status"] == "rejected"

    async def test_after_its_deadline_breaks_a_rule(self, shop: Shop) -> None:
        record = await shop.issue()
        earlier = "update emissions set authorized_at = now() - interval '25 hours' where document_id = $1"
        await shop.floor.fetch(earlier, record["id"])
        details = error_of(await close(shop, record), 422, "FISCAL_RULE_VIOLATION")
        assert [(rule["code"], rule["field"]) for rule in details["rules"]] == [
            ("CLOSING_TOO_LATE", "reason")
        ]

    async def test_forbids_events_that_can_t_come_after_it(self, shop: Shop) -> None:
        record = await shop.issue()
        await close(shop, record)
        await settled(shop, record)
        answer = await cancel(shop, record)
        assert error_of(answer, 409, "INVALID_STATE") == {"currentStatus": "authorized", "allowed": []}
        assert answer.json()["error"]["message"] == "O documento já foi encerrado."

    async def test_needs_an_authorized_document(self, shop: Shop) -> None:
        record = await shop.issue()
        await cancel(shop, record)
        details = error_of(await close(shop, record), 409, "INVALID_STATE")
        assert details == {"currentStatus": "canceled", "allowed": ["authorized"]}


class TestDocumentThatSomebodyElseClosed:
    async def test_is_authorized_and_closed_once_a_lost_answer_is_asked_for(
        self, play: Play, shop: Shop
    ) -> None:
        play.script.begin(LOST, closing)
        record = await play.perform(await shop.create())
        assert record["status"] == "authorized"
        assert datetime.fromisoformat(record["closedAt"]) == CLOSED_AT
        types = [event["type"] for event in await shop.events(record)]
        assert types[-2:] == ["authorized", "closing"]
        closed = await last_event(shop, record)
        file = await shop.get(f"/toy/{record['id']}/events/{closed['id']}/xml")
        assert file.content == b"<closing/>"
