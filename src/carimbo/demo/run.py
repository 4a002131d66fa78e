"""`carimbo demo`: start everything, show how to use it, stop everything."""

import asyncio
import http.client
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

import httpx2
from rich.console import Console

from carimbo.demo.children import ChildPlan, Children
from carimbo.demo.embedded_postgres import ENDING_SIGNALS, PostgresFailed, embedded_postgres
from carimbo.demo.folder import FolderProblem, known_secret, secret_keys, sole_user, write_private
from carimbo.demo.greeting import greet, say, write_curl_files
from carimbo.demo.issuing import Progress, api_client, issue_samples
from carimbo.demo.live_table import live_table
from carimbo.demo.ports import HOST, Ports, PortsUnusable, require_usable
from carimbo.demo.seed import CompanyFile, seed_company, seed_credentials
from carimbo.settings import names_no_responsible
from carimbo.simulator.certificates import CertificateFolder, CertificateProblem
from carimbo.storage.database import open_database
from carimbo.storage.envelope import KeyRing
from carimbo.storage.migrate import migrate

_OK = 0
_LOCK_TIMEOUT_SECONDS = 30
_START_SECONDS = 60
_STOP_SECONDS = 10
_DATABASE_CHECK_SECONDS = 1
_READY = 200
_EMAIL_FROM = "notas@example.com"
# Whoever tries webhooks out receives them on the same machine.
_RECEIVER_HOSTS = "127.0.0.1,localhost"
# Many states refuse documents of software that nobody answers for.
_RESPONSIBLE = {
    "responsible_tax_id": "44455566000183",
    "responsible_contact": "Suporte da demonstração",
    "responsible_email": "suporte@example.com",
    "responsible_phone": "1133334444",
}


class DemoProblem(Exception):
    """The demo can't go on; the message is one sentence for the user."""


def run_demo(ports: Ports, folder: Path) -> int:
    """Run the demo until a signal or the end of a child; the data stays. Raises DemoProblem."""
    # A signal waits until the loop can take it: one that cut the start short would leave PostgreSQL behind.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        # The folder first: a second demo in it must be stopped, and would not work on other ports either.
        with sole_user(folder):
            require_usable(ports, folder)
            with embedded_postgres(folder / "postgres") as postgres:
                demo = _Demo(Console(), ports, folder.resolve(), postgres.url, postgres.revive)
                return asyncio.run(demo.run())
    except (FolderProblem, PortsUnusable) as problem:
        raise DemoProblem(str(problem)) from None
    except PostgresFailed:
        raise DemoProblem(
            f"O PostgreSQL da demonstração não iniciou: veja {folder / 'postgres' / 'log'},"
            f" ou apague a pasta {folder} para começar do zero."
        ) from None
    finally:
        _give_up_on_a_closed_terminal()


