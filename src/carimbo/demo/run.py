"""`carimbo demo`: start everything, show how to use it, stop everything."""

import asyncio
import fcntl
import http.client
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console

from carimbo.demo.children import ChildPlan, Children
from carimbo.demo.embedded_postgres import ENDING_SIGNALS, PostgresFailed, embedded_postgres
from carimbo.demo.seed import CompanyFile, seed_company, seed_credentials
from carimbo.simulator.certificates import CertificateFolder, CertificateProblem
from carimbo.simulator.run import DEFAULT_CONTROL_PORT, DEFAULT_PORT
from carimbo.storage.database import open_database
from carimbo.storage.envelope import KeyRing, UnusableKey, new_key
from carimbo.storage.migrate import migrate

_HOST = "127.0.0.1"
_OK = 0
_LOCK_TIMEOUT_SECONDS = 30
_START_SECONDS = 60
_STOP_SECONDS = 10
_READY = 200


class DemoProblem(Exception):
    """The demo can't go on; the message is one sentence for the user."""


@dataclass(frozen=True)
class Ports:
    """Where the demo's processes listen."""

    api: int = 8000
    simulator: int = DEFAULT_PORT
    control: int = DEFAULT_CONTROL_PORT

    @property
    def by_option(self) -> dict[str, int]:
        """Each with the option that changes it."""
        return {
            "--port": self.api,
            "--simulator-port": self.simulator,
            "--simulator-control-port": self.control,
        }


def run_demo(ports: Ports, folder: Path) -> int:
    """Run the demo until a signal or the end of a child; the data stays. Raises DemoProblem."""
    # A signal waits until the loop can take it: one that cut the start short would leave PostgreSQL behind.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        for option, port in ports.by_option.items():
            _require_free(port, option)
        with _sole_user(folder), embedded_postgres(folder / "postgres") as postgres:
            return asyncio.run(_Demo(Console(), ports, folder.resolve(), postgres.url).run())
    except PostgresFailed:
        raise DemoProblem(
            f"O PostgreSQL da demonstração não iniciou: veja {folder / 'postgres' / 'log'},"
            f" ou apague a pasta {folder} para começar do zero."
        ) from None
    finally:
        _give_up_on_a_closed_terminal()


