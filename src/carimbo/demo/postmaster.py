"""The postmaster of a PostgreSQL data folder: whether it can be used, and what a dead one left behind."""

import signal
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil  # type: ignore[import-untyped]

_PATIENCE_SECONDS = 10
_PAUSE_SECONDS = 0.1
_USUAL_SOCKET = ".s.PGSQL.5432"
_DEAD = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)


@dataclass(frozen=True)
class _PidFile:
    """The lines of `postmaster.pid`; a server that is starting has not written all of them."""

    lines: tuple[str, ...] = ()

    @property
    def pid(self) -> int:
        """The process id; 0, which is no program's, if the file has none."""
        return int(self.lines[0]) if self.lines and self.lines[0].isdecimal() else 0

    @property
    def socket(self) -> Path | None:
        """The socket on which the server listens."""
        port, folder = self.lines[3:5] if len(self.lines) > 4 else ("", "")  # noqa: PLR2004
        return Path(folder, f".s.PGSQL.{port}") if folder else None

    @property
    def is_ready(self) -> bool:
        return self.lines[7:8] == ("ready",)


def is_running(folder: Path) -> bool:
    """Tells whether the pid file of a data folder names a postmaster that is alive and serves that folder."""
    return _process(folder) is not None


def make_usable(folder: Path) -> None:
    """Leaves a data folder either with a server that accepts connections or without any trace of one.

    A killed container or a power cut leaves the pid file. Its pid may be nobody's by now, another program's,
    or a zombie's; PostgreSQL does not start while a process with that pid exists.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while is_running(folder) and not _pid_file(folder).is_ready and time.monotonic() < deadline:
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
    # Another program, or a server of another folder, may have the pid by now. The command line can be read
    # of processes of other users too: a server that root starts runs as a user of its own.
    return process if not is_dead and str(folder) in command and "postgres" in command[0] else None


def _accepts(folder: Path) -> bool:
    """Tells whether a living server is ready and its socket has not been deleted."""
    pid_file = _pid_file(folder)
    if not pid_file.is_ready or pid_file.socket is None or not is_running(folder):
        return False
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_PATIENCE_SECONDS)
        try:
            client.connect(str(pid_file.socket))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except OSError:
            # A server whose queue of connections is full.
            return True
    return True


def _end_processes(folder: Path) -> None:
    """Ends a server that cannot be used, or backends that outlived theirs: they still write to the data.

    SIGQUIT is how PostgreSQL ends its own processes at once; the next start recovers the data.
    """
    for number in (signal.SIGQUIT, signal.SIGKILL):
        for process in _all_processes(folder):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        deadline = time.monotonic() + _PATIENCE_SECONDS
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
    """Removes the pid file and the socket; the lock beside a socket has the dead server's pid too."""
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
