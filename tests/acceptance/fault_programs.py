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

PATIENCE = 120.0

# Importing the service takes seconds. One process does it once, and every program begins as a copy of it.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["__main__", "acceptance.fault_preload"])


@dataclass(frozen=True, slots=True)
class Failpoint:
    """A worker dies as soon as a document has come to a step; with a gate it freezes while that is there."""

    subject: str
    """The external id of a document, or the id of what has none."""
    step: str | None = None
    """None is any."""
    gate: Path | None = None

    def __call__(self, step: str, subject: str) -> None:
        """Be told of a step that was taken."""
        if subject != self.subject or self.step not in (None, step):
            return
        if self.gate is None:
            os.kill(os.getpid(), signal.SIGKILL)
        while self.gate and self.gate.exists():
            time.sleep(0.01)


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
