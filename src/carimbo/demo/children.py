"""The demo's child processes (simulator, API and worker): their settings, their logs, their start and end."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from carimbo.demo.ports import HOST, Ports
from carimbo.settings import child_environment, names_no_responsible

_MAX_LINE_LENGTH = 1024 * 1024
_STYLES = ("cyan", "magenta", "green", "yellow", "blue")


@dataclass(frozen=True)
class ChildPlan:
    """A process to run: its name in the log, its arguments, its settings."""

    name: str
    arguments: tuple[str, ...]
    settings: Mapping[str, str]


@dataclass(frozen=True)
class ChildExit:
    """The child that ended, and its exit code."""

    name: str
    code: int

    @property
    def how(self) -> str:
        """The exit code, or the signal that ended the process."""
        return f"código {self.code}" if self.code >= 0 else f"sinal {signal.Signals(-self.code).name}"


class ChildProcesses:
    """Processes that are started, logged and stopped together."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._logs: list[asyncio.Task[None]] = []

    async def start(self, plan: ChildPlan) -> None:
        """Starts a child in a session of its own, so that a Ctrl-C of the terminal reaches only us."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "carimbo", *plan.arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=child_environment(plan.settings),
            start_new_session=True,
            limit=_MAX_LINE_LENGTH,
        )  # fmt: skip
        style = _STYLES[len(self._running) % len(_STYLES)]
        self._running[plan.name] = process
        self._logs.append(asyncio.create_task(self._copy_log(plan.name, style, process)))

    async def first_to_end(self) -> ChildExit:
        """Waits until any child ends, and returns which one and how."""
        waits = {asyncio.create_task(child.wait()): name for name, child in self._running.items()}
        done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in pending:
            wait.cancel()
        first = done.pop()
        return ChildExit(waits[first], first.result())

    async def stop(self, timeout_seconds: float, hurry: asyncio.Event) -> None:
        """Asks every child to stop, then kills those that don't in time, or all at once if `hurry` is set."""
        self._signal_all(signal.SIGTERM)
        ended = asyncio.create_task(self._all_ended())
        hurried = asyncio.create_task(hurry.wait())
        waits: set[asyncio.Task[Any]] = {ended, hurried}
        await asyncio.wait(waits, timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()
        self._signal_all(signal.SIGKILL)
        await ended
        await asyncio.gather(*self._logs)

    async def _all_ended(self) -> None:
        for child in self._running.values():
            await child.wait()

    def _signal_all(self, number: signal.Signals) -> None:
        for child in self._running.values():
            if child.returncode is None:
                # The whole session: a child's own children must not outlive it.
                with suppress(ProcessLookupError):
                    os.killpg(child.pid, number)

    async def _copy_log(self, name: str, style: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None  # noqa: S101 - asked for above
        while line := await process.stdout.readline():
            text = Text(f"{name:>9} │ ", style=style)
            text.append_text(Text.from_ansi(line.decode(errors="replace").rstrip("\n")))
            # Even if the terminal is gone: a pipe that nobody reads would stop the child.
            with suppress(OSError):
                self._console.print(text, soft_wrap=True)


_EMAIL_FROM = "notas@example.com"
# Users of the demo receive webhooks on the same machine.
_RECEIVER_HOSTS = "127.0.0.1,localhost"
# Many states refuse documents without a technical responsible.
_RESPONSIBLE = {
    "responsible_tax_id": "44455566000183",
    "responsible_contact": "Suporte da demonstração",
    "responsible_email": "suporte@example.com",
    "responsible_phone": "1133334444",
}


@dataclass(frozen=True)
class DemoLayout:
    """The addresses and folders of a demo."""

    ports: Ports
    folder: Path
    database_url: str

    @property
    def api_url(self) -> str:
        return f"http://{HOST}:{self.ports.api}"

    @property
    def dashboard_url(self) -> str:
        """The address of the dashboard: by name, as passkeys do not work at an IP address."""
        return f"http://localhost:{self.ports.api}"

    @property
    def simulator_url(self) -> str:
        return f"https://{HOST}:{self.ports.simulator}"

    @property
    def panel_url(self) -> str:
        return f"http://{HOST}:{self.ports.control}"

    @property
    def simulator_folder(self) -> Path:
        return self.folder / "simulator"

    @property
    def ca_file(self) -> Path:
        return self.simulator_folder / "ca.pem"

    @property
    def email_folder(self) -> Path:
        return self.folder / "emails"

    @property
    def tables_folder(self) -> Path:
        return self.folder / "tables"


def child_plans(layout: DemoLayout, keys: str, clock_offset: int, *, has_tables: bool) -> list[ChildPlan]:
    """Returns the processes in the order of their start, the simulator first.

    With `has_tables` they use the demo's own folder of tables, not that of the environment.
    """
    common = {"log_format": "console"}
    if has_tables:
        common["tables_folder"] = str(layout.tables_folder)
    service = {
        **common,
        "clock_offset_seconds": str(clock_offset),
        "database_url": layout.database_url,
        "secret_keys": keys,
        "simulator_url": layout.simulator_url,
        "authority_ca_file": str(layout.ca_file),
        "public_url": layout.api_url,
        "webhook_allowed_hosts": _RECEIVER_HOSTS,
        # Not the mail server of our own environment.
        "smtp_host": "",
        "email_folder": str(layout.email_folder),
        "email_from": _EMAIL_FROM,
        "api_metrics_port": "0",
        "worker_metrics_port": "0",
        **(_RESPONSIBLE if names_no_responsible() else {}),
    }
    ports = ("--port", str(layout.ports.simulator), "--control-port", str(layout.ports.control))
    simulator = ("simulator", *ports, "--data-dir", str(layout.simulator_folder))
    return [
        # Its clock is set on its panel.
        ChildPlan("simulator", simulator, {**common, "clock_offset_seconds": "0"}),
        ChildPlan("api", ("serve",), {**service, "host": HOST, "port": str(layout.ports.api)}),
        ChildPlan("worker", ("worker",), service),
    ]
