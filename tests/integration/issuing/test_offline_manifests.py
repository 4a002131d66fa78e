"""MDF-e while their authority is out of service: issued offline, printed, and sent later."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from integration.issuing.actions import out_of_service
from integration.issuing.manifests import PLATES, create, issue
from integration.issuing.shop import Shop, accepted, error_of, ready_shop
from integration.issuing.system import System
from pdf_reading import text_of
from support import data_of

AUTHORITY = "SVRS"
ON_PAPER = "EMISSÃO EM CONTINGÊNCIA"
ARRIVAL = {"cityCode": "3304557"}


@pytest.fixture
async def shop(fast_contingency: System, certificate: A1Certificate) -> AsyncIterator[Shop]:
    yield await ready_shop(fast_contingency, await fast_contingency.new_caller(), certificate)
    await fast_contingency.switch(outages=None, lostAnswers=None, failures=None)
    await fast_contingency.fetch("delete from outages")


async def printable(shop: Shop, document: dict[str, Any]) -> dict[str, Any]:
    """Waits until a manifest was issued offline, and returns it."""
    await shop.system.until(
        "exists (select from documents d join emissions e on e.document_id = d.id and e.ordinal = d.emission"
        f" where d.id = '{document['id']}' and e.emission_type = '2' and e.access_key is not null)"
    )
    return await shop.read(document)


async def pdf_text(shop: Shop, document: dict[str, Any]) -> str:
    answer = await shop.get(f"/mdfe/{document['id']}/pdf")
    assert answer.status_code == 200, answer.text
    return text_of(answer.content)


async def signed_versions(shop: Shop, document: dict[str, Any]) -> int:
    (row,) = await shop.system.fetch(
        "select count(*) from archive where owner_id = $1 and name like 'signed/%'", document["id"]
    )
    return int(row["count"])


class TestOutage:
    async def test_manifest_is_printed_first_and_authorized_later_under_the_same_key(
        self, shop: Shop
    ) -> None:
        async with out_of_service(shop.system, AUTHORITY):
            offline = await printable(shop, await create(shop))
            assert (offline["status"], offline["accessKey"][34]) == ("processing", "2")
            assert offline["contingency"]["type"] == "2"
            assert ON_PAPER in await pdf_text(shop, offline)
            error_of(await shop.get(f"/mdfe/{offline['id']}/xml"), 409, "INVALID_STATE")
        issued = await shop.settled(offline)
        assert (issued["status"], issued["accessKey"]) == ("authorized", offline["accessKey"])
        assert issued["contingency"] == offline["contingency"]
        assert ON_PAPER not in await pdf_text(shop, issued)
        types = [event["type"] for event in await shop.events(issued)]
        assert types.count("contingency") == 1
        assert "signed" not in types[types.index("contingency") + 2 :]

    async def test_waiting_manifest_is_sent_as_it_was_printed_also_after_a_day(self, shop: Shop) -> None:
        async with out_of_service(shop.system, AUTHORITY):
            offline = await printable(shop, await create(shop))
            await shop.system.fetch(
                "update emissions set issued_at = issued_at - interval '25 hours' where document_id = $1",
                offline["id"],
            )
            versions = await signed_versions(shop, offline)
        issued = await shop.settled(offline)
        assert (issued["status"], await signed_versions(shop, issued)) == ("authorized", versions)

    async def test_next_manifest_is_issued_normally_after_the_outage(self, shop: Shop) -> None:
        async with out_of_service(shop.system, AUTHORITY):
            offline = await printable(shop, await create(shop))
        await shop.settled(offline)
        issued = await issue(shop)
        assert (issued["accessKey"][34], issued["contingency"]) == ("1", None)


class TestRefusedOnPaper:
    async def test_refused_manifest_keeps_its_key_and_its_moment_when_it_is_corrected(
        self, shop: Shop
    ) -> None:
        plate = next(PLATES)
        blocking = await issue(shop, plate=plate)
        async with out_of_service(shop.system, AUTHORITY):
            offline = await printable(shop, await create(shop, plate=plate))
        refused = await shop.settled(offline)
        assert (refused["status"], refused["rejection"]["code"]) == ("rejected", "611")
        data_of(await shop.post(f"/mdfe/{blocking['id']}/close", ARRIVAL))
        data_of(await shop.patch(refused, cargoQuantity=533))
        issued = await shop.settled(accepted(await shop.emit(refused)))
        assert (issued["status"], issued["accessKey"]) == ("authorized", offline["accessKey"])
        assert (issued["issuedAt"], issued["contingency"]) == (offline["issuedAt"], offline["contingency"])


class TestUnansweredManifest:
    async def test_unanswered_manifest_takes_another_number_and_the_first_is_canceled(
        self, shop: Shop
    ) -> None:
        """The first attempt, authorized and open, blocks the second one (611) until it is canceled."""
        await shop.system.switch(lostAnswers=1)
        document = await create(shop)
        await shop.system.until(
            f"(select state = 'sent' and tries > 0 from emissions where document_id = '{document['id']}')"
        )
        async with out_of_service(shop.system, AUTHORITY):
            await shop.system.switch(lostAnswers=0)
            offline = await printable(shop, document)
        issued = await shop.settled(offline)
        assert (issued["status"], issued["accessKey"]) == ("authorized", offline["accessKey"])
        first = f"from emissions where document_id = '{document['id']}' and ordinal = 1"
        await shop.system.until(f"(select state = 'canceled' {first})")
        assert (issued["number"], issued["closedAt"]) == (2, None)


class TestOperator:
    async def test_forced_contingency_is_offline_only_while_the_authority_is_out(self, shop: Shop) -> None:
        body = {"mode": "forced", "reason": "Autorizador com lentidão extrema"}
        data_of(await shop.caller.http.put(shop.path("/contingency"), json=body))
        assert (await issue(shop))["accessKey"][34] == "1"
        async with out_of_service(shop.system, AUTHORITY):
            offline = await printable(shop, await create(shop))
            assert offline["contingency"]["reason"] == body["reason"]
            types = {entry["type"]: entry for entry in data_of(await shop.get("/contingency"))["types"]}
            assert (types["mdfe"]["active"], types["mdfe"]["standIn"]) == (True, None)
        assert (await shop.settled(offline))["status"] == "authorized"

    async def test_forbidden_contingency_makes_manifests_wait(self, shop: Shop) -> None:
        data_of(await shop.caller.http.put(shop.path("/contingency"), json={"mode": "forbidden"}))
        async with out_of_service(shop.system, AUTHORITY):
            document = await create(shop)
            await shop.system.until("(select now() - since > interval '2 seconds' from outages)")
            assert (await shop.read(document))["contingency"] is None
        assert (await shop.settled(document))["accessKey"][34] == "1"
