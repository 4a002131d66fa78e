"""Worker processes that are killed or lose the database: no queued row is lost."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from acceptance.fault_programs import Program, carimbo
from carimbo.demo.embedded_postgres import EmbeddedPostgres, embedded_postgres
from carimbo.storage.envelope import new_key
from carimbo.storage.migrate import migrate
from carimbo.storage.probes import add_probe
from metric_samples import names_of, names_shown_at
from support import ALL_ANSWERED, TIMEOUT_SECONDS, free_port, wait_until_true

KEYS = new_key("test")
# One kind of work gets at most four fifths of the slots.
SLOTS, PROBES_AT_ONCE = 10, 8
# Short waits; in production they are settings too.
SETTINGS = {
    "secret_keys": KEYS,
    "worker_metrics_port": "0",
    "worker_poll_seconds": "0.5",
    "worker_reconnect_seconds": "0.2",
    "worker_concurrency": str(SLOTS),
    # However long the gate is held, work at it keeps its slot, and no further work begins.
    "worker_slow_seconds": "600",
    "lease_seconds": "1",
    "attempts_before_parking": "20",
}
# No probe is answered while a test holds the gate: workers stop in the middle of their work.
GATE = """
    create function wait_at_the_gate() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(1); return new; end $$;
    create trigger gate before update of answered_at on probes
    for each row execute function wait_at_the_gate();
