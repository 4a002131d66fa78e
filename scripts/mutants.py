"""Breaks the source by hand-made mutants, one at a time, and requires that the tests notice every one."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

ROOT = Path(__file__).parents[1]
DATA = Path(__file__).with_suffix(".toml")
SOURCE = Path("src", "carimbo")
RUN_SECONDS = 600
CLEAN_SECONDS = 3600
_ENDING_SECONDS = 30
_PASSED, _FAILED = 0, 1
# These are a session of their own, in which toys take the place of the real document types.
_TOYS, _TOY_PLUGIN = "tests/toy/", ("-p", "toy.registration")
_FIRST_FAILURE = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)
_SHOWN_LINES = 20


@dataclass(frozen=True, slots=True)
class Mutant:
    """A small edit of one source file that breaks a behaviour, and the tests that must notice it."""

    name: str
    file: str
    """Below `src/carimbo`."""
    old: str
    """Occurs exactly once in the file."""
    new: str
    tests: tuple[str, ...]
    """Files, folders or classes (`file.py::Class`), relative to the root; all of the toys, or none."""

    def path_in(self, root: Path) -> Path:
        """Returns the source file within a tree."""
        return root / SOURCE / self.file


@dataclass(frozen=True, slots=True)
class PytestRun:
    """How a run of pytest ended; without an exit code, it took too long."""

    exit_code: int | None
    output: str
    seconds: float

    @property
    def first_failure(self) -> str:
        """The id of the first test that failed."""
        match = _FIRST_FAILURE.search(self.output)
        return match[1] if match else "a test that pytest does not name"

    @property
    def last_lines(self) -> str:
        """The end of the output, for the reader of an unexpected result."""
        return "\n".join(self.output.splitlines()[-_SHOWN_LINES:])


def read_mutants(file: Path = DATA) -> list[Mutant]:
    """Returns every mutant of a data file."""
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**{**row, "tests": tuple(row["tests"])}) for row in rows]


def main(
    only: Annotated[str, typer.Option(help="Run the mutants whose name contains this text.")] = "",
    skip_clean: Annotated[bool, typer.Option(help="Do not run the tests without a mutant first.")] = False,
) -> None:
    """Run the tests of each mutant against a copy of the repository that has it."""
    mutants = [mutant for mutant in read_mutants() if only in mutant.name]
    if not mutants:
        typer.echo(f"No mutant has a name with “{only}”.")
        raise typer.Exit(1)
    with tempfile.TemporaryDirectory(prefix="carimbo-mutants-") as folder:
        copy = Path(folder)
        copy_repository(ROOT, copy)
        if not _imports_the_copy(copy) or not (skip_clean or _passes_without_a_mutant(copy, mutants)):
            raise typer.Exit(1)
        add_problem = [mutant for mutant in mutants if not _is_caught(copy, mutant)]
    typer.echo(f"{len(mutants) - len(add_problem)} of {len(mutants)} mutants were caught.")
    raise typer.Exit(1 if add_problem else 0)


def copy_repository(root: Path, copy: Path) -> None:
    """Copies the files that git knows or would add, with changes that are not committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607 - found by PATH
        cwd=root,
        capture_output=True,
        check=True,
    )
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        file = root / name
        if file.is_file() and not file.is_symlink():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, copy / name)


@contextmanager
def mutated(copy: Path, mutant: Mutant) -> Iterator[None]:
    """Applies a mutant to a copy, and puts the text back; raises ValueError if its text is not there once."""
    file = mutant.path_in(copy)
    text = file.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1 or mutant.old == mutant.new:
        raise ValueError(
            f"{mutant.file} has the text to be replaced {text.count(mutant.old)} times, not once"
        )
    _write(file, text.replace(mutant.old, mutant.new))
    try:
        yield
    finally:
        _write(file, text)


def _write(file: Path, text: str) -> None:
    """Writes a source file without its bytecode, which may look current: same second and same length."""
    file.write_text(text, encoding="utf-8")
    if file.suffix == ".py":
        Path(importlib.util.cache_from_source(str(file))).unlink(missing_ok=True)


def _environment(copy: Path) -> dict[str, str]:
    """Returns the environment of the tests of a copy: they import its source, and keep its bytecode."""
    return {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": ""}


def _imports_the_copy(copy: Path) -> bool:
    """Tells whether tests of a copy import its own source, and not an installed one."""
    shown = subprocess.run(
        [sys.executable, "-c", "import carimbo; print(carimbo.__file__)"],
        cwd=copy,
        env=_environment(copy),
        capture_output=True,
        text=True,
        check=True,
    )
    imported = Path(shown.stdout.strip())
    if imported.is_relative_to(copy):
        return True
    typer.echo(f"The tests would import {imported}, not the copy in {copy}.")
    return False


def _passes_without_a_mutant(copy: Path, mutants: Sequence[Mutant]) -> bool:
    tests = dict.fromkeys(test for mutant in mutants for test in mutant.tests)
    toys = [test for test in tests if test.startswith(_TOYS)]
    for session in filter(None, ([test for test in tests if test not in toys], toys)):
        run = _run_tests(copy, session, CLEAN_SECONDS)
        if run.exit_code != _PASSED:
            typer.echo(f"Without a mutant the tests must pass, and do not:\n{run.last_lines}")
            return False
        typer.echo(f"Without a mutant the tests pass ({run.seconds:.0f} s).")
    return True


def _is_caught(copy: Path, mutant: Mutant) -> bool:
    """Tells whether the tests fail with a mutant, and shows the result."""
    try:
        with mutated(copy, mutant):
            run = _run_tests(copy, mutant.tests, RUN_SECONDS)
    except ValueError as error:
        typer.echo(f"NOT RUN: {mutant.name}\n    {error}")
        return False
    typer.echo(f"{mutant.name}\n    {_result(run)} ({run.seconds:.0f} s)")
    return run.exit_code == _FAILED


def _result(run: PytestRun) -> str:
    match run.exit_code:
        case 1:
            return f"caught by {run.first_failure}"
        case 0:
            return "NOT CAUGHT"
        case None:
            return "NOT CAUGHT: the tests took too long"
        case code:
            return f"NOT CAUGHT: pytest ended with code {code}\n{run.last_lines}\n   "


def _run_tests(copy: Path, tests: Sequence[str], limit: float) -> PytestRun:
    """Runs tests in a process group of their own, which ends with the time limit."""
    plugin = _TOY_PLUGIN if tests[0].startswith(_TOYS) else ()
    command = [sys.executable, "-m", "pytest", "-xq", "-n", "0", "-p", "no:cacheprovider", *plugin, *tests]
    began = time.monotonic()
    with subprocess.Popen(  # noqa: S603 - pytest with the paths of our own data file
        command,
        cwd=copy,
        env=_environment(copy),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return PytestRun(None, _end(process), time.monotonic() - began)
        except KeyboardInterrupt:
            _end(process)
            raise
    return PytestRun(process.returncode, output, time.monotonic() - began)


def _end(process: "subprocess.Popen[str]") -> str:
    """Ends pytest politely, so that fixtures stop what they started, and then its process group by force."""
    process.send_signal(signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_ENDING_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    output, _ = process.communicate()
    return output


if __name__ == "__main__":
    typer.run(main)
