"""An installation of real processes, and ways to make its parts fail."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import httpx2

from acceptance.fault_company import Company, register
from acceptance.fault_programs import Failpoint, Program, carimbo
from carimbo.demo.embedded_postgres import EmbeddedPostgres, embedded_postgres
from carimbo.main.database import database_of
from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import NewCredentials, create_subscription
from carimbo.settings import load_settings
from carimbo.storage.envelope import new_key
from carimbo.storage.migrate import migrate
from carimbo.storage.work import TABLES
from support import TIMEOUT_SECONDS, free_port, wait_until_true

# Short waits; in production they are settings too.
WAITS = {
    "authority_read_seconds": "10",
    "authority_retry_first_seconds": "0.2",
    "authority_retry_longest_seconds": "2",
    "database_connect_seconds": "30",
    "event_wait_seconds": "0.2",
    "lease_seconds": "2",
    "worker_poll_seconds": "0.5",
    "worker_reconnect_seconds": "0.2",
    "retry_first_seconds": "0.2",
    "attempts_before_parking": "20",
}
# For workers whose leases a test ends itself: none may expire earlier because the machine is slow.
LONG_LEASES = {"lease_seconds": "60"}
# The simulator's switches: all answers are late, so that some work is always in progress; many are lost or
# refused.
STORM = {"latencySeconds": 0.3, "lostAnswers": 0.3, "failures": 0.25}
CALM = {"lostAnswers": 0, "failures": 0, "latencySeconds": 0, "outages": None}
# The services of every authority, by purpose.
AUTHORIZATION = (
    "NFeAutorizacao4",
    "CTeRecepcaoSincV4",
    "CTeRecepcaoOSV4",
    "MDFeRecepcaoSinc",
    "POST /nfse",
)
EVENT = ("NFeRecepcaoEvento4", "CTeRecepcaoEventoV4", "MDFeRecepcaoEvento", "POST /nfse/{chave}/eventos")
INUTILIZATION = ("NFeInutilizacao4",)
# SQL: no row is due, and so none is held; sales that earlier tests left scheduled are due later.
NO_WORK = " and ".join(
    f"not exists (select from {table} where next_action_at <= now())" for table in TABLES.values()
)
# SQL: the connections by which workers are notified. Each worker has two, one of them for deliveries.
LISTENERS = "(select count(*) from pg_stat_activity where query like 'LISTEN %')"
_ROWS = 1000
# A client that keeps a connection as long as the server does may send on one that is being closed.
SHORT_KEEP_ALIVE = httpx2.Limits(keepalive_expiry=1)


@dataclass(frozen=True)
class Site:
    """PostgreSQL, simulator and API, each of which can be made to fail; tests start the workers."""

    folder: Path
    postgres: EmbeddedPostgres
    pool: asyncpg.Pool
    settings: Mapping[str, str]
    control: httpx2.AsyncClient
    """The simulator's second port."""

    @property
    def url(self) -> str:
        """The URL of the API."""
        return local(self.settings["port"])

    @contextmanager
    def worker(self, failpoint: Failpoint | None = None, /, **settings: str) -> Iterator[Program]:
        """Runs a worker for the length of a block."""
        with carimbo(["worker"], {**self.settings, **settings}, self.folder / "log", failpoint) as program:
            yield program

    @contextmanager
    def api(self, port: int | str) -> Iterator[Program]:
        """Runs an API for the length of a block."""
        with carimbo(["serve"], {**self.settings, "port": str(port)}, self.folder / "log") as program:
            yield program

    async def command(self, *arguments: str) -> str:
        """Runs a command to its end, and returns its output."""
        log = self.folder / f"{uuid4()}.log"
        with carimbo(arguments, self.settings, log) as program:
            assert await program.end() == 0, log.read_text()
        return log.read_text()

    async def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        """Runs a statement on the database."""
        return await self.pool.fetch(query, *arguments)

    async def stop_postgres(self) -> None:
        """Stops the database."""
        await asyncio.to_thread(self.postgres.stop)
        await self.pool.expire_connections()

    async def start_postgres(self) -> None:
        """Starts the database again."""
        await asyncio.to_thread(self.postgres.start)

    async def end_leases(self) -> None:
        """Ends the leases of dead workers, as time would. No worker may run: it would not notice."""
        for table in TABLES.values():
            await self.fetch(f"update {table} set lease_until = now() where lease_until is not null")

    async def cut_listeners(self) -> None:
        """Cuts both connections by which the running worker is notified, once it has them."""
        await self.until(f"{LISTENERS} = 2")
        await self.fetch(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity where query like 'LISTEN %'"
        )

    async def holds(self, condition: str) -> bool:
        """Returns whether an SQL condition holds."""
        return bool(await self.pool.fetchval(f"select {condition}"))

    async def until(self, condition: str) -> None:
        """Waits until an SQL condition holds."""
        await wait_until_true(self.fetch, condition, TIMEOUT_SECONDS)

    async def until_settled(self, company: Company) -> None:
        """Waits until a company has no document in progress."""
        await self.until(f"0 = {company.count('processing')}")

    async def until_filed(self, company: Company) -> None:
        """Waits until all events and inutilizations of a company are registered or refused."""
        unsettled = f"where company_id = '{company.id}' and state not in ('registered', 'refused')"
        await self.until(
            f"not exists (select from event_filings {unsettled})"
            f" and not exists (select from inutilizations {unsettled})"
        )

    async def until_sent(
        self, company: Company, services: Sequence[str] = AUTHORIZATION, count: int = 1
    ) -> None:
        """Waits until these services of the simulator have received this many messages of a company."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while len(await self.sent(company, services)) < count:  # noqa: ASYNC110 - a journal sends no event
                await asyncio.sleep(0.02)

    async def switch(self, **controls: Any) -> None:
        """Changes the simulator's switches."""
        answer = await self.control.patch("/controls", json=controls)
        assert answer.status_code == 200, answer.text

    @asynccontextmanager
    async def switched(self, **controls: Any) -> AsyncIterator[None]:
        """Changes the simulator's switches for the length of a block, and resets them after it."""
        try:
            await self.switch(**controls)
            yield
        finally:
            await self.switch(**CALM)

    async def sent(self, company: Company, services: Sequence[str] = AUTHORIZATION) -> list[dict[str, Any]]:
        """Returns what these services of the simulator received from a company, oldest first."""
        entries: list[dict[str, Any]] = []
        for service in services:
            page: list[dict[str, Any]] = [{"id": 0}]
            while page:
                query = {"service": service, "after": page[-1]["id"], "limit": _ROWS}
                page = (await self.control.get("/journal", params=query)).json()
                entries += [entry for entry in page if entry["taxpayer"] == company.tax_id]
        return sorted(entries, key=lambda entry: entry["id"])

    async def until_faults_hit(self, company: Company, services: Sequence[str], faults: set[str]) -> None:
        """Waits until each of these faults has hit a message of a company to these services."""
        faults_hit: set[str] = set()
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while not faults <= faults_hit:
                await asyncio.sleep(0.1)
                sent = await self.sent(company, services)
                faults_hit = {fault for entry in sent for fault in entry["fault"].split()}

    @asynccontextmanager
    async def company(self, plan: str = "unlimited") -> AsyncIterator[Company]:
        """A company with its own subscription, ready to issue."""
        credentials = await self._subscribe(plan)
        headers = {"X-Api-Key": str(credentials.subscription_id), "X-Api-Secret": credentials.secret}
        async with httpx2.AsyncClient(
            base_url=self.url, headers=headers, timeout=TIMEOUT_SECONDS, limits=SHORT_KEEP_ALIVE
        ) as http:
            yield await register(http, self.folder / "simulator")

    async def _subscribe(self, plan: str) -> NewCredentials:
        environment = {f"CARIMBO_{name.upper()}": value for name, value in self.settings.items()}
        async with database_of(load_settings(environment)) as database:
            return await create_subscription(await Authenticator.open(database), "Teste", plan)


