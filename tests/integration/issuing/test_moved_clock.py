"""A service whose clock is weeks ahead of PostgreSQL's, as in a demo of another day."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from carimbo.fiscal.certificate import A1Certificate
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.xml_reading import read_xml
from carimbo.service import outage_board
from carimbo.simulator.run import Simulator
from carimbo.storage.migrate import migrate
from integration.conftest import NewDatabase
from integration.issuing.floor import Floor, open_floor
from integration.issuing.shop import Shop, note_of, ready_shop
from support import data_of

AHEAD = timedelta(days=45)
MINUTE = timedelta(minutes=1)


def service_time() -> datetime:
    return datetime.now(UTC) + AHEAD


@pytest.fixture(scope="module")
async def ahead(new_database: NewDatabase, secret_keys: str, simulator: Simulator) -> AsyncIterator[Floor]:
    """A floor whose clock, and that of its simulator, is ahead of the database's."""
    seconds = int(AHEAD.total_seconds())
    settings = {"CLOCK_OFFSET_SECONDS": str(seconds), "CONTINGENCY_AFTER_SECONDS": "1"}
    async with new_database() as url:
        await migrate(url, lock_timeout_seconds=20)
        async with open_floor(url, secret_keys, simulator, **settings) as floor:
            await floor.switch(clockOffsetSeconds=seconds)
            floor.begin_work()
            yield floor
            await floor.end_work()
            await floor.switch(clockOffsetSeconds=None)


@pytest.fixture
async def shop(ahead: Floor, certificate: A1Certificate) -> AsyncIterator[Shop]:
    yield await ready_shop(ahead, await ahead.new_caller(), certificate)
    await ahead.switch(outages=None)
    await ahead.fetch("delete from outages")


async def contingency_began(shop: Shop, document: dict[str, Any]) -> datetime:
    answer = await shop.get(f"/nfe/{document['id']}/xml")
    return datetime.fromisoformat(read_xml(answer.content).findtext(".//{*}dhCont") or "")


class TestDates:
    async def test_a_document_has_the_moment_of_the_moved_clock(self, shop: Shop) -> None:
        record = await shop.issue()
        assert record["status"] == "authorized"
        assert abs(datetime.fromisoformat(record["issuedAt"]) - service_time()) < MINUTE

    async def test_a_service_note_has_the_competence_of_the_moved_clock(self, shop: Shop) -> None:
        record = await shop.issue("nfse")
        assert record["status"] == "authorized"
        day = service_time().astimezone(BRASILIA).date()
        assert (await note_of(shop, record)).text("dCompet") == f"{day}"


class TestContingency:
    async def test_an_outage_lasts_and_begins_by_the_moved_clock(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
        await shop.floor.switch(outages={"SP": "109"})
        record = await shop.issue()
        assert record["status"] == "authorized"
        assert abs(await contingency_began(shop, record) - service_time()) < MINUTE

    async def test_a_forced_one_begins_by_the_moved_clock(self, shop: Shop) -> None:
        reason = "Autorizador da UF com lentidão extrema"
        body = {"mode": "forced", "reason": reason}
        data_of(await shop.caller.http.put(shop.path("/contingency"), json=body))
        await shop.floor.switch(outages={"SP": "109"})
        assert abs(await contingency_began(shop, await shop.issue()) - service_time()) < MINUTE
