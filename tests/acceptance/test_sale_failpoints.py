"""Workers that are killed or frozen when a sale becomes due: its documents are issued exactly once."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from acceptance.fault_company import Company
from acceptance.fault_programs import Failpoint, Gate, Program, named
from acceptance.fault_sales import (
    DOCUMENTS,
    contradictions_of_sales,
    sale_until,
    schedule,
    stock,
    until_issued,
)
from acceptance.fault_site import LONG_LEASES, Site
from acceptance.test_issuing_failpoints import codes_of
from support import BLOCKED_SESSIONS, make_due

LATER = "2999-02-01"


@pytest.fixture
async def sale(site: Site, company: Company) -> str:
    """A sale that is due."""
    await stock(company)
    sale_id = await schedule(company)
    await make_due(site.fetch, sale_id)
    return sale_id


@asynccontextmanager
async def frozen_before_firing(site: Site, sale: str, folder: Path) -> AsyncIterator[None]:
    """Freezes a worker that has leased a sale for the length of a block, then lets it continue."""
    gate = Gate.closed_in(folder)
    with site.worker(Failpoint(sale, "due", gate)) as frozen:
        await gate.until_reached_by(1)
        yield
        gate.open()
        assert await frozen.terminate() == 0


def lease_was_lost(site: Site, sale: str) -> bool:
    """Returns whether a worker logged that it lost the lease of a row."""
    lines = (site.folder / "log").read_text().splitlines()
    return any("lease_lost" in line and sale in line for line in lines)


class TestKilledWorker:
    async def test_documents_of_a_sale_of_killed_workers_are_issued_once(
        self, site: Site, company: Company
    ) -> None:
        """Workers are killed before, during and after firing; the next worker finishes."""
        await stock(company)
        sales = [await schedule(company) for _ in range(3)]
        with named("due"), site.worker(Failpoint(sales[0], "due"), **LONG_LEASES) as victim:
            await make_due(site.fetch, sales[0])
            assert await victim.end() == -signal.SIGKILL
        assert await site.holds(f"{company.count('pending')} = {3 * DOCUMENTS}")
        await site.end_leases()
        with named("while firing"), site.worker(**LONG_LEASES) as victim:
            await site.until(f"{company.count('authorized')} = {DOCUMENTS}")
            await self.kill_while_firing(site, victim, sales[1])
        assert await site.holds(f"{company.count('pending')} = {2 * DOCUMENTS}")
        await site.end_leases()
        with named("fired"), site.worker(Failpoint(sales[2], "fired"), **LONG_LEASES) as victim:
            await site.until(f"{company.count('authorized')} = {2 * DOCUMENTS}")
            await make_due(site.fetch, sales[2])
            assert await victim.end() == -signal.SIGKILL
        assert await site.holds(f"{company.count('pending')} = 0")
        await site.end_leases()
        with site.worker():
            await until_issued(site, company)
        assert await codes_of(site, company) == ["100"] * 3 * DOCUMENTS
        assert await contradictions_of_sales(site, company, 3) == []

    async def kill_while_firing(self, site: Site, victim: Program, sale: str) -> None:
        """Makes a sale due while document events are locked, and kills the worker that waits for them."""
        async with site.pool.acquire() as connection, connection.transaction():
            await connection.execute("lock table document_events in share mode")
            await make_due(site.fetch, sale)
            await site.until(f"{BLOCKED_SESSIONS} >= 1")
            await victim.kill()

    async def test_sale_that_kills_every_worker_is_parked(
        self, site: Site, company: Company, sale: str
    ) -> None:
        parked = f"(select parked_reason is not null from sales where id = '{sale}')"
        for _ in range(2):
            failpoint = Failpoint(sale, "due")
            with site.worker(failpoint, attempts_before_parking="2", **LONG_LEASES) as victim:
                assert await victim.end() == -signal.SIGKILL
            await site.end_leases()
        with site.worker(Failpoint(sale, "due"), attempts_before_parking="2") as survivor:
            await site.until(parked)
            assert survivor.is_alive
        assert sale in await site.command("documents", "parked")
        await site.command("documents", "resume", sale)
        with site.worker():
            await until_issued(site, company)
        assert await contradictions_of_sales(site, company, 1) == []


class TestFrozenWorker:
    async def test_frozen_worker_writes_nothing_after_another_worker_fired_its_sale(
        self, site: Site, company: Company, sale: str, tmp_path: Path
    ) -> None:
        async with frozen_before_firing(site, sale, tmp_path):
            with site.worker():
                await until_issued(site, company)
        assert lease_was_lost(site, sale)
        assert await codes_of(site, company) == ["100"] * DOCUMENTS
        assert await contradictions_of_sales(site, company, 1) == []

    async def test_worker_frozen_after_firing_leaves_the_documents_to_another(
        self, site: Site, company: Company, sale: str, tmp_path: Path
    ) -> None:
        gate = Gate.closed_in(tmp_path)
        with site.worker(Failpoint(sale, "fired", gate)) as frozen:
            await site.until(f"{company.count('pending')} = 0")
            with site.worker():
                await until_issued(site, company)
            gate.open()
            assert await frozen.terminate() == 0
        assert await codes_of(site, company) == ["100"] * DOCUMENTS
        assert await contradictions_of_sales(site, company, 1) == []

    async def test_frozen_worker_does_not_fire_a_sale_that_was_postponed(
        self, site: Site, company: Company, sale: str, tmp_path: Path
    ) -> None:
        path = f"/v1/companies/{company.id}/sales/{sale}"
        async with frozen_before_firing(site, sale, tmp_path):
            answer = await company.http.put(path, json=sale_until(LATER))
            assert answer.status_code == 200, answer.text
        assert lease_was_lost(site, sale)
        shown = await company.read(f"sales/{sale}")
        assert (shown["status"], shown["guaranteeDate"]) == ("scheduled", LATER)
        assert await site.sent(company) == []

    async def test_frozen_worker_sends_nothing_for_a_deleted_sale(
        self, site: Site, company: Company, sale: str, tmp_path: Path
    ) -> None:
        async with frozen_before_firing(site, sale, tmp_path):
            answer = await company.http.delete(f"/v1/companies/{company.id}/sales/{sale}")
            assert answer.status_code == 200, answer.text
        assert lease_was_lost(site, sale)
        assert await site.sent(company) == []

    async def test_frozen_worker_does_not_send_a_sale_that_was_emitted_by_hand(
        self, site: Site, company: Company, sale: str, tmp_path: Path
    ) -> None:
        async with frozen_before_firing(site, sale, tmp_path):
            answer = await company.http.post(f"/v1/companies/{company.id}/sales/{sale}/emit-invoice")
            assert answer.status_code == 202, answer.text
        with site.worker():
            await until_issued(site, company)
        assert await codes_of(site, company) == ["100"] * DOCUMENTS
        assert await contradictions_of_sales(site, company, 1) == []

    async def test_frozen_worker_sends_nothing_for_a_deleted_company(
        self, site: Site, company: Company, sale: str, tmp_path: Path
    ) -> None:
        async with frozen_before_firing(site, sale, tmp_path):
            answer = await company.http.delete(f"/v1/companies/{company.id}")
            assert answer.status_code == 200, answer.text
        assert await site.holds(f"(select lease_until is null from sales where id = '{sale}')")
        assert await site.holds(f"{company.count('pending')} = {DOCUMENTS}")
        assert await site.sent(company) == []
