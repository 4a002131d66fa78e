"""`carimbo demo`: starts everything, shows how to use it, stops everything."""

import asyncio
import http.client
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import httpx2
from rich.console import Console

from carimbo.demo.children import ChildProcesses, DemoLayout, child_plans
from carimbo.demo.embedded_postgres import ENDING_SIGNALS, PostgresFailed, embedded_postgres
from carimbo.demo.folder import FolderProblem, locked_folder, previous_api_secret, secret_keys, write_private
from carimbo.demo.greeting import greet, made_up_notes, say, write_curl_files
from carimbo.demo.issuing import SampleProgress, api_client, issue_samples, live_table
from carimbo.demo.made_up import PanelClock, write_made_up_rate
from carimbo.demo.ports import HOST, Ports, PortsUnusable, require_usable
from carimbo.demo.seed import CompanyCertificateFile, seed_company, seed_credentials
from carimbo.demo.supplier import send_supplier_documents
from carimbo.service.people.context import LinkPurpose, link_address
from carimbo.service.people.new_links import demo_sign_in_link
from carimbo.settings import names_no_tables
from carimbo.simulator.program.certificates import CertificateFolder, CertificateProblem
from carimbo.storage.database import open_database
from carimbo.storage.envelope import KeyRing
from carimbo.storage.migrate import migrate

_OK = 0
_LOCK_TIMEOUT_SECONDS = 30
_START_SECONDS = 60
_STOP_SECONDS = 10
_DATABASE_CHECK_SECONDS = 1
_READY = 200


class DemoProblem(Exception):
    """The demo can't go on; the message is one sentence for the user."""


def run_demo(ports: Ports, folder: Path, begins_at: datetime | None = None) -> int:
    """Runs the demo until a signal arrives or a child ends; the data stays. Raises DemoProblem.

    Returns the exit code. `begins_at` is the time of its clock at the start, instead of the machine's.
    """
    # Signals wait until the loop handles them: an interrupted start would leave PostgreSQL running.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        # The folder first: a second demo in the same folder would not work on other ports either.
        with locked_folder(folder):
            require_usable(ports, folder)
            with embedded_postgres(folder / "postgres") as postgres:
                demo = _Demo(Console(), ports, folder.resolve(), postgres.url, postgres.revive, begins_at)
                return asyncio.run(demo.run())
    except (FolderProblem, PortsUnusable) as problem:
        raise DemoProblem(str(problem)) from None
    except PostgresFailed:
        # A Ctrl-C at a terminal also ends the programs that create a new database.
        if signal.sigpending() & _ending_signals():
            return _OK
        raise DemoProblem(
            f"O PostgreSQL da demonstração não iniciou: veja {folder / 'postgres' / 'log'},"
            f" ou apague a pasta {folder} para começar do zero."
        ) from None
    finally:
        _give_up_on_a_closed_terminal()


