"""The programs of the service as separate processes that can be killed at any moment."""

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
from support import TIMEOUT_SECONDS

# Importing the service takes seconds. One process does it once, and every program is forked from it.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["__main__", "acceptance.fault_preload"])


@dataclass(frozen=True, slots=True)
class Failpoint:
    """Kills a worker when a document has completed a step; with a gate, freezes it until the gate opens."""

    subject: str
    """The external id of a document, or the id of a row without one."""
    step: str | None = None
    """None means any step."""
    gate: "Gate | None" = None

    def __call__(self, step: str, subject: str) -> None:
        """Dies or freezes if this is the subject and the step."""
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
        """Blocks this process until the gate is open."""
        (self.folder / f"reached-by-{os.getpid()}").touch()
        while self._bar.exists():
            time.sleep(0.01)

    async def until_reached_by(self, processes: int = 1) -> None:
        """Waits until this many processes have reached the gate."""
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while len(list(self.folder.glob("reached-by-*"))) < processes:  # noqa: ASYNC110 - a file sends no event
                await asyncio.sleep(0.02)

    def open(self) -> None:
        """Lets all processes continue."""
        self._bar.unlink()


@contextmanager
def named(subject: str) -> Iterator[None]:
    """Adds the subject of a block to any error raised in it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This is about: {subject}")
        raise


@dataclass(frozen=True, slots=True)
class Program:
    """A program that was started."""

    process: ForkServerProcess

    @property
    def is_alive(self) -> bool:
        return self.process.is_alive()

    def send(self, number: signal.Signals) -> None:
        """Sends it a signal."""
        os.kill(self.process.pid or 0, number)

    async def kill(self) -> None:
        """Ends it as a power cut would."""
        self.process.kill()
        assert await self.end() == -signal.SIGKILL

    async def terminate(self) -> int:
        """Asks it to stop, and returns its exit code."""
        self.process.terminate()
        return await self.end()

    async def end(self) -> int:
        """Waits for its end, and returns its exit code."""
        await asyncio.to_thread(self.process.join, TIMEOUT_SECONDS)
        code = self.process.exitcode
        assert code is not None, "the program did not end in time"
        return code


def start_copy(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """Starts a function in a fork of the process that has loaded the service."""
    process = _CONTEXT.Process(target=target, args=arguments, daemon=True)
    # The forked process looks for modules where this one does.
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        process.start()
    return process


@contextmanager
def carimbo(
    arguments: Sequence[str], settings: Mapping[str, str], log: Path, failpoint: Failpoint | None = None
) -> Iterator[Program]:
    """Runs a command of carimbo for the length of a block, unless it ends earlier."""
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
    # Temporary files of a killed program are deleted with its log.
    os.environ.update(environment, TMPDIR=str(log.parent))
    if failpoint:
        settings = load_settings()
        configure_logs(settings.log_format, settings.log_level)
        uvloop.run(work(settings, failpoint))
    else:
        sys.argv = ["carimbo", *arguments]
        cli.run()
