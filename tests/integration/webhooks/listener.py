"""A webhook of a shop's subscription, and the receiver behind it."""

import json
from dataclasses import dataclass
from typing import Any

import httpx2
import jsonschema_rs
from fastapi import FastAPI
from standardwebhooks.webhooks import Webhook

from carimbo.api import webhooks
from carimbo.api.openapi import contract
from integration.issuing.shop import Shop
from receiver import Received, Receiver
from support import TIMEOUT_SECONDS, data_of

_VERBS = ("authorized", "rejected", "cancelled")
EVERYTHING = {
    "invoice": [f"{document_type}.{verb}" for document_type in ("nfe", "nfse") for verb in _VERBS],
    "nfce": [f"nfce.{verb}" for verb in _VERBS],
    "cte": [f"cte.{verb}" for verb in _VERBS],
    "mdfe": [f"mdfe.{verb}" for verb in (*_VERBS, "closed", "expiring")],
    "received": [
        "receivedNfe.created",
        "receivedNfe.completed",
        "receivedNfe.corrected",
        "receivedNfe.canceled",
        "receivedNfe.manifestDue",
        "receivedCte.created",
        "receivedCte.corrected",
        "receivedCte.canceled",
        "receivedCte.manifestDue",
        "receivedNfse.created",
        "receivedNfse.canceled",
    ],
    "system": ["certificate.expiring"],
}

INSERT_EVENT = """
    insert into events (subscription_id, topic, company_id, details)
    values ($1, 'certificate.expiring', $2::uuid, '{"daysLeft": 7, "expiresAt": "2027-01-01T00:00:00+00:00"}')
"""
"""An SQL statement that adds an event of a subscription and a company."""


@dataclass(frozen=True)
class Listener:
    """A registered webhook with its receiver and its secret."""

    shop: Shop
    receiver: Receiver
    id: str
    secret: str

    @property
    def path(self) -> str:
        return f"/v1/webhooks/{self.id}"

    async def until(self, count: int) -> list[Received]:
        """Waits for that many calls in total."""
        return await self.receiver.until(count, TIMEOUT_SECONDS)

    async def payloads(self, count: int) -> list[dict[str, Any]]:
        """Waits for that many calls and returns their payloads, with every signature verified."""
        return [self.verified(call) for call in await self.until(count)]

    def verified(self, call: Received, secret: str | None = None) -> dict[str, Any]:
        """Returns the payload of a call after verifying its signature."""
        Webhook(secret or self.secret).verify(call.body, dict(call.headers))
        return dict(json.loads(call.body))

    async def record(self) -> dict[str, Any]:
        return dict(data_of(await self.shop.caller.http.get(self.path)))

    async def post(self, rest: str, body: Any = None) -> httpx2.Response:
        return await self.shop.caller.http.post(self.path + rest, json=body)

    async def set_active(self, active: bool) -> None:
        answer = await self.shop.caller.http.patch(f"{self.path}/active", json={"active": active})
        data_of(answer)

    async def deliveries(self) -> list[dict[str, Any]]:
        """Returns the deliveries in the log, newest first."""
        return list(data_of(await self.shop.caller.http.get(f"{self.path}/deliveries")))

    async def delivery(self, delivery: dict[str, Any]) -> dict[str, Any]:
        """Returns a delivery with its attempts."""
        return dict(data_of(await self.shop.caller.http.get(f"{self.path}/deliveries/{delivery['id']}")))

    async def until_status(self, status: str) -> dict[str, Any]:
        """Waits until the newest delivery has the status and returns it with its attempts."""
        await self.shop.system.until(
            f"(select status = '{status}' from deliveries where webhook_id = '{self.id}'"
            " order by created_at desc limit 1)"
        )
        return await self.delivery((await self.deliveries())[0])


async def listening(shop: Shop, receiver: Receiver, **fields: Any) -> Listener:
    """Registers a webhook."""
    body = {"url": f"{receiver.url}/hook", **fields}
    created = data_of(await shop.caller.http.post("/v1/webhooks", json=body))
    return Listener(shop, receiver, created["id"], created["secret"])


def contract_of_events() -> dict[str, Any]:
    """Returns the part of the contract that is about events; the whole of it takes seconds to build.

    The tests of the contract compare it with the whole.
    """
    app = FastAPI()
    app.include_router(webhooks.event_router)
    return contract(app)


def reader_of(published: dict[str, Any], event: str) -> jsonschema_rs.Validator:
    """Returns the contract's validator for the body of an event."""
    body = published["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return jsonschema_rs.validator_for({**body, "components": published["components"]})


async def validated_events(published: dict[str, Any], listener: Listener, calls: int) -> list[str]:
    """Validates each call against the contract and returns the event names."""
    names = []
    for call, payload in zip(await listener.until(calls), await listener.payloads(calls), strict=True):
        event = published["webhooks"][payload["event"]]["post"]
        reader_of(published, payload["event"]).validate(payload)
        assert {header["name"] for header in event["parameters"]} <= set(call.headers)
        names.append(payload["event"])
    return names
