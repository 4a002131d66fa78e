"""Runs of the demo: started normally, at a terminal, or refusing to start."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import psutil  # type: ignore[import-untyped]

from acceptance.loaded_command import loaded_carimbo
from support import TIMEOUT_SECONDS, free_port, local_http

START_SECONDS = 180
STOP_SECONDS = 90
# Takes the terminal over like a shell does for a foreground job, then becomes the demo. The tests may run
# under nohup, which ignores the signal of a closed terminal.
AT_A_TERMINAL = (
    "import fcntl, os, signal, sys, termios; signal.signal(signal.SIGHUP, signal.SIG_DFL);"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
# Becomes the demo; it starts its child processes with the program in its first argument instead of Python.
WITH_LOADED_PARTS = "import sys; sys.executable = sys.argv.pop(1); import carimbo.__main__"


class Terminal:
    """The other end of a pseudo-terminal: copies the output to a log, types Ctrl-C, hangs up."""

    def __init__(self, log: Path) -> None:
        self._master, self.slave = pty.openpty()
        self._closing = threading.Event()
        self._reader = threading.Thread(target=self._copy, args=(log,))
        self._reader.start()

    def type_ctrl_c(self) -> None:
        os.write(self._master, b"\x03")

    def hang_up(self) -> None:
        """Closes the terminal. The reader stops first, or the terminal would stay open."""
        if not self._closing.is_set():
            self._closing.set()
            self._reader.join()
            os.close(self._master)

    def _copy(self, log: Path) -> None:
        with log.open("ab") as shown, suppress(OSError):
            while not self._closing.is_set():
                if select.select([self._master], [], [], 0.05)[0]:
                    shown.write(os.read(self._master, 65536))
                    shown.flush()


@dataclass
class Demo:
    """One run of the demo in a folder."""

    process: subprocess.Popen[bytes]
    data: Path
    port: int
    log_file: Path
    terminal: Terminal | None = None
    ended: list[psutil.Process] = field(default_factory=list)

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    @property
    def facts(self) -> dict[str, Any]:
        return dict(json.loads((self.data / "demo.json").read_text()))

    @property
    def has_greeted(self) -> bool:
        return bool(re.search(r"^(?:\x1b\[2m)?Ctrl-C para parar; os dados ficam", self.log, re.MULTILINE))

    def wait_until_ready(self) -> "Demo":
        """Waits for the last line of the greeting."""
        until(lambda: self.has_greeted or self.process.poll() is not None, START_SECONDS)
        assert self.process.poll() is None, self.log
        assert local_http().get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200
        return self

    def call(self, method: str, path: str, secret: str | None = None, **options: Any) -> httpx2.Response:
        facts = self.facts
        headers = {"X-Api-Key": facts["apiKey"], "X-Api-Secret": secret or facts["apiSecret"]}
        return local_http().request(method, facts["baseUrl"] + path, headers=headers, **options)

    def get(self, path: str) -> Any:
        answer = self.call("GET", path.format(**self.facts))
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def child(self, command: str) -> psutil.Process:
        (process,) = [c for c in psutil.Process(self.process.pid).children() if command in c.cmdline()]
        return process

    def everything(self) -> list[psutil.Process]:
        """Returns every process of the demo, including PostgreSQL and its children."""
        postmaster = psutil.Process(int((self.data / "postgres/postmaster.pid").read_text().split()[0]))
        roots = [psutil.Process(self.process.pid), postmaster]
        return [process for root in roots for process in [root, *root.children(recursive=True)]]

    def end(self, how: Callable[[], None]) -> int:
        """Ends the demo with the given call, and requires that no process is left."""
        self.ended = self.everything()
        how()
        code = self.process.wait(STOP_SECONDS)
        assert_all_gone(self.ended, self.data)
        return code

    def clean_up(self) -> None:
        """Ends everything, even when a test failed half-way."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(STOP_SECONDS)
        for process in filter(is_alive, self.ended):
            process.kill()
        if self.terminal:
            self.terminal.hang_up()


Start = Callable[..., Demo]


def until(condition: Callable[[], object], seconds: float, pause: float = 0.05) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        time.sleep(pause)


def is_alive(process: psutil.Process) -> bool:
    """Returns whether a process runs; a zombie counts as gone."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def assert_all_gone(everything: list[psutil.Process], data: Path) -> None:
    with suppress(AssertionError):
        until(lambda: not any(map(is_alive, everything)) and not mentioning(data), STOP_SECONDS, 0.1)
    assert [process for process in everything if is_alive(process)] == []
    assert mentioning(data) == []


def mentioning(data: Path) -> list[list[str]]:
    """Returns the command lines of all processes that mention this folder, whatever their parent is."""
    lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [line for line in lines if any(str(data) in argument for argument in line)]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")}


def simulator_ports() -> list[str]:
    """Returns options that put the simulator on free ports."""
    return ["--simulator-port", str(free_port()), "--simulator-control-port", str(free_port())]


def run_refused_demo(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a demo that is expected to refuse to start."""
    command = [str(loaded_carimbo()), "-P", "-m", "carimbo", "demo", *simulator_ports(), *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


def is_one_sentence(text: str) -> bool:
    return text.count("\n") == 1 and text.endswith(".\n")


def upload(demo: Demo, path: str, pfx: bytes, password: str) -> int:
    answer = demo.call(
        "POST", f"{path}/certificate", files={"file": ("a1.pfx", pfx)}, data={"password": password}
    )
    return answer.status_code
