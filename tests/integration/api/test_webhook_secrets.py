"""Changing the secret that a webhook's events are signed with."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2
import pytest

from carimbo.service.delivery.signature import signers
from integration.api.webhook_site import Site, key_of
from support import data_of, fields_of

HOUR = timedelta(hours=1)
NOW = timedelta(0)


async def rotate(site: Site, webhook_id: str, body: Any = None) -> httpx2.Response:
    path = f"/v1/webhooks/{webhook_id}/rotate-secret"
    return await (site.http.post(path) if body is None else site.http.post(path, json=body))


async def signing(site: Site, webhook_id: str, after: timedelta) -> list[bytes]:
    """What signs the events of a webhook so long from now."""
    async with site.database.tenant(site.caller.subscription_id) as tenant:
        kept = await tenant.secrets.all(UUID(webhook_id))
    return [*signers(kept, datetime.now(UTC) + after)]


class TestRotation:
    @pytest.mark.parametrize(
        ("body", "hours"), [(None, 24), ({}, 24), ({"overlapHours": 72}, 72)], ids=["none", "empty", "told"]
    )
    async def test_keeps_the_old_secret_for_a_while(self, site: Site, body: Any, hours: int) -> None:
        created = await site.create()
        rotated = data_of(await rotate(site, created["id"], body))
        assert set(rotated) == {"id", "secret", "previousSecretValidUntil"}
        new, old = key_of(rotated["secret"]), key_of(created["secret"])
        assert await signing(site, created["id"], hours * HOUR - timedelta(minutes=1)) == [new, old]
        assert await signing(site, created["id"], hours * HOUR) == [new]
        until = datetime.fromisoformat(rotated["previousSecretValidUntil"])
        assert timedelta() <= datetime.now(UTC) + hours * HOUR - until < timedelta(minutes=1)

    async def test_a_second_time_leaves_the_first_its_time(self, site: Site) -> None:
        created = await site.create()
        second = data_of(await rotate(site, created["id"], {"overlapHours": 72}))
        third = data_of(await rotate(site, created["id"], {"overlapHours": 1}))
        oldest, older, newest = (key_of(one["secret"]) for one in (created, second, third))
        assert await signing(site, created["id"], NOW) == [newest, older, oldest]
        assert await signing(site, created["id"], 2 * HOUR) == [newest, oldest]
        assert await signing(site, created["id"], 72 * HOUR) == [newest]

    async def test_is_seen_in_the_webhook_until_the_last_old_secret_ends(self, site: Site) -> None:
        created = await site.create()
        path = f"/v1/webhooks/{created['id']}"
        assert created["previousSecretValidUntil"] is None
        longest = data_of(await rotate(site, created["id"], {"overlapHours": 72}))
        await rotate(site, created["id"], {"overlapHours": 1})
        shown = data_of(await site.http.get(path))
        assert shown["previousSecretValidUntil"] == longest["previousSecretValidUntil"]
        await rotate(site, created["id"], {"overlapHours": 0})
        assert data_of(await site.http.get(path))["previousSecretValidUntil"] is None

    async def test_may_discard_all_old_secrets_at_once(self, site: Site) -> None:
        created = await site.create()
        for _ in range(2):
            await rotate(site, created["id"], {"overlapHours": 72})
        rotated = data_of(await rotate(site, created["id"], {"overlapHours": 0}))
        assert rotated["previousSecretValidUntil"] is None
        assert await signing(site, created["id"], NOW) == [key_of(rotated["secret"])]
        assert set(await site.sealed(created["id"])) == {"signing"}

    async def test_seals_the_old_secret_too(self, site: Site) -> None:
        created = await site.create()
        await rotate(site, created["id"])
        sealed = await site.sealed(created["id"])
        assert set(sealed) == {"signing", "signing.previous"}
        forms = (key_of(created["secret"]), created["secret"].removeprefix("whsec_").encode())
        assert not any(form in one for one in sealed.values() for form in forms)

    @pytest.mark.parametrize("hours", [-1, 73, "1", 1.5, True])
    async def test_refuses_an_overlap_out_of_bounds(self, site: Site, hours: object) -> None:
        created = await site.create()
        refused = await rotate(site, created["id"], {"overlapHours": hours})
        assert list(fields_of(refused)) == ["overlapHours"]
        assert await signing(site, created["id"], NOW) == [key_of(created["secret"])]
