"""Calls follow the published contract, so that types generated from it can parse them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carimbo.service.company_status.certificate_expiry import (
    certificates_to_warn_about,
    publish_expiry_warning,
)
from carimbo.worker.chores import warn_of_open_documents
from integration.issuing.actions import cancel
from integration.issuing.manifests import issue as issue_manifest
from integration.issuing.shop import KINDS, REFUSALS, Shop
from integration.webhooks.listener import (
    EVERYTHING,
    Listener,
    contract_of_events,
    reader_of,
    validated_events,
)
from support import data_of


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return contract_of_events()


async def warn_of_expiration(shop: Shop) -> None:
    """Publishes the warning that the certificate of a shop is about to expire."""
    ends_at = datetime.fromisoformat(data_of(await shop.get("/certificate"))["certificate"]["expiresAt"])
    now, database = ends_at - timedelta(days=5), shop.system.database
    (ours,) = [
        warning
        for warning in await certificates_to_warn_about(database, now)
        if str(warning.company_id) == shop.id
    ]
    assert await publish_expiry_warning(database, ours, now)


class TestEvents:
    def test_all_events_including_the_test_event_are_published(self, published: dict[str, Any]) -> None:
        names = [event for group in EVERYTHING.values() for event in group]
        assert sorted(published["webhooks"]) == sorted([*names, "webhook.test"])

    async def test_document_events_are_as_published(
        self, published: dict[str, Any], shop: Shop, listener: Listener
    ) -> None:
        for document_type in KINDS:
            data_of(await cancel(shop, await shop.issue(document_type, externalId=f"pedido-{document_type}")))
            await shop.issue(document_type, notes=REFUSALS[document_type])
        events = await validated_events(published, listener, 3 * len(KINDS))
        verbs = ("authorized", "cancelled", "rejected")
        assert sorted(events) == sorted(
            f"{document_type}.{verb}" for document_type in KINDS for verb in verbs
        )

    async def test_events_of_manifests_are_as_published(
        self, published: dict[str, Any], shop: Shop, listener: Listener
    ) -> None:
        manifest = await issue_manifest(shop)
        await shop.system.fetch(
            "update documents set created_at = created_at - interval '26 days',"
            " facts = jsonb_set(facts, '{openSince}', to_jsonb(now() - interval '26 days')) where id = $1",
            manifest["id"],
        )
        await warn_of_open_documents(shop.system.database, datetime.now(UTC))
        data_of(await shop.post(f"/mdfe/{manifest['id']}/close", {"cityCode": "3304557"}))
        events = await validated_events(published, listener, 3)
        assert events == ["mdfe.authorized", "mdfe.expiring", "mdfe.closed"]

    async def test_certificate_and_test_events_are_as_published(
        self, published: dict[str, Any], shop: Shop, listener: Listener
    ) -> None:
        data_of(await listener.post("/test"))
        await warn_of_expiration(shop)
        assert await validated_events(published, listener, 2) == ["webhook.test", "certificate.expiring"]

    async def test_a_payload_matches_only_its_own_event(
        self, published: dict[str, Any], shop: Shop, listener: Listener
    ) -> None:
        await shop.issue("nfe")
        (payload,) = await listener.payloads(1)
        assert reader_of(published, "nfe.authorized").is_valid(payload)
        others = published["webhooks"].keys() - {"nfe.authorized"}
        assert not [event for event in others if reader_of(published, event).is_valid(payload)]
