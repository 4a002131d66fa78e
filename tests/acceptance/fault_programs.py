"""The programs of the service as processes of their own, to be killed at any moment."""

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
import uvloop

from carimbo import cli
from carimbo.logs import configure_logs
from carimbo.main.worker import work
from carimbo.settings import child_environment, load_settings
from support import PATIENCE

# Importing the service takes seconds. One process does it once, and every program begins as a copy of it.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["__main__", "acceptance.fault_preload"])


@dataclass(frozen=True, slots=True)
class Failpoint:
    """A worker dies as soon as a document has come to a step; with a gate it freezes until that is open."""

    subject: str
    """The external id of a document, or the id of what has none."""
    step: str | None = None
    """None is any."""
    gate: "Gate | None" = None

    def __call__(self, step: str, subject: str) -> None:
        """Dies or freezes at the step that was just taken, if it is the one."""
        if subject != self.subject or self.step not in (None, step):
            return
        if self.gate is None:
            os.kill(os.getpid(), signal.SIGKILL)
        else:
            self.gate.pass_through()


@dataclass(frozen=True, slots=True)
class Gate:
    """Files by which a test and workers of other processes wait for each other."""

    folder: Path

    @classmethod
    def closed_in(cls, folder: Path) -> "Gate":
        """Returns a closed gate."""
        gate = cls(folder)
        gate._bar.touch()
        return gate

    @property
    def _bar(self) -> Path:
        return self.folder / "closed"

    def pass_through(self) -> None:
        """Stops everything that this process does until the gate is open."""
        (self.folder / f"reached-by-{os.getpid()}").touch()
        while self._bar.exists():
            time.sleep(0.01)

    async def until_reached_by(self, processes: int = 1) -> None:
        """Waits until so many processes have come to the gate."""
        async with asyncio.timeout(PATIENCE):
            while len(list(self.folder.glob("reached-by-*"))) < processes:  # noqa: ASYNC110 - a file tells nobody
                await asyncio.sleep(0.02)

    def open(self) -> None:
        """Lets everybody go on."""
        self._bar.unlink()


@contextmanager
def named(what: str) -> Iterator[None]:
    """Adds to whatever fails within a block what the block is about."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This is about: {what}")
        raise


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was started."""

    process: ForkServerProcess

    @property
    def is_alive(self) -> bool:
        return self.process.is_alive()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.process.pid or 0, number)

    async def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        assert await self.end() == -signal.SIGKILL

    async def terminate(self) -> int:
        """Ask it to stop, and wait for its exit code."""
        self.process.terminate()
        return await self.end()

    async def end(self) -> int:
        """Wait for its end, and tell the exit code."""
        await asyncio.to_thread(self.process.join, PATIENCE)
        code = self.process.exitcode
        assert code is not None, "the program goes on and on"
        return code


def start_copy(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """Starts a function in a copy of the process that has loaded the service."""
    process = _CONTEXT.Process(target=target, args=arguments, daemon=True)
    # The process that is copied looks for modules where this one does.
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        process.start()
    return process


@contextmanager
def carimbo(
    arguments: Sequence[str], settings: Mapping[str, str], log: Path, failpoint: Failpoint | None = None
) -> Iterator[Program]:
    """Run a command of carimbo for the length of a block, whatever else ends it before."""
    process = start_copy(_run, arguments, child_environment(settings), log, failpoint)
    try:
        yield Program(process)
    finally:
        process.kill()
        process.join()
        process.close()


def _run(
    arguments: Sequence[str], environment: Mapping[str, str], log: Path, failpoint: Failpoint | None
) -> None:
    with log.open("ab", buffering=0) as output:
        os.dup2(output.fileno(), sys.stdout.fileno())
        os.dup2(output.fileno(), sys.stderr.fileno())
    # What a killed program leaves behind goes away with its log.
    os.environ.update(environment, TMPDIR=str(log.parent))
    if failpoint:
        settings = load_settings()
        configure_logs(settings.log_format, settings.log_level)
        uvloop.run(work(settings, failpoint))
    else:
        sys.argv = ["carimbo", *arguments]
        cli.run()