@asynccontextmanager
async def open_site() -> AsyncIterator[Site]:
    """Starts an installation without workers, and stops everything at the end."""
    folder = Path(tempfile.mkdtemp(prefix="carimbo-"))
    ports = free_port(), free_port()
    try:
        with embedded_postgres(folder / "postgres") as postgres, _simulator(folder, *ports):
            settings = _settings(postgres.url, ports[0], folder)
            await migrate(postgres.url, lock_timeout_seconds=30)
            async with (
                asyncpg.create_pool(postgres.url, min_size=0, max_size=2) as pool,
                httpx2.AsyncClient(
                    base_url=local(ports[1]), timeout=TIMEOUT_SECONDS, limits=SHORT_KEEP_ALIVE
                ) as control,
            ):
                site = Site(folder, postgres, pool, settings, control)
                await until_answered(local(ports[1]), "/controls")
                # The tests do the work of hours in seconds, which would exceed the hourly limits.
                await site.switch(limits=False)
                with site.api(settings["port"]):
                    await until_answered(site.url, "/readyz")
                    yield site
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _simulator(folder: Path, port: int, control_port: int) -> AbstractContextManager[Program]:
    ports = "--port", str(port), "--control-port", str(control_port)
    command = "simulator", "--data-dir", str(folder / "simulator"), *ports
    return carimbo(command, {}, folder / "simulator.log")


def _settings(database_url: str, simulator_port: int, folder: Path) -> dict[str, str]:
    return {
        **WAITS,
        "database_url": database_url,
        "secret_keys": new_key("test"),
        "port": str(free_port()),
        "api_metrics_port": "0",
        "worker_metrics_port": "0",
        "simulator_url": f"https://localhost:{simulator_port}",
        "authority_ca_file": str(folder / "simulator/ca.pem"),
    }


def local(port: int | str) -> str:
    """Returns the URL of a port of this machine."""
    return f"http://127.0.0.1:{port}"


async def until_answered(url: str, path: str) -> None:
    """Waits until a program that was just started answers with status 200."""
    async with asyncio.timeout(TIMEOUT_SECONDS), httpx2.AsyncClient(base_url=url) as http:
        while True:
            with suppress(httpx2.TransportError):
                if (await http.get(path)).status_code == 200:
                    return
            await asyncio.sleep(0.02)
