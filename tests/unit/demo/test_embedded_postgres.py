"""The PostgreSQL of the demo, in folders that earlier runs left in a bad state."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from carimbo.demo.embedded_postgres import PostgresFailed, embedded_postgres

_START_AND_DIE = """
import os, pathlib, sys
from carimbo.demo.embedded_postgres import EmbeddedPostgres
EmbeddedPostgres(pathlib.Path(sys.argv[1])).start()
os._exit(0)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not tmp_path: PostgreSQL as root needs parents that others can enter."""
    parent = Path(tempfile.mkdtemp(prefix="carimbo-"))
    yield parent / "postgres"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A program that has nothing to do with us."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


class TestStart:
    def test_the_pid_of_another_program_is_not_taken_for_the_server(
        self, folder: Path, bystander: subprocess.Popen[bytes]
    ) -> None:
        """A power cut leaves the pid file; after a reboot that pid is somebody else's."""
        with embedded_postgres(folder):
            left_behind = (folder / "postmaster.pid").read_text().splitlines()
        left_behind[0] = str(bystander.pid)
        (folder / "postmaster.pid").write_text("\n".join(left_behind) + "\n")
        with embedded_postgres(folder) as server:
            pid = int((folder / "postmaster.pid").read_text().split()[0])
            assert pid != bystander.pid
            assert server.url.startswith("postgresql://")
        assert bystander.poll() is None

    def test_a_server_that_a_killed_process_left_running_is_joined(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-c", _START_AND_DIE, str(folder)], timeout=60, check=True)
        left_running = (folder / "postmaster.pid").read_text()
        with embedded_postgres(folder):
            assert (folder / "postmaster.pid").read_text() == left_running
        assert not (folder / "postmaster.pid").exists()

    def test_a_folder_whose_name_a_shell_would_split_holds_the_data(self, folder: Path) -> None:
        named = folder.parent / "área de trabalho (1)" / "postgres"
        for _ in range(2):
            with embedded_postgres(named) as server:
                socket_folder = Path(server.url.partition("?host=")[2])
                assert (socket_folder / ".s.PGSQL.5432").is_socket()
            assert (named / "PG_VERSION").exists()
            assert not socket_folder.exists()

    def test_such_a_folders_server_is_joined_as_well(self, folder: Path) -> None:
        named = folder.parent / "área de trabalho" / "postgres"
        subprocess.run([sys.executable, "-c", _START_AND_DIE, str(named)], timeout=60, check=True)
        left_running = int((named / "postmaster.pid").read_text().split()[0])
        with embedded_postgres(named) as server:
            socket_folder = Path(server.url.partition("?host=")[2])
            assert server.pid == left_running
        assert not socket_folder.exists()

    def test_a_folder_that_is_no_database_is_told(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "PG_VERSION").write_text("18\n")
        with pytest.raises(PostgresFailed), embedded_postgres(folder):
            pass


class TestDataOfAnotherVersion:
    def test_is_told_and_left_alone(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "PG_VERSION").write_text("12\n")
        with pytest.raises(PostgresFailed), embedded_postgres(folder):
            pytest.fail("it must not start")
        assert (folder / "PG_VERSION").read_text() == "12\n"