class _Demo:
    """One run of the demo."""

    def __init__(
        self,
        console: Console,
        ports: Ports,
        folder: Path,
        database_url: str,
        revive_database: Callable[[], bool],
    ) -> None:
        self._console = console
        self._ports = ports
        self._folder = folder
        self._database_url = database_url
        self._revive_database = revive_database
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in _ending_signals():
            loop.add_signal_handler(number, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        try:
            keys = secret_keys(self._folder)
            facts = await self._prepare(keys)
            return _OK if self._stop.is_set() else await self._run_children(keys, facts)
        finally:
            # From here on only PostgreSQL is left to stop, and nothing may keep us from it. Blocked and not
            # ignored: the loop puts the default handlers back when it closes.
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)

    async def _run_children(self, keys: str, facts: dict[str, Any]) -> int:
        children = Children(self._console)
        try:
            for plan in self._plans(keys):
                await children.start(plan)
            return await self._attend(children, facts)
        finally:
            # A terminal that was closed can't be written to; the children must be stopped all the same.
            with suppress(OSError):
                self._console.print("Parando…", style="dim")
            await children.stop(_STOP_SECONDS, self._hurry)

    def _on_signal(self) -> None:
        """The first signal stops, the second one stops without patience."""
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()

    async def _prepare(self, keys: str) -> dict[str, Any]:
        await migrate(self._database_url, _LOCK_TIMEOUT_SECONDS)
        self._email_folder.mkdir(exist_ok=True)
        file = CompanyFile(self._certificates(), self._simulator_folder / "company.pfx")
        async with open_database(self._database_url, KeyRing.parse(keys)) as database:
            credentials = await seed_credentials(database, known_secret(self._folder))
            company_id = await seed_company(database, credentials.subscription_id, file)
        facts = {
            "baseUrl": self._base_url,
            "apiKey": str(credentials.subscription_id),
            "apiSecret": credentials.secret,
            "companyId": str(company_id),
            "dashboardUrl": None,
            "mcpUrl": None,
            "simulatorUrl": self._simulator_url,
            "simulatorControlUrl": f"http://{HOST}:{self._ports.control}",
            "simulatorCaFile": str(self._simulator_folder / "ca.pem"),
            "certificateFile": str(file.path),
            "databaseUrl": self._database_url,
            "emailFolder": str(self._email_folder),
        }
        write_private(self._folder / "demo.json", json.dumps(facts, indent=2) + "\n")
        write_curl_files(self._folder, facts)
        return facts

    @property
    def _simulator_folder(self) -> Path:
        return self._folder / "simulator"

    @property
    def _email_folder(self) -> Path:
        return self._folder / "emails"

    @property
    def _base_url(self) -> str:
        return f"http://{HOST}:{self._ports.api}"

    @property
    def _simulator_url(self) -> str:
        return f"https://{HOST}:{self._ports.simulator}"

    def _certificates(self) -> CertificateFolder:
        try:
            return CertificateFolder.open(self._simulator_folder, datetime.now(UTC))
        except CertificateProblem as problem:
            raise DemoProblem(str(problem)) from None

    def _plans(self, keys: str) -> list[ChildPlan]:
        shared = {
            "database_url": self._database_url,
            "secret_keys": keys,
            "simulator_url": self._simulator_url,
            "authority_ca_file": str(self._simulator_folder / "ca.pem"),
            "public_url": self._base_url,
            "webhook_allowed_hosts": _RECEIVER_HOSTS,
            # Instead of whatever server our own environment names.
            "smtp_host": "",
            "email_folder": str(self._email_folder),
            "email_from": _EMAIL_FROM,
            "log_format": "console",
            "api_metrics_port": "0",
            "worker_metrics_port": "0",
            **(_RESPONSIBLE if names_no_responsible() else {}),
        }
        ports = ("--port", str(self._ports.simulator), "--control-port", str(self._ports.control))
        simulator = ("simulator", *ports, "--data-dir", str(self._simulator_folder))
        return [
            ChildPlan("simulator", simulator, {"log_format": "console"}),
            ChildPlan("api", ("serve",), {**shared, "host": HOST, "port": str(self._ports.api)}),
            ChildPlan("worker", ("worker",), shared),
        ]

    async def _attend(self, children: Children, facts: dict[str, Any]) -> int:
        """Wait for readiness, show the samples, say hello, then wait for a signal or for a child to end."""
        ended = asyncio.create_task(children.first_to_end())
        stopped = asyncio.create_task(self._stop.wait())
        database = asyncio.create_task(self._keep_database())
        welcome = asyncio.create_task(self._welcome(facts))
        await asyncio.wait({ended, stopped, database, welcome}, return_when=asyncio.FIRST_COMPLETED)
        if welcome.done() and welcome.result():
            await asyncio.wait({ended, stopped, database}, return_when=asyncio.FIRST_COMPLETED)
        failure = database.exception() if database.done() else None
        for task in (welcome, stopped, database):
            task.cancel()
        # Until it let go of the terminal, nobody else can write below its table.
        await asyncio.gather(welcome, stopped, database, return_exceptions=True)
        if self._stop.is_set():
            ended.cancel()
            return _OK
        if failure:
            raise failure
        if not ended.done():
            raise DemoProblem(f"A API e o simulador não ficaram prontos em {_START_SECONDS} segundos.")
        raise DemoProblem(
            f"O processo «{ended.result().name}» terminou ({ended.result().how}): parando os demais."
            " Rode `make demo` de novo: os dados ficam."
        )

    async def _keep_database(self) -> NoReturn:
        """Starts PostgreSQL again whenever it dies. Raises PostgresFailed when it does not start."""
        while True:
            await asyncio.sleep(_DATABASE_CHECK_SECONDS)
            if not await asyncio.to_thread(self._revive_database):
                continue
            with suppress(OSError):
                say(self._console, "O PostgreSQL da demonstração terminou e foi iniciado de novo.")

    async def _welcome(self, facts: dict[str, Any]) -> bool:
        """Show that it works once everything is ready; False if it never was."""
        if not await self._until_ready():
            return False
        # A terminal that was closed ends the demo by its signal.
        with suppress(OSError):
            samples = await self._show_samples(facts)
            greet(self._console, self._folder, facts, samples)
        return True

    async def _show_samples(self, facts: dict[str, Any]) -> list[Progress]:
        try:
            async with api_client(facts) as client:
                with live_table(self._console) as show:
                    samples = await issue_samples(client, show)
        except httpx2.HTTPError:
            say(self._console, "Os documentos de exemplo não foram emitidos: a API não respondeu.")
            return []
        if not all(sample.is_settled for sample in samples):
            say(self._console, "\nHá exemplos em processamento: o trabalhador continua a tentar.")
        return samples

    async def _until_ready(self) -> bool:
        for _ in range(_START_SECONDS * 5):
            if await asyncio.to_thread(self._is_ready):
                return True
            await asyncio.sleep(0.2)
        return False

    def _is_ready(self) -> bool:
        return _answers(self._ports.control, "/controls") and _answers(self._ports.api, "/readyz")


def _give_up_on_a_closed_terminal() -> None:
    """Let go of what can't be shown any more: Python would fail to write it at the end, and exit with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ending_signals() -> set[signal.Signals]:
    """Ctrl-C, a polite kill, and a terminal that is closed, unless `nohup` asked us to outlive it."""
    outlives = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return set(ENDING_SIGNALS - {signal.SIGHUP}) if outlives else set(ENDING_SIGNALS)


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == _READY
    except OSError:
        return False
    finally:
        connection.close()
