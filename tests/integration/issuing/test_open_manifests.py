"""Manifests left open: found by vehicle and driver, warned of, and closed when a company wants it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from carimbo.service.company_status.open_documents import documents_to_warn_about, publish_warning
from carimbo.worker.chores import close_forgotten_documents, warn_of_open_documents
from integration.issuing.actions import filings, switch_environment
from integration.issuing.manifests import DRIVER, create, issue
from integration.issuing.shop import Shop
from support import data_of


async def left_open(shop: Shop, days: int) -> dict[str, Any]:
    """Returns a manifest that was authorized so many days ago."""
    manifest = await issue(shop)
    await shop.system.fetch(
        "update documents set created_at = created_at - make_interval(days => $2), facts = facts"
        " || jsonb_build_object('openSince', now() - make_interval(days => $2)) where id = $1",
        UUID(manifest["id"]),
        days,
    )
    return manifest


async def warnings_about(shop: Shop, manifest: dict[str, Any]) -> list[tuple[str, int]]:
    listed = data_of(await shop.caller.http.get("/v1/events"))
    return [
        (event["event"], event["data"]["daysLeft"])
        for event in listed
        if event["data"].get("id") == manifest["id"] and "daysLeft" in event["data"]
    ]


class TestLists:
    async def test_manifests_are_found_by_vehicle(self, shop: Shop) -> None:
        manifest = await create(shop, plate="XYZ9K88")
        await create(shop)
        for plate in ("XYZ9K88", "xyz-9k88"):
            assert [row["id"] for row in data_of(await shop.get("/mdfe", plate=plate))] == [manifest["id"]]
        assert data_of(await shop.get("/mdfe", plate="AAA0A00")) == []

    async def test_manifests_are_found_by_driver_also_by_one_who_was_added(self, shop: Shop) -> None:
        first, second = await issue(shop), await issue(shop)
        data_of(await shop.post(f"/mdfe/{second['id']}/drivers", DRIVER))
        ids_by_driver = {
            tax_id: {row["id"] for row in data_of(await shop.get("/mdfe", driverTaxId=tax_id))}
            for tax_id in ("529.982.247-25", "39053344705", "111.444.777-35")
        }
        assert ids_by_driver == {
            "529.982.247-25": {first["id"], second["id"]},
            "39053344705": {second["id"]},
            "111.444.777-35": set(),
        }


class TestWarnings:
    @pytest.mark.parametrize(("days", "warned"), [(19, []), (20, [10]), (26, [4]), (29, [1])])
    async def test_open_manifest_is_warned_of_once_per_step(
        self, shop: Shop, days: int, warned: list[int]
    ) -> None:
        manifest = await left_open(shop, days)
        for _ in range(2):
            await warn_of_open_documents(shop.system.database, datetime.now(UTC))
        assert await warnings_about(shop, manifest) == [("mdfe.expiring", left) for left in warned]

    async def test_warning_that_two_workers_find_due_is_published_once(self, shop: Shop) -> None:
        manifest, now, database = await left_open(shop, 26), datetime.now(UTC), shop.system.database
        due = await documents_to_warn_about(database, now)
        (row,) = [row for row in due if str(row.id) == manifest["id"]]
        assert [await publish_warning(database, row, now) for _ in range(2)] == [True, False]
        assert await warnings_about(shop, manifest) == [("mdfe.expiring", 4)]

    async def test_closed_manifest_is_not_warned_of(self, shop: Shop) -> None:
        manifest = await left_open(shop, 26)
        data_of(await shop.post(f"/mdfe/{manifest['id']}/close", {"cityCode": "3304557"}))
        await warn_of_open_documents(shop.system.database, datetime.now(UTC))
        assert await warnings_about(shop, manifest) == []

    async def test_status_of_the_company_names_the_manifest_until_it_is_closed(self, shop: Shop) -> None:
        manifest = await left_open(shop, 26)
        (message,) = await self.messages_of_status(shop)
        assert manifest["accessKey"] in message
        data_of(await shop.post(f"/mdfe/{manifest['id']}/close", {"cityCode": "3304557"}))
        assert await self.messages_of_status(shop) == []

    async def test_status_names_only_manifests_of_its_environment(self, shop: Shop) -> None:
        manifest = await left_open(shop, 26)
        await switch_environment(shop, "homologation")
        assert await self.messages_of_status(shop) == []
        await switch_environment(shop, "production")
        (message,) = await self.messages_of_status(shop)
        assert manifest["accessKey"] in message

    async def messages_of_status(self, shop: Shop) -> list[str]:
        warnings = data_of(await shop.get("/status"))["warnings"]
        return [row["message"] for row in warnings if row["code"] == "DOCUMENT_LEFT_OPEN"]


class TestForgottenManifests:
    async def test_manifest_is_closed_after_the_days_of_the_settings(self, shop: Shop) -> None:
        await shop.put_settings(mdfe={"closeAfterDays": 7})
        old, new = await left_open(shop, 7), await left_open(shop, 6)
        await close_forgotten_documents(shop.system.app.state.services.filing, datetime.now(UTC))
        assert [(await shop.read(manifest))["closedAt"] is not None for manifest in (old, new)] == [
            True,
            False,
        ]

    async def test_closing_that_the_authority_refused_is_not_filed_again_the_same_day(
        self, shop: Shop
    ) -> None:
        await shop.put_settings(mdfe={"closeAfterDays": 7})
        manifest = await left_open(shop, 7)
        await shop.system.fetch(
            "update emissions set protocol = '935260000999999' where document_id = $1", manifest["id"]
        )
        for _ in range(2):
            await close_forgotten_documents(shop.system.app.state.services.filing, datetime.now(UTC))
        assert await filings(shop, manifest) == ["refused"]

    async def test_manifest_stays_open_without_the_setting(self, shop: Shop) -> None:
        manifest = await left_open(shop, 29)
        await close_forgotten_documents(shop.system.app.state.services.filing, datetime.now(UTC))
        assert (await shop.read(manifest))["closedAt"] is None
