"""The demo's child processes: started together, logged together, stopped together."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.text import Text

from carimbo.settings import child_environment

_LONGEST_LINE = 1024 * 1024
_STYLES = ("cyan", "magenta", "green", "yellow", "blue")


@dataclass(frozen=True)
class ChildPlan:
    """A process to run: its name in the log, its arguments, its settings."""

    name: str
    arguments: tuple[str, ...]
    settings: Mapping[str, str]


@dataclass(frozen=True)
class Ending:
    """Which child ended, and how."""

    name: str
    code: int

    @property
    def how(self) -> str:
        """Its exit code, or the signal that ended it."""
        return f"código {self.code}" if self.code >= 0 else f"sinal {signal.Signals(-self.code).name}"


class Children:
    """Processes that live and die together."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._logs: list[asyncio.Task[None]] = []

    async def start(self, plan: ChildPlan) -> None:
        """Start one child in a session of its own, so that a Ctrl-C of the terminal reaches only us."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "carimbo", *plan.arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=child_environment(plan.settings),
            start_new_session=True,
            limit=_LONGEST_LINE,
        )  # fmt: skip
        style = _STYLES[len(self._running) % len(_STYLES)]
        self._running[plan.name] = process
        self._logs.append(asyncio.create_task(self._copy_log(plan.name, style, process)))

    async def first_to_end(self) -> Ending:
        """Wait until any child ends, and tell which and how."""
        waits = {asyncio.create_task(child.wait()): name for name, child in self._running.items()}
        done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in pending:
            wait.cancel()
        first = done.pop()
        return Ending(waits[first], first.result())

    async def stop(self, patience_seconds: float, hurry: asyncio.Event) -> None:
        """Ask every child to stop; kill those that don't in time, or at once when `hurry` is set."""
        self._signal_all(signal.SIGTERM)
        ended = asyncio.create_task(self._all_ended())
        hurried = asyncio.create_task(hurry.wait())
        waits: set[asyncio.Task[Any]] = {ended, hurried}
        await asyncio.wait(waits, timeout=patience_seconds, return_when=asyncio.FIRST_COMPLETED)
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
            # Whatever becomes of the terminal, a pipe that nobody reads would stop the child.
            with suppress(OSError):
                self._console.print(text, soft_wrap=True)
