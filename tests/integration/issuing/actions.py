"""Requests that callers make for documents of a shop, and helpers that read the results."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

import httpx2
from lxml import etree

from carimbo.service.maintenance import list_parked
from carimbo.service.orders import DIFFERENT_BODY
from integration.issuing.shop import Shop, error_of
from integration.issuing.system import System
from support import Caller, data_of

TRIAL = 10
"""How many documents the trial plan allows."""
LETTER = "O endereço de entrega é Rua das Flores, 10"
"""The text of a correction letter."""
_OF_GOODS = [("NFeAutorizacao4", "100"), ("NFeRecepcaoEvento4", "135")]
_OF_SERVICES = [("POST /nfse", "100"), ("POST /nfse/{chave}/eventos", "201")]
_OF_FREIGHT = [("CTeRecepcaoSincV4", "100"), ("CTeRecepcaoEventoV4", "135")]
JOURNALS = {"nfe": _OF_GOODS, "nfce": _OF_GOODS, "nfse": _OF_SERVICES, "cte": _OF_FREIGHT}
"""The requests that each authority receives when a document is issued and canceled, with the answer codes."""
SPENT = {"limit": TRIAL, "used": TRIAL, "resetsAt": None}


async def cancel(shop: Shop, document: dict[str, Any], body: Any = None, **query: Any) -> httpx2.Response:
    path = shop.path(f"/{document['type']}/{document['id']}")
    return await shop.caller.http.request("DELETE", path, json=body, params=query)


async def discard(shop: Shop, document: dict[str, Any]) -> httpx2.Response:
    """Requests the deletion of a document that has no number."""
    return await shop.caller.http.delete(shop.path(f"/invoices/{document['id']}"))


async def rejected_without_number(shop: Shop, document_type: str, **changes: Any) -> dict[str, Any]:
    """Returns a document that was rejected because its company had lost its certificate."""
    async with shop.system.worker_stopped():
        document = await shop.create(document_type, **changes)
        data_of(await shop.caller.http.delete(shop.path("/certificate")))
    record = await shop.settled(document)
    assert (record["status"], record["number"], record["dps"]) == ("rejected", None, None)
    return record


async def correct(shop: Shop, document: dict[str, Any], text: str = LETTER) -> httpx2.Response:
    """Requests a correction letter."""
    return await shop.post(f"/{document['type']}/{document['id']}/correction", {"correction": text})


@asynccontextmanager
async def out_of_service(system: System, authorizer: str) -> AsyncIterator[None]:
    """Keeps an authority of the simulator out of service for the length of a block."""
    await system.switch(outages={authorizer: "108"})
    try:
        yield
    finally:
        await system.switch(outages={authorizer: None})


async def switch_environment(shop: Shop, environment: str) -> None:
    """Moves a company to another environment."""
    path = shop.path("/environment")
    data_of(await shop.caller.http.patch(path, json={"environment": environment}))


async def missing(shop: Shop, document_type: str) -> list[str]:
    """Returns the missing fields of a company from the error of an issue request."""
    details = error_of(
        await shop.post(f"/{document_type}", shop.bodies[document_type]), 422, "COMPANY_NOT_READY"
    )
    assert await shop.count() == 0
    return list(details["missing"])


async def until_sent(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """Waits until the document was sent to the authority, whether it answers or not."""
    sent = f"document_id = '{document['id']}' and type = 'transmitted'"
    await shop.system.until(f"exists (select from document_events where {sent})")
    return document


async def listed_ids(shop: Shop, path: str = "/invoices", **query: Any) -> list[str]:
    """Returns the ids of a filtered list; its total must agree with them."""
    answer = await shop.get(path, **query)
    ids = [record["id"] for record in data_of(answer)]
    assert answer.json()["pageInfo"]["total"] == len(ids)
    return ids


async def parked(shop: Shop, document_type: str | None = None) -> dict[str, Any]:
    """Returns a new document that a worker has parked."""
    async with shop.system.worker_stopped():
        document = await shop.create(document_type)
        await shop.system.fetch(
            "update documents set parked_reason = 'broken', next_action_at = null, held_by_operator = false"
            " where id = $1",
            UUID(document["id"]),
        )
    return document


async def parking_reasons(shop: Shop, document: dict[str, Any]) -> list[str]:
    """Returns why a document is parked; empty if it is not."""
    return [parked.parked_reason for parked in await list_parked(shop.system.database, UUID(document["id"]))]


async def xml_of(shop: Shop, document: dict[str, Any], file: str = "xml") -> bytes:
    """Returns an XML file of a document."""
    answer = await shop.get(f"/{document['type']}/{document['id']}/{file}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/xml"), answer.text
    return answer.content


async def filings(shop: Shop, document: dict[str, Any]) -> list[str]:
    """Returns the states of a document's events, read from the database."""
    rows = await shop.system.fetch(
        "select state from event_filings where document_id = $1 order by created_at", document["id"]
    )
    return [row["state"] for row in rows]


async def events_of(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    """Returns the published events of a subscription."""
    return list(data_of(await caller.http.get("/v1/events", params=query)))


def replayed(answer: httpx2.Response) -> dict[str, Any]:
    """Returns the record of a replayed request, without the warning about a different body."""
    assert (answer.status_code, answer.headers.get("Idempotent-Replayed")) == (200, "true"), answer.text
    record = dict(answer.json()["data"])
    warnings = [warning for warning in record["warnings"] if warning != DIFFERENT_BODY]
    return record | {"warnings": warnings}


async def text_in_xml(shop: Shop, document: dict[str, Any], path: str) -> str | None:
    """Returns the text at a path in the XML of a document; the path may begin at any depth."""
    names = "/".join(f"{{*}}{name}" for name in path.split("/"))
    return etree.fromstring(await xml_of(shop, document)).findtext(f".//{names}")


async def usage(shop: Shop) -> dict[str, tuple[int, int]]:
    """Returns the used and reserved documents of a subscription's plan, by period."""
    rows = await shop.system.fetch(
        "select period, used, reserved from allowances where subscription_id = $1",
        shop.caller.subscription_id,
    )
    return {row["period"]: (row["used"], row["reserved"]) for row in rows}


async def spend(shop: Shop, used: int = TRIAL) -> None:
    """Sets how many documents of the trial plan are used."""
    await shop.system.fetch(
        "insert into allowances (subscription_id, period, used) values ($1, 'total', $2)"
        " on conflict (subscription_id, period) do update set used = excluded.used",
        shop.caller.subscription_id, used,
    )  # fmt: skip
