"""The PostgreSQL of the demo, in folders that earlier runs left in a bad state."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import psutil  # type: ignore[import-untyped]
import pytest

from acceptance.demo_runs import is_alive, until
from carimbo.demo.embedded_postgres import EmbeddedPostgres, PostgresFailed, embedded_postgres

_START_AND_DIE = """
import os, pathlib, sys
from carimbo.demo.embedded_postgres import EmbeddedPostgres
EmbeddedPostgres(pathlib.Path(sys.argv[1])).start()
os._exit(0)
"""
# A process that inherits orphans and does not wait for them, as the first one of many containers.
_KILL_WITHOUT_REAPING = """
import ctypes, os, pathlib, signal, sys, time
import psutil
from carimbo.demo.embedded_postgres import EmbeddedPostgres
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
server = EmbeddedPostgres(pathlib.Path(sys.argv[1]))
server.start()
killed = psutil.Process(server.pid)
os.kill(killed.pid, signal.SIGKILL)
while killed.status() != psutil.STATUS_ZOMBIE:
    time.sleep(0.01)
print("zombie")
server = EmbeddedPostgres(pathlib.Path(sys.argv[1]))
server.start()
print("the same" if server.pid == killed.pid else "another")
server.stop()
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not tmp_path: PostgreSQL as root needs parents that others can enter."""
    parent = Path(tempfile.mkdtemp(prefix="carimbo-"))
    yield parent / "postgres"
    shutil.rmtree(parent, ignore_errors=True)


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """An unrelated program."""
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


class TestStart:
    def test_the_pid_of_another_program_is_not_taken_for_the_server(
        self, folder: Path, bystander: subprocess.Popen[bytes]
    ) -> None:
        """A power cut leaves the pid file; after a reboot that pid belongs to another program."""
        with embedded_postgres(folder):
            left_behind = (folder / "postmaster.pid").read_text().splitlines()
        left_behind[0] = str(bystander.pid)
        (folder / "postmaster.pid").write_text("\n".join(left_behind) + "\n")
        with embedded_postgres(folder) as server:
            pid = int((folder / "postmaster.pid").read_text().split()[0])
            assert pid != bystander.pid
            assert server.url.startswith("postgresql://")
        assert bystander.poll() is None

    def test_server_that_a_killed_process_left_running_is_reused(self, folder: Path) -> None:
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

    def test_running_server_of_a_folder_that_a_shell_would_split_is_reused(self, folder: Path) -> None:
        named = folder.parent / "área de trabalho" / "postgres"
        subprocess.run([sys.executable, "-c", _START_AND_DIE, str(named)], timeout=60, check=True)
        left_running = int((named / "postmaster.pid").read_text().split()[0])
        with embedded_postgres(named) as server:
            socket_folder = Path(server.url.partition("?host=")[2])
            assert server.pid == left_running
        assert not socket_folder.exists()

    def test_folder_that_is_no_database_is_reported(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "PG_VERSION").write_text("18\n")
        with pytest.raises(PostgresFailed), embedded_postgres(folder):
            pass


class TestDataOfAnotherVersion:
    def test_data_of_another_version_is_reported_and_left_alone(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "PG_VERSION").write_text("12\n")
        with pytest.raises(PostgresFailed), embedded_postgres(folder):
            pytest.fail("the server must not start")
        assert (folder / "PG_VERSION").read_text() == "12\n"


@pytest.fixture(scope="module")
def used_folder() -> Iterator[Path]:
    """A folder whose name a shell would split: its socket is in a folder with a random name."""
    parent = Path(tempfile.mkdtemp(prefix="carimbo-"))
    yield parent / "área de trabalho" / "postgres"
    shutil.rmtree(parent, ignore_errors=True)


class TestLeftovers:
    """Leftovers of a killed server, in one folder that every test leaves stopped."""

    def test_a_killed_server_is_revived_at_the_same_address(self, used_folder: Path) -> None:
        with embedded_postgres(used_folder) as server:
            url, pid = server.url, server.pid
            backend = socket.socket(socket.AF_UNIX)
            backend.connect(f"{url.partition('?host=')[2]}/.s.PGSQL.5432")
            assert server.revive() is False
            os.kill(pid, signal.SIGKILL)
            until(lambda: not psutil.pid_exists(pid) or not is_alive(psutil.Process(pid)), 10)
            assert server.revive() is True
            assert (server.url, server.pid == pid) == (url, False)
            assert_answers(server)
            backend.close()

    def test_a_zombie_is_not_taken_for_a_server(self, used_folder: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-c", _KILL_WITHOUT_REAPING, str(used_folder)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "zombie\nanother\n"), done.stderr
        assert not (used_folder / "postmaster.pid").exists()

    @pytest.mark.parametrize("content", ["", "not a pid\n"])
    def test_a_pid_file_that_was_cut_short_is_replaced(self, used_folder: Path, content: str) -> None:
        (used_folder / "postmaster.pid").write_text(content)
        with embedded_postgres(used_folder) as server:
            assert_answers(server)

    def test_a_server_whose_socket_was_deleted_is_replaced(self, used_folder: Path) -> None:
        subprocess.run([sys.executable, "-c", _START_AND_DIE, str(used_folder)], timeout=60, check=True)
        unreachable, *_, port, socket_folder = (used_folder / "postmaster.pid").read_text().splitlines()[:5]
        Path(socket_folder, f".s.PGSQL.{port}").unlink()
        with embedded_postgres(used_folder) as server:
            assert server.pid != int(unreachable)
            assert_answers(server)
        shutil.rmtree(socket_folder)

    def test_a_server_of_another_folder_is_left_alone(self, used_folder: Path) -> None:
        with embedded_postgres(used_folder):
            lines = (used_folder / "postmaster.pid").read_text().splitlines()
        with embedded_postgres(used_folder.parent / "other") as other:
            (used_folder / "postmaster.pid").write_text("\n".join([str(other.pid), *lines[1:]]) + "\n")
            with embedded_postgres(used_folder) as server:
                assert server.pid != other.pid
            assert_answers(other)


def assert_answers(server: EmbeddedPostgres) -> None:
    async def fetch_one() -> Any:
        client = await asyncpg.connect(server.url)
        try:
            return await client.fetchval("select 1")
        finally:
            await client.close()

    assert asyncio.run(fetch_one()) == 1
