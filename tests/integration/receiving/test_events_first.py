"""Events that the authority distributes before their documents."""

import json
from typing import Any

from integration.receiving.inbox import Buyer
from receiver import receiving
from support import TIMEOUT_SECONDS, data_of

_EVENTS = ["receivedNfe.created", "receivedNfe.completed", "receivedNfe.corrected", "receivedNfe.canceled"]


async def reverse_sequence(buyer: Buyer) -> None:
    """Has the authority distribute the event of the company's only document before the document."""
    connection = buyer.shop.system.simulator.site.store.connection
    # The number is a part of the primary key, which may not have two rows for a moment either.
    for number in ("-nsu", "3 + nsu"):
        connection.execute(f"update interests set nsu = {number} where taxpayer = ?", (await buyer.tax_id(),))


async def webhook_events(buyer: Buyer, count: int) -> list[dict[str, Any]]:
    """Follows the distribution with a webhook, and returns the payloads of its first calls."""
    async with receiving() as receiver:
        body = {"url": receiver.url, "events": {"received": _EVENTS}}
        data_of(await buyer.shop.caller.http.post("/v1/webhooks", json=body))
        await buyer.sync()
        calls = await receiver.until(count, TIMEOUT_SECONDS)
    return [json.loads(call.body) for call in calls]


async def test_document_that_was_canceled_before_is_never_shown_as_valid(buyer: Buyer) -> None:
    bought = await buyer.buys()
    data_of(await buyer.supplier.caller.http.delete(buyer.supplier.path(f"/nfe/{bought['id']}")))
    await reverse_sequence(buyer)
    (created,) = await webhook_events(buyer, 1)
    assert (created["event"], created["data"]["situation"]) == ("receivedNfe.created", "canceled")
    document = await buyer.only()
    assert (document["nsu"], document["situation"], document["status"]) == (2, "canceled", "pending")
    assert not document["hasFullXml"], "it was acknowledged"
    events = data_of(await buyer.shop.get(f"/received-nfes/{document['id']}/events"))
    assert [event["type"] for event in events] == ["110111"]


async def test_document_with_an_earlier_letter_is_corrected_and_acknowledged(buyer: Buyer) -> None:
    bought = await buyer.buys()
    correction = {"correction": "O endereço de entrega é Rua das Flores, 10"}
    data_of(await buyer.supplier.post(f"/nfe/{bought['id']}/correction", correction))
    await reverse_sequence(buyer)
    payloads = await webhook_events(buyer, 2)
    assert [payload["event"] for payload in payloads] == ["receivedNfe.created", "receivedNfe.completed"]
    assert {payload["data"]["situation"] for payload in payloads} == {"corrected"}
    document = await buyer.only()
    assert (document["situation"], document["status"], document["hasFullXml"]) == (
        "corrected",
        "science",
        True,
    )
