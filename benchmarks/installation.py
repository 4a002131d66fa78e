"""A whole installation on this machine: PostgreSQL, simulator, API and worker, each a process of its own.

The company is that of the demo, issuing for real: in homologation all recipients have the same name. It sends
no e-mails, as there is nobody to take them.
"""

import asyncio
import http.client
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

import asyncpg
import psutil  # type: ignore[import-untyped]

from carimbo.demo.embedded_postgres import EmbeddedPostgres, embedded_postgres
from carimbo.demo.seed import CompanyCertificateFile, seed_company, seed_credentials
from carimbo.fiscal.environment import Environment
from carimbo.service.companies.company_bodies import EnvironmentChange
from carimbo.service.companies.company_settings import CompanySettings, change_settings
from carimbo.service.companies.registration import switch_environment
from carimbo.settings import child_environment
from carimbo.simulator.program.certificates import CertificateFolder
from carimbo.storage.database import open_database
from carimbo.storage.envelope import KeyRing, new_key
from carimbo.storage.migrate import migrate

HOST = "127.0.0.1"
_PORTS = range(10_000, 20_000)
_START_SECONDS = 180
_STOP_SECONDS = 30
_LOCK_SECONDS = 30
_TIMEOUT_SECONDS = 600
_WITHOUT_EMAILS = CompanySettings.model_validate({"email": {"sendOnAuthorization": False}})
_UNSETTLED = "select exists (select from documents where status = 'processing')"


class NotRunning(Exception):
    """A process that ended, or that did not become ready; the message has its log."""


@dataclass(frozen=True, slots=True)
class Program:
    """A running process, together with those that it started."""

    name: str
    process: psutil.Process

    def is_running(self) -> bool:
        """Tell whether it has not ended."""
        return bool(self.process.status() != psutil.STATUS_ZOMBIE)

    def cpu_seconds(self) -> float:
        """CPU that it has used so far, with its children, those that ended included."""
        own = self.process.cpu_times()
        children = [child.cpu_times() for child in self.process.children(recursive=True)]
        running: float = sum(times.user + times.system for times in (own, *children))
        ended: float = own.children_user + own.children_system
        return running + ended

    def megabytes(self) -> float:
        """Memory that it holds."""
        resident: int = self.process.memory_info().rss
        return resident / 2**20


@dataclass(frozen=True, slots=True)
class Installation:
    """What runs, and how to reach it."""

    database_url: str
    port: int
    headers: Mapping[str, str]
    company_id: UUID
    programs: tuple[Program, ...]
    postgres_log: Path

    @property
    def documents_path(self) -> str:
        """Where NF-e are created and listed."""
        return f"/v1/companies/{self.company_id}/nfe"

    def program(self, name: str) -> Program:
        """One of the processes."""
        return next(program for program in self.programs if program.name == name)

    def cpu_seconds(self) -> dict[str, float]:
        """CPU of every process so far."""
        return {program.name: program.cpu_seconds() for program in self.programs}


@dataclass(frozen=True, slots=True)
class Server:
    """A PostgreSQL with a folder beside its data."""

    folder: Path
    postgres: EmbeddedPostgres


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a PostgreSQL whose data is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="carimbo-") as name:
        folder = Path(name)
        with embedded_postgres(folder / "postgres") as postgres:
            yield Server(folder, postgres)


@contextmanager
def running_installation(
    server: Server, name: str = "carimbo_benchmark", *, with_worker: bool = True
) -> Iterator[Installation]:
    """Run an installation with a database, a simulator and a company of its own."""
    folder, keys = server.folder / name, new_key("benchmark")
    url = asyncio.run(new_database(server.postgres.url, name))
    headers, company_id = asyncio.run(_seed(url, keys, folder / "simulator"))
    ports = _free_ports(3)
    with ExitStack() as running:
        programs = [
            running.enter_context(_running(program_name, command, settings, folder))
            for program_name, (command, settings) in _plans(url, keys, folder, ports).items()
            if with_worker or program_name != "worker"
        ]
        for port, path in ((ports[0], "/readyz"), (ports[2], "/controls")):
            _wait_until_ready(port, path, programs, folder)
        programs.append(Program("postgres", psutil.Process(server.postgres.pid)))
        log = server.folder / "postgres" / "log"
        yield Installation(url, ports[0], headers, company_id, tuple(programs), log)


