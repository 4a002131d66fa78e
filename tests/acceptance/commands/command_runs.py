"""Runs commands as an operator does, and returns their results."""

import io
import os
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from acceptance.loaded_command import loaded_carimbo
from carimbo.cli import run


@dataclass(frozen=True)
class CommandResult:
    """The exit code and the output of a command."""

    code: int
    out: str
    err: str

    @property
    def is_one_sentence(self) -> bool:
        return self.out == "" and self.err.count("\n") == 1 and self.err.strip() != ""


Carimbo = Callable[..., CommandResult]


def environment(**settings: str) -> dict[str, str]:
    """Returns this process's environment with exactly these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")}
    return {**kept, **{f"CARIMBO_{name.upper()}": value for name, value in settings.items()}}


def carimbo_here(*arguments: str, **settings: str) -> CommandResult:
    """Runs a command in a thread of this process: it has its own event loop, and starts quickly."""
    out, err = io.StringIO(), io.StringIO()

    def call() -> int:
        try:
            run()
        except SystemExit as leaving:
            return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        return 0

    patched = (
        patch.dict(os.environ, environment(**settings), clear=True),
        patch("sys.argv", ["carimbo", *arguments]),
    )
    with patched[0], patched[1], redirect_stdout(out), redirect_stderr(err), ThreadPoolExecutor(1) as thread:
        code = thread.submit(call).result(60)
    return CommandResult(code, out.getvalue(), err.getvalue())


def begin(*arguments: str, **settings: str) -> subprocess.Popen[str]:
    """Starts a command as a separate process."""
    return subprocess.Popen(
        [loaded_carimbo(), *arguments],
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end_of(process: subprocess.Popen[str]) -> CommandResult:
    out, err = process.communicate(timeout=60)
    return CommandResult(process.returncode, out, err)


@contextmanager
def running(*arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """Keeps a command running for the length of a block."""
    process = begin(*arguments, **settings)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
