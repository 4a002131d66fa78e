"""What callers do with documents of a shop, and what they read of them."""

from typing import Any

import httpx2
from lxml import etree

from carimbo.service.orders import DIFFERENT_BODY
from integration.issuing.shop import Shop
from support import Caller, data_of

TRIAL = 10
"""How many documents a trial has."""
SPENT = {"limit": TRIAL, "used": TRIAL, "resetsAt": None}


async def cancel(shop: Shop, document: dict[str, Any], body: Any = None, **query: Any) -> httpx2.Response:
    path = shop.path(f"/{document['type']}/{document['id']}")
    return await shop.caller.http.request("DELETE", path, json=body, params=query)


async def filings(shop: Shop, document: dict[str, Any]) -> list[str]:
    """The states of a document's events, by the rows themselves."""
    rows = await shop.floor.fetch(
        "select state from event_filings where document_id = $1 order by created_at", document["id"]
    )
    return [row["state"] for row in rows]


async def events_of(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    """What a subscription is told of its documents."""
    return list(data_of(await caller.http.get("/v1/events", params=query)))


def replayed(answer: httpx2.Response) -> dict[str, Any]:
    """The record of an order that was made before, without the warning that its body was another."""
    assert (answer.status_code, answer.headers.get("Idempotent-Replayed")) == (200, "true"), answer.text
    record = dict(answer.json()["data"])
    warnings = [warning for warning in record["warnings"] if warning != DIFFERENT_BODY]
    return record | {"warnings": warnings}


async def text_in_xml(shop: Shop, document: dict[str, Any], path: str) -> str | None:
    """What the XML of a document has at a path, which begins anywhere."""
    answer = await shop.get(f"/{document['type']}/{document['id']}/xml")
    names = "/".join(f"{{*}}{name}" for name in path.split("/"))
    return etree.fromstring(answer.content).findtext(f".//{names}")


async def usage(shop: Shop) -> dict[str, tuple[int, int]]:
    """What a subscription has used and reserved of its plan, by period."""
    rows = await shop.floor.fetch(
        "select period, used, reserved from allowances where subscription_id = $1",
        shop.caller.subscription_id,
    )
    return {row["period"]: (row["used"], row["reserved"]) for row in rows}


async def spend(shop: Shop, used: int = TRIAL) -> None:
    """Let so much of a trial be used already."""
    await shop.floor.fetch(
        "insert into allowances (subscription_id, period, used) values ($1, 'total', $2)"
        " on conflict (subscription_id, period) do update set used = excluded.used",
        shop.caller.subscription_id, used,
    )  # fmt: skip