"""


class Site:
    """A PostgreSQL for this file alone, which tests may stop, and workers that use it."""

    def __init__(self, postgres: EmbeddedPostgres, folder: Path) -> None:
        self.postgres = postgres
        self.folder = folder
        self.url = postgres.url

    async def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        connection = await asyncpg.connect(self.url)
        try:
            return await connection.fetch(query, *arguments)
        finally:
            await connection.close()

    async def add_probes(self, count: int) -> None:
        connection = await asyncpg.connect(self.url)
        async with connection.transaction():
            for _ in range(count):
                await add_probe(connection)
        await connection.close()

    async def until(self, condition: str) -> None:
        await wait_until_true(self.fetch, condition, TIMEOUT_SECONDS)

    async def until_all_answered(self) -> None:
        await self.until(ALL_ANSWERED)

    async def until_in_mid_work(self, rows: int) -> None:
        await self.until(f"{rows} <= (select count(*) from probes where lease_until is not null)")

    @asynccontextmanager
    async def gate(self) -> AsyncIterator[None]:
        """Blocks every answer for the length of a block."""
        connection = await asyncpg.connect(self.url)
        try:
            await connection.execute("select pg_advisory_lock(1)")
            yield
        finally:
            await connection.close()

    @contextmanager
    def worker(self, log: str = "log", **settings: str) -> Iterator[Program]:
        """Runs a worker for the length of a block, with its log in a file of the folder."""
        given = {**SETTINGS, "database_url": self.url, **settings}
        with carimbo(["worker"], given, self.folder / log) as program:
            yield program


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[EmbeddedPostgres]:
    folder = Path(tempfile.mkdtemp(prefix="carimbo-"))
    try:
        with embedded_postgres(folder / "postgres") as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
async def ready_site(own_postgres: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> Site:
    await migrate(own_postgres.url, lock_timeout_seconds=20)
    site = Site(own_postgres, tmp_path_factory.mktemp("workers"))
    connection = await asyncpg.connect(site.url)
    await connection.execute(GATE)
    await connection.close()
    return site


@pytest.fixture
async def site(ready_site: Site) -> Site:
    await ready_site.fetch("truncate probes")
    return ready_site


class TestKilledWorker:
    async def test_work_of_a_killed_worker_is_finished_by_another(self, site: Site) -> None:
        await site.add_probes(40)
        with site.worker() as worker:
            async with site.gate():
                await site.until_in_mid_work(PROBES_AT_ONCE)
                await worker.kill()
        begun = await site.fetch("select from probes where lease_token = 1 and answered_at is null")
        assert len(begun) == PROBES_AT_ONCE
        with site.worker():
            await site.until_all_answered()
        rows = await site.fetch("select lease_token, parked_reason from probes")
        assert sum(row["lease_token"] > 1 for row in rows) >= PROBES_AT_ONCE
        assert {row["parked_reason"] for row in rows} == {None}

    async def test_one_of_two_workers_may_be_killed_in_the_middle_of_work(self, site: Site) -> None:
        await site.add_probes(60)
        with site.worker() as survivor, site.worker() as victim:
            async with site.gate():
                await site.until_in_mid_work(2 * PROBES_AT_ONCE)
                await victim.kill()
            await site.until_all_answered()
            assert survivor.is_alive


class TestRestartedDatabase:
    async def test_busy_worker_reconnects_and_answers_everything(self, site: Site) -> None:
        await site.add_probes(40)
        with site.worker() as worker:
            async with site.gate():
                await site.until_in_mid_work(PROBES_AT_ONCE)
                await asyncio.to_thread(site.postgres.stop)
            assert worker.is_alive
            await asyncio.to_thread(site.postgres.start)
            await site.add_probes(20)
            await site.until_all_answered()
            assert worker.is_alive
            assert await worker.terminate() == 0

    async def test_idle_worker_reconnects_and_answers_everything(self, site: Site) -> None:
        with site.worker() as worker:
            await site.add_probes(1)
            await site.until_all_answered()
            await asyncio.to_thread(site.postgres.stop)
            await asyncio.to_thread(site.postgres.start)
            await site.add_probes(1)
            await site.until_all_answered()
            assert worker.is_alive


class TestStoppedWorker:
    async def test_idle_worker_stops_at_once_whatever_its_poll_interval_is(self, site: Site) -> None:
        with site.worker("log of an idle worker", worker_poll_seconds="600") as worker:
            await site.add_probes(1)
            await site.until_all_answered()
            code = await worker.terminate()
        assert code == 0
        assert '"worker_stopped"' in (site.folder / "log of an idle worker").read_text()

    async def test_busy_worker_finishes_its_work_before_it_stops(self, site: Site) -> None:
        await site.add_probes(40)
        with site.worker(lease_seconds="600") as worker:
            async with site.gate():
                await site.until_in_mid_work(PROBES_AT_ONCE)
                stopping = asyncio.create_task(worker.terminate())
                _, pending = await asyncio.wait([stopping], timeout=0.3)
                assert pending
            code = await stopping
        assert code == 0
        answered = await site.fetch("select from probes where answered_at is not null")
        assert len(answered) >= PROBES_AT_ONCE
        assert await site.fetch("select from probes where lease_until is not null") == []
        waiting = await site.fetch("select from probes where next_action_at <= now() and lease_token = 0")
        assert len(waiting) == 40 - len(answered)

    async def test_worker_without_a_database_stops_with_exit_code_0(self, site: Site) -> None:
        with site.worker() as worker:
            await site.add_probes(1)
            await site.until_all_answered()
            await asyncio.to_thread(site.postgres.stop)
            try:
                code = await worker.terminate()
            finally:
                await asyncio.to_thread(site.postgres.start)
        assert code == 0


class TestSeveralWorkers:
    async def test_several_workers_share_the_work_and_nothing_is_done_twice(self, site: Site) -> None:
        calm = {"lease_seconds": "60"}
        with site.worker(**calm), site.worker(**calm), site.worker(**calm):
            await site.add_probes(120)
            await site.until_all_answered()
        rows = await site.fetch("select lease_token, parked_reason from probes")
        assert {(row["lease_token"], row["parked_reason"]) for row in rows} == {(1, None)}


class TestMetrics:
    async def test_metrics_of_a_worker_are_those_of_the_reference(self, site: Site) -> None:
        port = free_port()
        await site.add_probes(1)
        with site.worker(worker_metrics_port=str(port)):
            # All metrics exist once it has done some work.
            await site.until_all_answered()
            shown = await asyncio.to_thread(names_shown_at, f"http://127.0.0.1:{port}/metrics")
        assert shown == names_of("worker") | names_of("both")