class _Demo:
    """One run of the demo."""

    def __init__(self, console: Console, ports: Ports, folder: Path, database_url: str) -> None:
        self._console = console
        self._ports = ports
        self._folder = folder
        self._database_url = database_url
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in _ending_signals():
            loop.add_signal_handler(number, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        try:
            keys = _secret_keys(self._folder)
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
        file = CompanyFile(self._certificates(), self._simulator_folder / "company.pfx")
        async with open_database(self._database_url, KeyRing.parse(keys)) as database:
            credentials = await seed_credentials(database, _known_secret(self._folder))
            company_id = await seed_company(database, credentials.subscription_id, file)
        facts = {
            "baseUrl": f"http://{_HOST}:{self._ports.api}",
            "apiKey": str(credentials.subscription_id),
            "apiSecret": credentials.secret,
            "companyId": str(company_id),
            "dashboardUrl": None,
            "mcpUrl": None,
            "simulatorUrl": self._simulator_url,
            "simulatorControlUrl": f"http://{_HOST}:{self._ports.control}",
            "simulatorCaFile": str(self._simulator_folder / "ca.pem"),
            "certificateFile": str(file.path),
            "databaseUrl": self._database_url,
        }
        _write_private(self._folder / "demo.json", json.dumps(facts, indent=2) + "\n")
        return facts

    @property
    def _simulator_folder(self) -> Path:
        return self._folder / "simulator"

    @property
    def _simulator_url(self) -> str:
        return f"https://{_HOST}:{self._ports.simulator}"

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
            "log_format": "console",
            "api_metrics_port": "0",
            "worker_metrics_port": "0",
        }
        ports = ("--port", str(self._ports.simulator), "--control-port", str(self._ports.control))
        simulator = ("simulator", *ports, "--data-dir", str(self._simulator_folder))
        return [
            ChildPlan("simulator", simulator, {"log_format": "console"}),
            ChildPlan("api", ("serve",), {**shared, "host": _HOST, "port": str(self._ports.api)}),
            ChildPlan("worker", ("worker",), shared),
        ]

    async def _attend(self, children: Children, facts: dict[str, Any]) -> int:
        """Wait for readiness, say hello, then wait for a signal or for a child to end."""
        ended = asyncio.create_task(children.first_to_end())
        stopped = asyncio.create_task(self._stop.wait())
        ready = asyncio.create_task(self._until_ready())
        await asyncio.wait({ended, stopped, ready}, return_when=asyncio.FIRST_COMPLETED)
        if ready.done() and ready.result():
            self._greet(facts)
            await asyncio.wait({ended, stopped}, return_when=asyncio.FIRST_COMPLETED)
        for task in (ready, stopped):
            task.cancel()
        if self._stop.is_set():
            ended.cancel()
            return _OK
        if not ended.done():
            raise DemoProblem(f"A API e o simulador não ficaram prontos em {_START_SECONDS} segundos.")
        raise DemoProblem(f"O processo «{ended.result()}» terminou: parando os demais.")

    async def _until_ready(self) -> bool:
        for _ in range(_START_SECONDS * 5):
            if await asyncio.to_thread(self._is_ready):
                return True
            await asyncio.sleep(0.2)
        return False

    def _is_ready(self) -> bool:
        return _answers(self._ports.control, "/controls") and _answers(self._ports.api, "/readyz")

    def _greet(self, facts: dict[str, Any]) -> None:
        curl = (
            f"curl -s {facts['baseUrl']}/v1/companies/{facts['companyId']} "
            f"-H 'X-Api-Key: {facts['apiKey']}' -H 'X-Api-Secret: {facts['apiSecret']}'"
        )
        self._console.rule("[bold]carimbo está no ar")
        self._say(f"API           {facts['baseUrl']}")
        self._say(f"Documentação  {facts['baseUrl']}/docs")
        self._say(f"Simulador     {facts['simulatorUrl']} (painel: {facts['simulatorControlUrl']})")
        self._say(f"Dados         {self._folder / 'demo.json'}")
        self._say("\nExperimente:\n")
        self._say(curl)
        self._console.print("\nCtrl-C para parar; os dados ficam.", style="dim")
        self._console.rule()

    def _say(self, line: str) -> None:
        """Print a line as it is, so that what is copied from it works."""
        self._console.print(line, soft_wrap=True, highlight=False, markup=False)


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


def _require_free(port: int, option: str) -> None:
    try:
        socket.create_server((_HOST, port)).close()
    except PermissionError:
        raise DemoProblem(f"Sem permissão para usar a porta {port}: escolha outra com {option}.") from None
    except OSError:
        raise DemoProblem(
            f"A porta {port} já está em uso: feche o outro programa ou escolha outra com {option}."
        ) from None


@contextmanager
def _sole_user(folder: Path) -> Iterator[None]:
    """Hold the folder, so that two demos don't share and then stop one database."""
    with _lock_file(folder) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DemoProblem(
                f"Outra demonstração já usa a pasta {folder}: pare-a ou use --data-dir."
            ) from None
        yield


def _lock_file(folder: Path) -> TextIO:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return (folder / "lock").open("w")
    except OSError as error:
        raise DemoProblem(f"Não foi possível usar a pasta {folder}: {error.strerror}.") from None


def _secret_keys(folder: Path) -> str:
    file = folder / "secret-keys"
    if not file.exists():
        _write_private(file, new_key("demo") + "\n")
    keys = file.read_text().strip()
    try:
        KeyRing.parse(keys)
    except UnusableKey:
        raise DemoProblem(
            f"O arquivo {file} está danificado: apague a pasta {folder} e comece do zero."
        ) from None
    return keys


def _known_secret(folder: Path) -> str | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads((folder / "demo.json").read_text())["apiSecret"])
    return None


def _write_private(file: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    draft = file.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)
    draft.replace(file)


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(_HOST, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == _READY
    except OSError:
        return False
    finally:
        connection.close()
