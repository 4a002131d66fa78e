"""The webhooks of one subscription over HTTP, and what a worker would write of their deliveries."""

import base64
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx2

from carimbo.storage.database import Database
from carimbo.storage.delivering import Attempt, ClaimedDelivery, DeliveryFate, conclude_delivery
from support import Caller, data_of

URL = "http://127.0.0.1:9/webhooks"
BODY: dict[str, Any] = {"url": URL, "events": {"invoice": ["nfe.authorized", "nfe.rejected"]}}
ATTEMPT = Attempt(
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
DELIVERED = DeliveryFate(status="delivered", failures=0)
_HELD = """
    update deliveries set lease_token = lease_token + 1, lease_until = now() + interval '1 minute'
    where subscription_id = $1 and id = $2
    returning subscription_id, id, webhook_id, event_id, lease_token as token, is_test, failures,
        attempts_made, attempts as claims
"""
_HELD_SECONDS = 60


def key_of(secret: str) -> bytes:
    """The octets of a secret as it is shown."""
    assert secret.startswith("whsec_")
    return base64.b64decode(secret.removeprefix("whsec_"), validate=True)


@dataclass(frozen=True)
class Site:
    """The webhooks of a subscription."""

    caller: Caller
    database: Database

    @property
    def http(self) -> httpx2.AsyncClient:
        return self.caller.http

    async def create(self, **told: Any) -> dict[str, Any]:
        return dict(data_of(await self.http.post("/v1/webhooks", json=BODY | told)))

    async def put(self, webhook_id: str, **told: Any) -> httpx2.Response:
        return await self.http.put(f"/v1/webhooks/{webhook_id}", json=BODY | told)

    async def read(self, webhook_id: str, rest: str = "") -> Any:
        return data_of(await self.http.get(f"/v1/webhooks/{webhook_id}{rest}"))

    async def set_active(self, webhook_id: str, active: object) -> httpx2.Response:
        return await self.http.patch(f"/v1/webhooks/{webhook_id}/active", json={"active": active})

    async def deliveries(self, webhook_id: str, **query: Any) -> Any:
        """What a webhook was or will be sent, as listed."""
        return data_of(await self.http.get(f"/v1/webhooks/{webhook_id}/deliveries", params=query))

    async def tell(self, *topics: str, document_id: UUID | None = None) -> None:
        """Let something happen, once for each topic, to a document or not."""
        for topic in topics:
            await self.fetch(
                "insert into events (subscription_id, topic, document_id) values ($1, $2, $3)",
                self.caller.subscription_id, topic, document_id,
            )  # fmt: skip

    async def hold(self, delivery_id: str) -> ClaimedDelivery:
        """Take a delivery as a worker does."""
        (row,) = await self.fetch(_HELD, self.caller.subscription_id, UUID(delivery_id))
        return ClaimedDelivery(**row, held_until=time.monotonic() + _HELD_SECONDS)

    async def attempt(
        self, delivery_id: str, attempt: Attempt = ATTEMPT, fate: DeliveryFate = DELIVERED
    ) -> None:
        """Write an attempt as a worker does."""
        claimed = await self.hold(delivery_id)
        async with self.database.connection() as connection:
            await conclude_delivery(connection, claimed, attempt, fate)

    async def secret(self, webhook_id: str, name: str) -> bytes | None:
        async with self.database.tenant(self.caller.subscription_id) as tenant:
            return await tenant.secrets.get(UUID(webhook_id), name)

    async def sealed(self, webhook_id: str) -> dict[str, bytes]:
        """The secrets of a webhook as they are kept."""
        rows = await self.fetch("select name, sealed from secrets where owner_id = $1", UUID(webhook_id))
        return {row["name"]: row["sealed"] for row in rows}

    async def fetch(self, statement: str, *arguments: object) -> list[Any]:
        async with self.database.connection() as connection:
            return list(await connection.fetch(statement, *arguments))
