"""Fixtures for tests of whole programs: the installation that the fault tests share, and demos."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from acceptance.demo_runs import (
    AT_A_TERMINAL,
    WITH_LOADED_PARTS,
    Demo,
    Start,
    Terminal,
    environment,
    simulator_ports,
)
from acceptance.fault_company import Company
from acceptance.fault_site import Site, local, open_site, until_answered
from acceptance.loaded_command import loaded_carimbo
from support import free_port


@pytest.fixture(scope="session")
async def site() -> AsyncIterator[Site]:
    async with open_site() as opened:
        yield opened


@pytest.fixture
async def company(site: Site) -> AsyncIterator[Company]:
    """A company for this test alone: its numbers begin with 1."""
    async with site.company() as registered:
        yield registered


@pytest.fixture(scope="module")
async def urls(site: Site) -> AsyncIterator[list[str]]:
    """The URLs of two API processes on one database."""
    port = free_port()
    with site.api(port):
        await until_answered(local(port), "/readyz")
        yield [site.url, local(port)]


@pytest.fixture(scope="module")
def new_folder() -> Iterator[Callable[[], Path]]:
    """Not tmp_path: an embedded PostgreSQL started by root needs parents that others can enter."""
    folders: list[Path] = []

    def make() -> Path:
        folders.append(Path(tempfile.mkdtemp(prefix="carimbo-")).resolve())
        return folders[-1]

    yield make
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def start(new_folder: Callable[[], Path]) -> Iterator[Start]:
    started: list[Demo] = []

    def begin(folder: Path, *arguments: str, terminal: bool = False, has_loaded_parts: bool = False) -> Demo:
        port, log = free_port(), folder / f"log-{len(started)}"
        log.touch()
        window = Terminal(log) if terminal else None
        launcher = ["-c", AT_A_TERMINAL] if window else []
        program = ["-c", WITH_LOADED_PARTS, loaded_carimbo()] if has_loaded_parts else ["-m", "carimbo"]
        ports = ["--port", str(port), *simulator_ports()]
        with log.open("ab") as stream:
            process = subprocess.Popen(
                [sys.executable, *launcher, *program, "demo", *ports, *arguments],
                cwd=folder,
                env=environment(),
                stdin=window.slave if window else subprocess.DEVNULL,
                stdout=window.slave if window else stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        if window:
            os.close(window.slave)
        started.append(Demo(process, folder / ".carimbo", port, log, window))
        return started[-1]

    yield begin
    for demo in started:
        demo.clean_up()