async def until_settled(database: "asyncpg.Connection[Any]") -> None:
    """Wait until no document is on its way."""
    async with asyncio.timeout(_TIMEOUT_SECONDS):
        while await database.fetchval(_UNSETTLED):  # noqa: ASYNC110 - a row tells nobody
            await asyncio.sleep(0.1)


async def new_database(server_url: str, name: str) -> str:
    """Makes a database with all migrations, and returns its address."""
    connection = await asyncpg.connect(server_url)
    try:
        await connection.execute(f"create database {name}")
    finally:
        await connection.close()
    url = urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    await migrate(url, _LOCK_SECONDS)
    return url


async def _seed(url: str, keys: str, folder: Path) -> tuple[dict[str, str], UUID]:
    now = datetime.now(UTC)
    certificates = CertificateFolder.open(folder, now)
    file = CompanyCertificateFile(certificates, folder / "company.pfx")
    async with open_database(url, KeyRing.parse(keys)) as database:
        credentials = await seed_credentials(database, None)
        company_id = await seed_company(database, credentials.subscription_id, file, now)
        change = EnvironmentChange(environment=Environment.PRODUCTION)
        await switch_environment(database, credentials.subscription_id, company_id, change)
        await change_settings(database, credentials.subscription_id, company_id, _WITHOUT_EMAILS)
    return {"X-Api-Key": str(credentials.subscription_id), "X-Api-Secret": credentials.secret}, company_id


def _plans(
    url: str, keys: str, folder: Path, ports: Sequence[int]
) -> dict[str, tuple[tuple[str, ...], dict[str, str]]]:
    """The command and the settings of every process, by its name."""
    api_port, simulator_port, control_port = map(str, ports)
    logs = {"log_format": "json", "log_level": "warning"}
    shared = {
        **logs,
        "secret_keys": keys,
        "simulator_url": f"https://{HOST}:{simulator_port}",
        "authority_ca_file": str(folder / "simulator" / "ca.pem"),
        "api_metrics_port": "0",
        "worker_metrics_port": "0",
        "webhook_allowed_hosts": HOST,
        # Nobody needs the calls that hang when a benchmark ends.
        "shutdown_seconds": "1",
    }
    listening = ("--port", simulator_port, "--control-port", control_port)
    return {
        "simulator": (("simulator", *listening, "--data-dir", str(folder / "simulator")), logs),
        "api": (("serve",), {**shared, "database_url": url, "host": HOST, "port": api_port}),
        "worker": (("worker",), {**shared, "database_url": url}),
    }


@contextmanager
def _running(
    name: str, command: tuple[str, ...], settings: Mapping[str, str], folder: Path
) -> Iterator[Program]:
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-P", "-m", "carimbo", *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=child_environment(settings),
        )
        try:
            yield Program(name, psutil.Process(process.pid))
        finally:
            process.terminate()
            process.wait(_STOP_SECONDS)


def _wait_until_ready(port: int, path: str, programs: Sequence[Program], folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _answers(port, path):
        if time.monotonic() > deadline or not all(program.is_running() for program in programs):
            logs = "".join(log.read_text(errors="replace") for log in folder.glob("*.log"))
            raise NotRunning(f"port {port} does not answer {path}:\n{logs}")
        time.sleep(0.1)


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except OSError:
        return False
    finally:
        connection.close()


def _free_ports(many: int) -> list[int]:
    """Ports that nothing listens on, of those that the system does not give to connections by itself."""
    return list(islice(filter(_is_free, random.sample(_PORTS, len(_PORTS))), many))


def _is_free(port: int) -> bool:
    try:
        socket.create_server((HOST, port)).close()
    except OSError:
        return False
    return True
