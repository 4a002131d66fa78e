"""Calls are as the published contract says: whoever generates his types from it can read them."""

from datetime import datetime, timedelta
from typing import Any

import jsonschema_rs
import pytest

from carimbo.service.certificate_expiry import expiring, warn
from integration.issuing.actions import cancel
from integration.issuing.shop import KINDS, REFUSALS, Shop
from integration.webhooks.listener import EVERYTHING, Listener, contract_of_events
from support import data_of


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    return contract_of_events()


def reader_of(published: dict[str, Any], event: str) -> jsonschema_rs.Validator:
    """Reads the body of an event as the contract has it."""
    body = published["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return jsonschema_rs.validator_for({**body, "components": published["components"]})


async def heard(published: dict[str, Any], listener: Listener, calls: int) -> list[str]:
    """The names of what was told, each call read by what is published of it."""
    names = []
    for call, told in zip(await listener.until(calls), await listener.told(calls), strict=True):
        event = published["webhooks"][told["event"]]["post"]
        reader_of(published, told["event"]).validate(told)
        assert {header["name"] for header in event["parameters"]} <= set(call.headers)
        names.append(told["event"])
    return names


async def warn_of_the_end(shop: Shop) -> None:
    """Tell that the certificate of a shop is about to end."""
    ends_at = datetime.fromisoformat(data_of(await shop.get("/certificate"))["certificate"]["expiresAt"])
    now, database = ends_at - timedelta(days=5), shop.floor.database
    (ours,) = [one for one in await expiring(database, now) if str(one.company_id) == shop.id]
    assert await warn(database, ours, now)


class TestEvents:
    def test_that_may_be_listened_to_are_published_and_the_one_of_trials(
        self, published: dict[str, Any]
    ) -> None:
        known = [event for group in EVERYTHING.values() for event in group]
        assert sorted(published["webhooks"]) == sorted([*known, "webhook.test"])

    async def test_of_documents_are_as_published(
        self, published: dict[str, Any], shop: Shop, listener: Listener
    ) -> None:
        for kind in KINDS:
            data_of(await cancel(shop, await shop.issue(kind, externalId=f"pedido-{kind}")))
            await shop.issue(kind, notes=REFUSALS[kind])
        told = await heard(published, listener, 3 * len(KINDS))
        verbs = ("authorized", "cancelled", "rejected")
        assert sorted(told) == sorted(f"{kind}.{verb}" for kind in KINDS for verb in verbs)

    async def test_of_certificates_and_of_trials_are_as_published(
        self, published: dict[str, Any], shop: Shop, listener: Listener
    ) -> None:
        data_of(await listener.post("/test"))
        await warn_of_the_end(shop)
        assert await heard(published, listener, 2) == ["webhook.test", "certificate.expiring"]

    async def test_are_told_apart_by_what_is_published(
        self, published: dict[str, Any], shop: Shop, listener: Listener
    ) -> None:
        await shop.issue("nfe")
        (told,) = await listener.told(1)
        assert reader_of(published, "nfe.authorized").is_valid(told)
        others = published["webhooks"].keys() - {"nfe.authorized"}
        assert not [event for event in others if reader_of(published, event).is_valid(told)]
