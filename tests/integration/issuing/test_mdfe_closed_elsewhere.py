"""Manifests closed by their keys or by another program, while answers of the authority are missing."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from lxml import etree

from integration.issuing.actions import events_of, out_of_service
from integration.issuing.manifests import DRIVER, create, issue
from integration.issuing.shop import Shop, error_of
from integration.issuing.system import System, gate_before
from integration.issuing.test_mdfe import RIO, close
from support import data_of

CONSULT = "/producao/svrs/mdfe/MDFeConsulta"


async def open_at_authority(shop: Shop) -> list[dict[str, Any]]:
    return list(data_of(await shop.get("/mdfe/open-at-authority")))


async def close_by_key(shop: Shop, manifest: dict[str, Any]) -> httpx2.Response:
    """Closes a manifest that we do not have as authorized, as another program would."""
    keys = {name: manifest[name] for name in ("accessKey", "protocol")}
    return await shop.post("/mdfe/close-by-key", keys | {"cityCode": RIO})


async def close_elsewhere(shop: Shop, manifest: dict[str, Any]) -> dict[str, Any]:
    """Closes a manifest of ours with another program; we do not learn of it."""
    of_manifest = "update emissions set access_key = $2 where document_id = $1"
    await shop.system.fetch(of_manifest, manifest["id"], None)
    closed = data_of(await close_by_key(shop, manifest))
    await shop.system.fetch(of_manifest, manifest["id"], manifest["accessKey"])
    assert (closed["documentId"], closed["authorityCode"]) == (None, "135")
    return dict(closed)


@pytest.fixture
async def closed_elsewhere(shop: Shop) -> dict[str, Any]:
    """A manifest of ours that another program closed."""
    manifest = await issue(shop)
    await close_elsewhere(shop, manifest)
    return await shop.read(manifest)


@pytest.fixture
def short_wait_by_key(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes requests to close by a key wait only shortly for the outcome."""
    services = system.app.state.services
    filing = replace(services.open_documents.filing, max_wait=timedelta(seconds=0.5))
    open_documents = replace(services.open_documents, filing=filing)
    monkeypatch.setattr(system.app.state, "services", replace(services, open_documents=open_documents))


class TestLostAuthorization:
    async def test_manifest_closed_before_its_lost_answer_is_consulted_is_authorized_and_closed(
        self, shop: Shop
    ) -> None:
        async with gate_before(CONSULT) as gate:
            created = await create(shop, additional="SIMULA:RESPOSTA_PERDIDA")
            await gate.until_arrived(1)
            (open_manifest,) = await open_at_authority(shop)
            closed = data_of(await close_by_key(shop, open_manifest))
        manifest = await shop.settled(created)
        assert (manifest["status"], manifest["protocol"]) == ("authorized", open_manifest["protocol"])
        assert manifest["closedAt"] is not None
        *_, authorization, closing = await shop.events(manifest)
        assert (authorization["type"], closing["type"]) == ("authorized", "close")
        assert (closing["status"], closing["protocol"]) == ("authorized", closed["protocol"])
        file = await shop.get(f"/mdfe/{manifest['id']}/events/{closing['id']}/xml")
        assert etree.fromstring(file.content).findtext(".//{*}evEncMDFe/{*}cMun") == RIO
        topics = [event["event"] for event in await events_of(shop.caller)]
        assert topics == ["mdfe.authorized", "mdfe.closed"]
        assert [row["id"] for row in data_of(await shop.get("/mdfe", open="false"))] == [manifest["id"]]
        # Its closing is registered: nothing is sent again.
        services = [entry["service"] for entry in await shop.journal(manifest)]
        assert services == ["MDFeRecepcaoSinc", "MDFeRecepcaoEvento", "MDFeConsulta"]


class TestClosing:
    async def test_manifest_closed_elsewhere_takes_over_that_closing(
        self, shop: Shop, closed_elsewhere: dict[str, Any]
    ) -> None:
        assert closed_elsewhere["closedAt"] is None
        closing = data_of(await close(shop, closed_elsewhere))
        assert (closing["type"], closing["status"]) == ("close", "authorized")
        assert (await shop.read(closed_elsewhere))["closedAt"] is not None
        codes = [entry["code"] for entry in await shop.journal(closed_elsewhere)]
        assert codes.count("135") == 1

    async def test_refused_driver_shows_that_a_manifest_was_closed_elsewhere(
        self, shop: Shop, closed_elsewhere: dict[str, Any]
    ) -> None:
        answer = await shop.post(f"/mdfe/{closed_elsewhere['id']}/drivers", DRIVER)
        details = error_of(answer, 422, "AUTHORITY_REJECTED")
        assert details["authorityCode"] == "609"
        assert "encerrado" in details["hint"]
        manifest = await shop.read(closed_elsewhere)
        assert (manifest["status"], manifest["closedAt"] is None) == ("authorized", False)
        assert data_of(await shop.get("/mdfe", open="true")) == []


class TestClosingByKey:
    async def test_lost_answer_is_an_error_and_the_same_call_again_finds_the_closing(
        self, shop: Shop
    ) -> None:
        manifest = await issue(shop)
        await shop.system.fetch(
            "update emissions set access_key = null where document_id = $1", manifest["id"]
        )
        await shop.system.switch(lostAnswers=1)
        try:
            error_of(await close_by_key(shop, manifest), 503, "AUTHORITY_UNAVAILABLE")
        finally:
            await shop.system.switch(lostAnswers=0)
        again = data_of(await close_by_key(shop, manifest))
        assert (again["documentId"], again["protocol"], again["authorityCode"]) == (None, None, "631")
        assert await open_at_authority(shop) == []

    @pytest.mark.usefixtures("short_wait_by_key")
    async def test_own_manifest_is_not_reported_as_closed_before_the_authority_answers(
        self, shop: Shop
    ) -> None:
        manifest = await issue(shop)
        async with out_of_service(shop.system, "SVRS"):
            error_of(await close_by_key(shop, manifest), 503, "AUTHORITY_UNAVAILABLE")
            assert (await shop.read(manifest))["closedAt"] is None
        await shop.system.until(f"(select facts ? 'closedAt' from documents where id = '{manifest['id']}')")
        again = data_of(await close_by_key(shop, manifest))
        assert (again["documentId"], again["authorityCode"]) == (manifest["id"], "135")
        codes = [entry["code"] for entry in await shop.journal(manifest)]
        assert codes.count("135") == 1
