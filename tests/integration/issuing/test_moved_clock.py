"""A service whose clock is weeks ahead of PostgreSQL's, as in a demo of another day."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carimbo.fiscal.identity.certificate import A1Certificate
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.xml_reading import read_xml
from carimbo.service import outage_board
from carimbo.simulator.program.run import Simulator
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase
from integration.issuing.shop import Shop, note_of, ready_shop
from integration.issuing.system import System, open_system
from support import data_of

AHEAD = timedelta(days=45)
MINUTE = timedelta(minutes=1)


def service_time() -> datetime:
    return datetime.now(UTC) + AHEAD


@pytest.fixture(scope="module")
async def clock_ahead(
    new_database: NewDatabase, secret_keys: str, simulator: Simulator
) -> AsyncIterator[System]:
    """A system whose clock, like that of its simulator, is ahead of the database's."""
    seconds = int(AHEAD.total_seconds())
    settings = {"CLOCK_OFFSET_SECONDS": str(seconds), "CONTINGENCY_AFTER_SECONDS": "1"}
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_system(url, secret_keys, simulator, **settings) as system:
            await system.switch(clockOffsetSeconds=seconds)
            system.start_worker()
            yield system
            await system.stop_worker()
            await system.switch(clockOffsetSeconds=None)


@pytest.fixture
async def shop(clock_ahead: System, certificate: A1Certificate) -> AsyncIterator[Shop]:
    yield await ready_shop(clock_ahead, await clock_ahead.new_caller(), certificate)
    await clock_ahead.switch(outages=None)
    await clock_ahead.fetch("delete from outages")


async def contingency_began(shop: Shop, document: dict[str, Any]) -> datetime:
    answer = await shop.get(f"/nfe/{document['id']}/xml")
    return datetime.fromisoformat(read_xml(answer.content).findtext(".//{*}dhCont") or "")


class TestDates:
    async def test_document_is_issued_at_the_time_of_the_moved_clock(self, shop: Shop) -> None:
        record = await shop.issue()
        assert record["status"] == "authorized"
        assert abs(datetime.fromisoformat(record["issuedAt"]) - service_time()) < MINUTE

    async def test_nfse_has_the_competence_of_the_moved_clock(self, shop: Shop) -> None:
        record = await shop.issue("nfse")
        assert record["status"] == "authorized"
        day = service_time().astimezone(BRASILIA).date()
        assert (await note_of(shop, record)).text("dCompet") == f"{day}"


class TestContingency:
    async def test_contingency_of_an_outage_begins_by_the_moved_clock(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        await shop.system.switch(outages={"SP": "109"})
        record = await shop.issue()
        assert record["status"] == "authorized"
        assert abs(await contingency_began(shop, record) - service_time()) < MINUTE

    async def test_forced_contingency_begins_by_the_moved_clock(self, shop: Shop) -> None:
        reason = "Autorizador da UF com lentidão extrema"
        body = {"mode": "forced", "reason": reason}
        data_of(await shop.caller.http.put(shop.path("/contingency"), json=body))
        await shop.system.switch(outages={"SP": "109"})
        assert abs(await contingency_began(shop, await shop.issue()) - service_time()) < MINUTE
