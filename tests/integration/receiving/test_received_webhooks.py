"""Webhook calls about received documents: each is signed, follows the contract, and says what happened."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from integration.receiving.inbox import NFES, Buyer, carried, served
from integration.webhooks.listener import (
    EVERYTHING,
    Listener,
    contract_of_events,
    listening,
    validated_events,
)
from receiver import receiving
from support import data_of

CTES, NFSES = "received-ctes", "received-nfses"
Issue = Callable[[Buyer], Awaitable[dict[str, Any]]]
LETTER = {"correction": "O endereço de entrega é Rua das Flores, 10"}
CTE_LETTER = {"corrections": [{"group": "compl", "field": "xObs", "value": "Entrega na doca 4"}]}
NFE_EVENTS = ["receivedNfe.created", "receivedNfe.completed"]


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return contract_of_events()


@pytest.fixture
async def listener(buyer: Buyer) -> AsyncIterator[Listener]:
    """A webhook of the company that receives the documents."""
    async with receiving() as receiver:
        yield await listening(buyer.shop, receiver, events={"received": EVERYTHING["received"]})


async def change(buyer: Buyer, document: dict[str, Any], body: dict[str, Any]) -> None:
    """Has the issuer cancel a document, or correct it if the body is that of a letter."""
    path = buyer.supplier.path(f"/{document['type']}/{document['id']}")
    http = buyer.supplier.caller.http
    if body.keys() & {"correction", "corrections"}:
        data_of(await http.post(f"{path}/correction", json=body))
    else:
        data_of(await http.request("DELETE", path, json=body))


@pytest.mark.parametrize(
    ("issue", "collection", "body", "events"),
    [
        (Buyer.buys, NFES, LETTER, [*NFE_EVENTS, "receivedNfe.corrected"]),
        (Buyer.buys, NFES, {}, [*NFE_EVENTS, "receivedNfe.canceled"]),
        (carried, CTES, CTE_LETTER, ["receivedCte.created", "receivedCte.corrected"]),
        (carried, CTES, {}, ["receivedCte.created", "receivedCte.canceled"]),
        (served, NFSES, {"reasonCode": "2"}, ["receivedNfse.created", "receivedNfse.canceled"]),
    ],
)
async def test_webhook_is_called_when_a_document_comes_and_when_its_issuer_changes_it(
    buyer: Buyer,
    listener: Listener,
    published: dict[str, Any],
    issue: Issue,
    collection: str,
    body: dict[str, Any],
    events: list[str],
) -> None:
    document = await issue(buyer)
    await buyer.sync(collection)
    await change(buyer, document, body)
    await buyer.an_hour_passes()
    assert await validated_events(published, listener, len(events)) == events
    payloads = await listener.payloads(len(events))
    assert {payload["data"]["accessKey"] for payload in payloads} == {document["accessKey"]}
    # Only an NF-e comes as a summary first.
    is_whole = [event != "receivedNfe.created" for event in events]
    assert [payload["data"]["hasFullXml"] for payload in payloads] == is_whole
    after = events[-1].partition(".")[2]
    situations = [*["authorized"] * (len(events) - 1), after]
    assert [payload["data"]["situation"] for payload in payloads] == situations
    assert (await buyer.only(collection))["situation"] == after
