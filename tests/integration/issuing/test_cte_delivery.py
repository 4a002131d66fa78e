"""Proofs of delivery and failed deliveries of CT-e, from the API to the simulated authorities."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from integration.issuing.actions import cancel, out_of_service
from integration.issuing.printer import ask_event, pdf_of
from integration.issuing.shop import CARRIED_NFE, Shop, error_of
from integration.issuing.test_cte import text_in
from pdf_reading import text_of
from support import data_of

LOSES_ANSWER = "SIMULA:RESPOSTA_PERDIDA"
PICTURE = "iVBORw0KGgo="


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


async def deliver(shop: Shop, document: dict[str, Any], name: str = "Ana Ramos", **fields: Any) -> Any:
    body = {"deliveredAt": now(), "recipientName": name, "recipientDocument": "1234", "image": PICTURE}
    return await shop.post(f"/cte/{document['id']}/delivery", body | fields)


async def undo(shop: Shop, document: dict[str, Any], what: str = "delivery", **query: Any) -> httpx2.Response:
    return await shop.caller.http.delete(shop.path(f"/cte/{document['id']}/{what}"), params=query)


async def event_xml(shop: Shop, document: dict[str, Any], event: dict[str, Any]) -> bytes:
    return (await shop.get(f"/cte/{document['id']}/events/{event['id']}/xml")).content


def rules_of(answer: httpx2.Response) -> list[tuple[str, str]]:
    rules = error_of(answer, 422, "FISCAL_RULE_VIOLATION")["rules"]
    return [(rule["code"], rule["field"]) for rule in rules]


@pytest.fixture
async def issued(shop: Shop) -> dict[str, Any]:
    """An authorized CT-e."""
    return await shop.issue("cte")


class TestDelivery:
    async def test_delivery_is_proved_undone_and_proved_again(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        assert issued["deliveredAt"] is None
        moment = now()
        proof = data_of(await deliver(shop, issued, deliveredAt=moment))
        assert (proof["type"], proof["sequence"], proof["authorityCode"]) == ("delivery", 1, "135")
        delivered_at = (await shop.read(issued))["deliveredAt"]
        assert datetime.fromisoformat(delivered_at) == datetime.fromisoformat(moment)
        assert text_in(await event_xml(shop, issued, proof), "chNFe") == CARRIED_NFE

        assert rules_of(await deliver(shop, issued, "João")) == [("870", "deliveredAt")]
        undone = data_of(await undo(shop, issued))
        assert (undone["type"], undone["sequence"]) == ("deliveryCancellation", 1)
        assert text_in(await event_xml(shop, issued, undone), "nProtCE") == proof["protocol"]
        assert (await shop.read(issued))["deliveredAt"] is None

        again = data_of(await deliver(shop, issued, "João"))
        assert (again["sequence"], (await shop.read(issued))["deliveredAt"] is None) == (2, False)
        history = [(event["type"], event["undoneEventId"]) for event in await shop.events(issued)]
        assert history[-3:] == [("delivery", None), ("deliveryCancellation", proof["id"]), ("delivery", None)]

    async def test_same_proof_again_returns_the_registered_one(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        moment = now()
        answers = [data_of(await deliver(shop, issued, deliveredAt=moment)) for _ in range(2)]
        assert answers[0]["id"] == answers[1]["id"]

    async def test_delivered_cte_is_canceled_only_after_its_proof(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        data_of(await deliver(shop, issued))
        assert (await shop.read(issued))["cancelableUntil"] is None
        refused = await cancel(shop, issued)
        error_of(refused, 409, "INVALID_STATE")
        assert "(862)" in refused.json()["error"]["message"]
        data_of(await undo(shop, issued))
        assert data_of(await cancel(shop, issued))["status"] == "canceled"

    async def test_proof_whose_answer_is_lost_is_registered_once(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        proof = data_of(await deliver(shop, issued, LOSES_ANSWER))
        assert (proof["sequence"], proof["authorityCode"]) == (1, "135")
        assert data_of(await undo(shop, issued))["authorityCode"] == "135"

    async def test_simultaneous_proofs_are_decided_one_after_the_other(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        answers = await asyncio.gather(*(deliver(shop, issued, f"Pessoa {number}") for number in range(5)))
        codes = [answer.status_code for answer in answers]
        assert (codes.count(200), set(codes) <= {200, 409, 422}) == (1, True)
        types = [event["type"] for event in await shop.events(issued)]
        assert types.count("delivery") == 1

    @pytest.mark.usefixtures("short_wait")
    async def test_proof_waits_for_an_authority_that_is_out_of_service(
        self, shop: Shop, issued: dict[str, Any]
    ) -> None:
        async with out_of_service(shop.system, "SP"):
            answer = await deliver(shop, issued)
            assert (answer.status_code, answer.json()["data"]["delivery"]["status"]) == (202, "processing")
            error_of(await undo(shop, issued), 409, "INVALID_STATE")
        await shop.system.until(f"(select facts ? 'deliveredAt' from documents where id = '{issued['id']}')")
        data_of(await undo(shop, issued))

    async def test_nothing_is_undone_without_a_proof(self, shop: Shop, issued: dict[str, Any]) -> None:
        error_of(await undo(shop, issued), 409, "INVALID_STATE")
        error_of(await undo(shop, issued, "failed-delivery"), 409, "INVALID_STATE")
        foreign = await undo(shop, issued, eventId="01a1ee9e-66c9-7871-8ab0-e33cfdb937d5")
        assert rules_of(foreign) == [("866", "eventId")]

    async def test_proof_of_the_future_is_refused(self, shop: Shop, issued: dict[str, Any]) -> None:
        refused = await deliver(shop, issued, deliveredAt="2099-01-01T00:00:00Z")
        assert rules_of(refused) == [("872", "deliveredAt")]

    async def test_proof_can_be_printed(self, shop: Shop, issued: dict[str, Any]) -> None:
        proof = data_of(await deliver(shop, issued))
        name = f'"Entrega-{issued["accessKey"]}-001.pdf"'
        text = text_of(pdf_of(await ask_event(shop, issued, proof["id"]), name))
        assert "COMPROVANTE DE ENTREGA" in text
        assert "Ana Ramos" in text


class TestFailedDelivery:
    async def test_failures_are_counted_and_undone(self, shop: Shop, issued: dict[str, Any]) -> None:
        path = f"/cte/{issued['id']}/failed-delivery"
        first = data_of(await shop.post(path, {"attemptedAt": now(), "reason": "notFound"}))
        body = {"attemptedAt": now(), "reason": "other", "justification": f"Rua fechada. {LOSES_ANSWER}"}
        second = data_of(await shop.post(path, body))
        assert text_in(await event_xml(shop, issued, second), "nTentativa") == "002"
        undone = data_of(await undo(shop, issued, "failed-delivery", eventId=first["id"]))
        assert undone["type"] == "failedDeliveryCancellation"
        assert text_in(await event_xml(shop, issued, undone), "nProtIE") == first["protocol"]
        assert (await shop.read(issued))["deliveredAt"] is None
        data_of(await deliver(shop, issued))
