"""A client of a subscription's webhooks, which also writes deliveries as a worker does."""

import base64
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx2

from carimbo.storage.database import Database
from carimbo.storage.delivery_attempts import (
    ConcludedDelivery,
    DeliveryOutcome,
    NewDeliveryAttempt,
    conclude_deliveries,
)
from carimbo.storage.delivery_queue import ClaimedDelivery
from support import Caller, data_of

URL = "http://127.0.0.1:9/webhooks"
BODY: dict[str, Any] = {"url": URL, "events": {"invoice": ["nfe.authorized", "nfe.rejected"]}}
ATTEMPT = NewDeliveryAttempt(
    url=URL,
    request_headers={"webhook-id": "1", "X-Loja": "********"},
    request_body='{"event":"nfe.authorized"}',
    response_status=200,
    response_body="ok",
    error=None,
    started_at=datetime(2026, 11, 10, 12, tzinfo=UTC),
    milliseconds=42,
)
TOKEN = "Bearer 0123456789abcdef"
HEADERS = [{"key": "Authorization", "value": TOKEN}, {"key": "X-Loja", "value": "7"}]
MASKED = [{"key": "Authorization", "value": "********cdef"}, {"key": "X-Loja", "value": "********"}]
DELIVERED = DeliveryOutcome(status="delivered", failures=0)
_HELD = """
    update deliveries set lease_token = lease_token + 1, lease_until = now() + interval '1 minute'
    where subscription_id = $1 and id = $2
    returning subscription_id, id, webhook_id, event_id, lease_token as token, is_test, failures,
        attempts_made, attempts as claims
"""
_HELD_SECONDS = 60


def key_of(secret: str) -> bytes:
    """Returns the bytes of a secret as it is shown."""
    assert secret.startswith("whsec_")
    return base64.b64decode(secret.removeprefix("whsec_"), validate=True)


@dataclass(frozen=True)
class WebhookApi:
    """Creates, changes and reads the webhooks of a subscription."""

    caller: Caller
    database: Database

    @property
    def http(self) -> httpx2.AsyncClient:
        return self.caller.http

    async def create(self, **fields: Any) -> dict[str, Any]:
        return dict(data_of(await self.http.post("/v1/webhooks", json=BODY | fields)))

    async def put(self, webhook_id: str, **fields: Any) -> httpx2.Response:
        return await self.http.put(f"/v1/webhooks/{webhook_id}", json=BODY | fields)

    async def read(self, webhook_id: str, rest: str = "") -> Any:
        return data_of(await self.http.get(f"/v1/webhooks/{webhook_id}{rest}"))

    async def set_active(self, webhook_id: str, active: object) -> httpx2.Response:
        return await self.http.patch(f"/v1/webhooks/{webhook_id}/active", json={"active": active})

    async def deliveries(self, webhook_id: str, **query: Any) -> Any:
        """Returns the list of deliveries of a webhook."""
        return data_of(await self.http.get(f"/v1/webhooks/{webhook_id}/deliveries", params=query))

    async def add_events(self, *topics: str, document_id: UUID | None = None) -> None:
        """Adds an event of each topic, with or without a document."""
        for topic in topics:
            await self.fetch(
                "insert into events (subscription_id, topic, document_id) values ($1, $2, $3)",
                self.caller.subscription_id, topic, document_id,
            )  # fmt: skip

    async def hold(self, delivery_id: str) -> ClaimedDelivery:
        """Claims a delivery as a worker does."""
        (row,) = await self.fetch(_HELD, self.caller.subscription_id, UUID(delivery_id))
        return ClaimedDelivery(**row, held_until=time.monotonic() + _HELD_SECONDS)

    async def attempt(
        self, delivery_id: str, attempt: NewDeliveryAttempt = ATTEMPT, outcome: DeliveryOutcome = DELIVERED
    ) -> None:
        """Writes an attempt as a worker does."""
        assert await self.conclude(await self.hold(delivery_id), attempt, outcome)

    async def conclude(
        self,
        claimed: ClaimedDelivery,
        attempt: NewDeliveryAttempt = ATTEMPT,
        outcome: DeliveryOutcome = DELIVERED,
    ) -> bool:
        """Writes an attempt of a claimed delivery; returns whether the lease was still held."""
        async with self.database.connection() as connection:
            concluded = ConcludedDelivery(claimed, attempt, outcome)
            (is_stored,) = await conclude_deliveries(connection, [concluded])
            return is_stored

    async def secret(self, webhook_id: str, name: str) -> bytes | None:
        async with self.database.tenant(self.caller.subscription_id) as tenant:
            return await tenant.secrets.get(UUID(webhook_id), name)

    async def sealed(self, webhook_id: str) -> dict[str, bytes]:
        """Returns the encrypted secrets of a webhook."""
        rows = await self.fetch("select name, sealed from secrets where owner_id = $1", UUID(webhook_id))
        return {row["name"]: row["sealed"] for row in rows}

    async def fetch(self, statement: str, *arguments: object) -> list[Any]:
        async with self.database.connection() as connection:
            return list(await connection.fetch(statement, *arguments))