class _Demo:
    """A run of the demo."""

    def __init__(
        self,
        console: Console,
        ports: Ports,
        folder: Path,
        database_url: str,
        revive_database: Callable[[], bool],
        begins_at: datetime | None = None,
    ) -> None:
        self._console = console
        self._layout = DemoLayout(ports, folder, database_url)
        self._revive_database = revive_database
        self._begins_at = begins_at
        self._clock_offset = 0
        self._panel_clock = PanelClock(self._layout.panel_url, folder)
        self._made_up_rates: Path | None = None
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in _ending_signals():
            loop.add_signal_handler(number, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        try:
            keys = secret_keys(self._layout.folder)
            facts = await self._prepare(keys)
            return _OK if self._stop.is_set() else await self._run_children(keys, facts)
        finally:
            # Only PostgreSQL is left to stop, and no signal may prevent it. Blocked and not ignored: the loop
            # restores the default handlers when it closes.
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)

    async def _run_children(self, keys: str, facts: dict[str, Any]) -> int:
        children = ChildProcesses(self._console)
        if self._begins_at:
            self._clock_offset = round((self._begins_at - datetime.now(UTC)).total_seconds())
        try:
            simulator, *others = child_plans(
                self._layout, keys, self._clock_offset, has_tables=self._made_up_rates is not None
            )
            await children.start(simulator)
            if self._panel_clock.has_to_change(self._clock_offset):
                await self._set_panel_clock(children)
            for plan in others:
                await children.start(plan)
            return await self._attend(children, facts)
        finally:
            # A closed terminal can't be written to, but the children must be stopped.
            with suppress(OSError):
                self._console.print("Parando…", style="dim")
            await children.stop(_STOP_SECONDS, self._hurry)

    async def _set_panel_clock(self, children: ChildProcesses) -> None:
        """Sets the simulator's clock before the worker starts, unless a child ends or a signal comes."""
        ended = asyncio.create_task(children.first_to_end())
        stopped = asyncio.create_task(self._stop.wait())
        ready = asyncio.create_task(self._until(partial(_answers, self._layout.ports.control, "/controls")))
        waits: set[asyncio.Task[Any]] = {ended, stopped, ready}
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if ready.done() and ready.result():
            # If the simulator has ended meanwhile, the demo ends with a message about it.
            with suppress(httpx2.TransportError):
                await self._panel_clock.set(self._clock_offset)
        for task in waits:
            task.cancel()

    def _on_signal(self) -> None:
        """Stops the demo at the first signal, and without waiting at the second."""
        if self._stop.is_set():
            self._hurry.set()
        self._stop.set()

    async def _prepare(self, keys: str) -> dict[str, Any]:
        await migrate(self._layout.database_url, _LOCK_TIMEOUT_SECONDS)
        self._layout.email_folder.mkdir(exist_ok=True)
        if names_no_tables():
            self._made_up_rates = write_made_up_rate(self._layout.tables_folder)
        file = CompanyCertificateFile(self._certificates(), self._layout.simulator_folder / "company.pfx")
        async with open_database(self._layout.database_url, KeyRing.parse(keys)) as database:
            credentials = await seed_credentials(database, previous_api_secret(self._layout.folder))
            now = self._begins_at or datetime.now(UTC)
            company_id = await seed_company(database, credentials.subscription_id, file, now)
            # Links expire by the machine's time, also if the demo has a clock of its own.
            token = await demo_sign_in_link(database, credentials.subscription_id, datetime.now(UTC))
        facts = {
            "baseUrl": self._layout.api_url,
            "apiKey": str(credentials.subscription_id),
            "apiSecret": credentials.secret,
            "companyId": str(company_id),
            "dashboardUrl": link_address(self._layout.dashboard_url, LinkPurpose.SIGN_IN, token),
            "mcpUrl": None,
            "simulatorUrl": self._layout.simulator_url,
            "simulatorControlUrl": self._layout.panel_url,
            "simulatorCaFile": str(self._layout.ca_file),
            "certificateFile": str(file.path),
            "databaseUrl": self._layout.database_url,
            "emailFolder": str(self._layout.email_folder),
        }
        write_private(self._layout.folder / "demo.json", json.dumps(facts, indent=2) + "\n")
        write_curl_files(self._layout.folder, facts)
        return facts

    def _certificates(self) -> CertificateFolder:
        try:
            return CertificateFolder.open(self._layout.simulator_folder, datetime.now(UTC))
        except CertificateProblem as problem:
            raise DemoProblem(str(problem)) from None

    async def _attend(self, children: ChildProcesses, facts: dict[str, Any]) -> int:
        """Waits until all is ready, shows samples and commands, then waits for a signal or a child's end."""
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
        # Nothing can be written below the live table until it has released the terminal.
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
        """Shows samples and commands once everything is ready; returns False if it never is."""
        if not await self._until(self._is_ready):
            return False
        # A closed terminal ends the demo by its signal.
        with suppress(OSError):
            samples = await self._show_samples(facts)
            await self._receive_purchases(facts)
            notes = made_up_notes(self._made_up_rates, self._clock_offset)
            greet(self._console, self._layout.folder, facts, samples, notes)
            await self._build_docs(facts)
        return True

    async def _show_samples(self, facts: dict[str, Any]) -> list[SampleProgress]:
        try:
            async with api_client(facts) as client:
                with live_table(self._console) as show:
                    samples = await issue_samples(client, show)
        except httpx2.HTTPError:
            say(self._console, "Os documentos de exemplo não foram emitidos: a API não respondeu.")
            return []
        if not all(sample.is_settled for sample in samples):
            say(self._console, "\nHá exemplos em processamento: o worker continua a tentar.")
        return samples

    async def _receive_purchases(self, facts: dict[str, Any]) -> None:
        """Makes the company follow its received NF-e, with those of a supplier, if it has none yet."""
        with suppress(httpx2.HTTPError):
            async with api_client(facts) as client:
                received = await client.get("received-nfes")
                if received.raise_for_status().json()["pageInfo"]["total"]:
                    return
                await send_supplier_documents(
                    self._layout.simulator_url,
                    self._certificates(),
                    self._layout.ca_file,
                    datetime.now(UTC) + timedelta(seconds=self._clock_offset),
                )
                await client.post("received-nfes/sync")

    async def _build_docs(self, facts: dict[str, Any]) -> None:
        """Has the API build its documentation now, so that the first reader does not wait for it."""
        with suppress(httpx2.HTTPError):
            async with api_client(facts) as client:
                await client.get(f"{facts['baseUrl']}/docs")

    async def _until(self, condition: Callable[[], bool]) -> bool:
        for _ in range(_START_SECONDS * 5):
            if await asyncio.to_thread(condition):
                return True
            await asyncio.sleep(0.2)
        return False

    def _is_ready(self) -> bool:
        return _answers(self._layout.ports.control, "/controls") and _answers(
            self._layout.ports.api, "/readyz"
        )


def _give_up_on_a_closed_terminal() -> None:
    """Discards output that a closed terminal can't show: Python would fail to write it and exit with 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _ending_signals() -> set[signal.Signals]:
    """Returns the signals that end the demo; without SIGHUP, a closed terminal, if `nohup` runs us."""
    ignores_hangup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return set(ENDING_SIGNALS - {signal.SIGHUP}) if ignores_hangup else set(ENDING_SIGNALS)


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == _READY
    except OSError:
        return False
    finally:
        connection.close()
