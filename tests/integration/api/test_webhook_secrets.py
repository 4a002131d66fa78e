"""Rotation of the secret that signs a webhook's events."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from carimbo.service.delivery.webhook_headers import current_secrets
from integration.api.webhook_api import WebhookApi, key_of
from support import data_of, fields_of

HOUR = timedelta(hours=1)
NOW = timedelta(0)


async def rotate(webhooks: WebhookApi, webhook_id: str, body: Any = None) -> httpx2.Response:
    path = f"/v1/webhooks/{webhook_id}/rotate-secret"
    return await (webhooks.http.post(path) if body is None else webhooks.http.post(path, json=body))


async def signing(webhooks: WebhookApi, webhook_id: str, after: timedelta) -> list[bytes]:
    """Returns the secrets that sign the events of a webhook at a time from now."""
    async with webhooks.database.tenant(webhooks.caller.subscription_id) as tenant:
        kept = await tenant.secrets.all(UUID(webhook_id))
    return [*current_secrets(kept, datetime.now(UTC) + after)]


class TestRotation:
    @pytest.mark.parametrize(
        ("body", "hours"), [(None, 24), ({}, 24), ({"overlapHours": 72}, 72)], ids=["none", "empty", "given"]
    )
    async def test_rotation_keeps_the_old_secret_for_the_overlap(
        self, webhooks: WebhookApi, body: Any, hours: int
    ) -> None:
        created = await webhooks.create()
        rotated = data_of(await rotate(webhooks, created["id"], body))
        assert set(rotated) == {"id", "secret", "previousSecretValidUntil"}
        new, old = key_of(rotated["secret"]), key_of(created["secret"])
        assert await signing(webhooks, created["id"], hours * HOUR - timedelta(minutes=1)) == [new, old]
        assert await signing(webhooks, created["id"], hours * HOUR) == [new]
        until = datetime.fromisoformat(rotated["previousSecretValidUntil"])
        assert timedelta() <= datetime.now(UTC) + hours * HOUR - until < timedelta(minutes=1)

    async def test_second_rotation_keeps_the_overlap_of_the_first(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        second = data_of(await rotate(webhooks, created["id"], {"overlapHours": 72}))
        third = data_of(await rotate(webhooks, created["id"], {"overlapHours": 1}))
        oldest, older, newest = (key_of(record["secret"]) for record in (created, second, third))
        assert await signing(webhooks, created["id"], NOW) == [newest, older, oldest]
        assert await signing(webhooks, created["id"], 2 * HOUR) == [newest, oldest]
        assert await signing(webhooks, created["id"], 72 * HOUR) == [newest]

    async def test_webhook_shows_when_its_last_old_secret_expires(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        path = f"/v1/webhooks/{created['id']}"
        assert created["previousSecretValidUntil"] is None
        longest = data_of(await rotate(webhooks, created["id"], {"overlapHours": 72}))
        await rotate(webhooks, created["id"], {"overlapHours": 1})
        shown = data_of(await webhooks.http.get(path))
        assert shown["previousSecretValidUntil"] == longest["previousSecretValidUntil"]
        await rotate(webhooks, created["id"], {"overlapHours": 0})
        assert data_of(await webhooks.http.get(path))["previousSecretValidUntil"] is None

    async def test_rotation_without_overlap_discards_all_old_secrets(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        for _ in range(2):
            await rotate(webhooks, created["id"], {"overlapHours": 72})
        rotated = data_of(await rotate(webhooks, created["id"], {"overlapHours": 0}))
        assert rotated["previousSecretValidUntil"] is None
        assert await signing(webhooks, created["id"], NOW) == [key_of(rotated["secret"])]
        assert set(await webhooks.sealed(created["id"])) == {"signing"}

    async def test_old_secret_is_stored_encrypted(self, webhooks: WebhookApi) -> None:
        created = await webhooks.create()
        await rotate(webhooks, created["id"])
        sealed = await webhooks.sealed(created["id"])
        assert set(sealed) == {"signing", "signing.previous"}
        forms = (key_of(created["secret"]), created["secret"].removeprefix("whsec_").encode())
        assert not any(form in secret for secret in sealed.values() for form in forms)

    @pytest.mark.parametrize("hours", [-1, 73, "1", 1.5, True])
    async def test_overlap_out_of_range_is_refused(self, webhooks: WebhookApi, hours: object) -> None:
        created = await webhooks.create()
        refused = await rotate(webhooks, created["id"], {"overlapHours": hours})
        assert list(fields_of(refused)) == ["overlapHours"]
        assert await signing(webhooks, created["id"], NOW) == [key_of(created["secret"])]
