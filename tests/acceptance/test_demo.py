"""`carimbo demo` as somebody at a terminal meets it: real processes, a real PostgreSQL, real signals."""

import json
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import psutil  # type: ignore[import-untyped]
import pytest

from carimbo.fiscal.registry import DOCUMENT_TYPES, FEATURES
from carimbo.fiscal.sample_certificate import SampleAuthority
from support import free_port

START_SECONDS = 60
STOP_SECONDS = 30
FACTS = {
    "baseUrl", "apiKey", "apiSecret", "companyId", "dashboardUrl", "mcpUrl", "simulatorUrl", "databaseUrl",
}  # fmt: skip
# Takes the terminal over like a shell does for a foreground job, then becomes the demo.
_AT_A_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


class Terminal:
    """The far side of a pseudo-terminal: shows what is printed, types Ctrl-C, hangs up."""

    def __init__(self, log: Path) -> None:
        self._master, self.slave = pty.openpty()
        self._closing = threading.Event()
        self._reader = threading.Thread(target=self._copy, args=(log,))
        self._reader.start()

    def type_ctrl_c(self) -> None:
        os.write(self._master, b"\x03")

    def hang_up(self) -> None:
        """Close the window; the reader lets go first, or the terminal would stay open."""
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

    def wait_until_ready(self) -> "Demo":
        """Ready is when the demo says so: the last line of its greeting."""
        until(lambda: "os dados ficam" in self.log or self.process.poll() is not None, START_SECONDS)
        assert self.process.poll() is None, self.log
        assert httpx2.get(f"http://127.0.0.1:{self.port}/readyz").status_code == 200
        return self

    def call(self, method: str, path: str, secret: str | None = None, **options: Any) -> httpx2.Response:
        facts = self.facts
        headers = {"X-Api-Key": facts["apiKey"], "X-Api-Secret": secret or facts["apiSecret"]}
        return httpx2.request(method, facts["baseUrl"] + path, headers=headers, timeout=20, **options)

    def get(self, path: str) -> Any:
        answer = self.call("GET", path.format(**self.facts))
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def child(self, command: str) -> psutil.Process:
        (found,) = [c for c in psutil.Process(self.process.pid).children() if c.cmdline()[-1] == command]
        return found

    def everything(self) -> list[psutil.Process]:
        """Every process that the demo is made of, PostgreSQL and its own children included."""
        postmaster = psutil.Process(int((self.data / "postgres/postmaster.pid").read_text().split()[0]))
        roots = [psutil.Process(self.process.pid), postmaster]
        return [process for root in roots for process in [root, *root.children(recursive=True)]]

    def end(self, how: Callable[[], None]) -> int:
        """End the demo in some way; nothing of it may be left."""
        self.ended = self.everything()
        how()
        code = self.process.wait(STOP_SECONDS)
        assert_all_gone(self.ended, self.data)
        return code

    def clean_up(self) -> None:
        """Leave nothing behind, even when a test failed half-way."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(STOP_SECONDS)
        for process in filter(is_alive, self.ended):
            process.kill()
        if self.terminal:
            self.terminal.hang_up()


Start = Callable[..., Demo]


def until(condition: Callable[[], object], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.005)


def is_alive(process: psutil.Process) -> bool:
    """A zombie is gone: it only waits for whoever adopted it."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def assert_all_gone(everything: list[psutil.Process], data: Path) -> None:
    with suppress(AssertionError):
        until(lambda: not any(map(is_alive, everything)) and not mentioning(data), 5)
    assert [process for process in everything if is_alive(process)] == []
    assert mentioning(data) == []


def mentioning(data: Path) -> list[list[str]]:
    """Command lines of processes on this folder, whoever is their parent by now."""
    lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [line for line in lines if any(str(data) in argument for argument in line)]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("CARIMBO_")}


def told_by_demo(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a demo that is expected to refuse."""
    command = [sys.executable, "-m", "carimbo", "demo", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=20, check=False
    )


def is_one_sentence(text: str) -> bool:
    return text.count("\n") == 1 and text.endswith(".\n")


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

    def begin(folder: Path, *arguments: str, terminal: bool = False) -> Demo:
        port, log = free_port(), folder / f"log-{len(started)}"
        log.touch()
        window = Terminal(log) if terminal else None
        launcher = ["-c", _AT_A_TERMINAL] if window else []
        with log.open("ab") as stream:
            process = subprocess.Popen(
                [sys.executable, *launcher, "-m", "carimbo", "demo", "--port", str(port), *arguments],
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


@pytest.fixture(scope="module")
def folder(new_folder: Callable[[], Path]) -> Path:
    """Where one demo lives all its lives."""
    return new_folder()


@pytest.fixture(scope="module")
def first(start: Start, folder: Path) -> Demo:
    """The first life, in an empty folder."""
    return start(folder).wait_until_ready()


class TestFirstStart:
    def test_writes_all_that_a_program_needs_to_know(self, first: Demo) -> None:
        assert set(first.facts) == FACTS
        assert first.facts["baseUrl"] == f"http://127.0.0.1:{first.port}"

    @pytest.mark.parametrize("name", ["demo.json", "secret-keys"])
    def test_files_with_secrets_are_for_their_owner_only(self, first: Demo, name: str) -> None:
        assert (first.data / name).stat().st_mode & 0o777 == 0o600

    def test_prints_a_curl_line_that_works_as_it_is(self, first: Demo) -> None:
        (line,) = re.findall(r"^curl .*$", first.log, re.MULTILINE)
        assert json.loads(output_of(line))["data"]["id"] == first.facts["companyId"]

    def test_the_company_is_complete(self, first: Demo) -> None:
        company = first.get("/v1/companies/{companyId}")
        assert company["taxRegime"] == "simples"
        assert (company["address"]["city"], company["address"]["state"]) == ("São Paulo", "SP")
        needed = ("zipcode", "street", "number", "district")
        assert all(company["address"][name] for name in needed)
        assert company["municipalRegistration"]

    def test_the_company_has_a_state_registration(self, first: Demo) -> None:
        (registration,) = first.get("/v1/companies/{companyId}/state-registrations")
        assert (registration["state"], registration["number"]) == ("SP", "110042490114")

    def test_the_company_has_a_valid_certificate_of_its_own(self, first: Demo) -> None:
        certificate = first.get("/v1/companies/{companyId}/certificate")["certificate"]
        assert certificate["taxId"] == first.get("/v1/companies/{companyId}")["taxId"]
        assert datetime.fromisoformat(certificate["validFrom"]) < datetime.now(UTC)
        assert datetime.fromisoformat(certificate["expiresAt"]) > datetime.now(UTC) + timedelta(days=300)

    def test_every_document_type_is_set_up(self, first: Demo) -> None:
        settings = first.get("/v1/companies/{companyId}/settings")
        assert {kind.name: settings[kind.name]["series"] for kind in DOCUMENT_TYPES} == dict.fromkeys(
            (kind.name for kind in DOCUMENT_TYPES), 1
        )
        assert settings["nfce"]["active"] and settings["cte"]["active"]
        assert settings["nfce"]["csc"].startswith("*")

    def test_the_subscription_has_no_limit_and_every_feature(self, first: Demo) -> None:
        subscription = first.get("/v1/subscription")
        assert subscription["plan"]["name"] == "unlimited"
        assert subscription["features"] == sorted(FEATURES)
        assert subscription["usage"]["limit"] is None

    def test_shows_both_processes_in_one_log(self, first: Demo) -> None:
        assert re.search(r"^ +api │ .*startup complete", first.log, re.MULTILINE)
        assert re.search(r"^ +worker │ .*worker_started", first.log, re.MULTILINE)

    def test_a_port_in_use_is_one_sentence_and_starts_nothing(
        self, first: Demo, new_folder: Callable[[], Path]
    ) -> None:
        elsewhere = new_folder()
        told = told_by_demo(elsewhere, "--port", str(first.port))
        assert told.returncode == 1
        assert is_one_sentence(told.stderr) and str(first.port) in told.stderr
        assert told.stdout == ""
        assert list(elsewhere.iterdir()) == []

    def test_a_second_demo_in_the_same_folder_is_one_sentence_and_harms_nothing(self, first: Demo) -> None:
        told = told_by_demo(first.data.parent, "--port", str(free_port()))
        assert told.returncode == 1
        assert is_one_sentence(told.stderr) and ".carimbo" in told.stderr
        assert first.get("/v1/subscription")

    def test_a_folder_that_cannot_be_made_is_one_sentence(self, new_folder: Callable[[], Path]) -> None:
        elsewhere = new_folder()
        (elsewhere / "file").touch()
        told = told_by_demo(elsewhere, "--port", str(free_port()), "--data-dir", "file/data")
        assert (told.returncode, told.stdout) == (1, "")
        assert is_one_sentence(told.stderr) and "file/data" in told.stderr

    def test_a_database_that_does_not_start_is_one_sentence(self, new_folder: Callable[[], Path]) -> None:
        elsewhere = new_folder()
        (elsewhere / ".carimbo/postgres").mkdir(parents=True)
        (elsewhere / ".carimbo/postgres/PG_VERSION").write_text("18\n")
        told = told_by_demo(elsewhere, "--port", str(free_port()))
        assert (told.returncode, told.stdout) == (1, "")
        assert is_one_sentence(told.stderr) and "postgres/log" in told.stderr


@pytest.fixture(scope="module")
def remembered(first: Demo) -> dict[str, Any]:
    """What the first life knew and changed before one Ctrl-C, sent to the demo only, ended it."""
    facts = first.facts
    answer = first.call("PUT", f"/v1/companies/{facts['companyId']}", json={"tradeName": "Outro Nome"})
    assert answer.status_code == 200
    facts["exit code"] = first.end(lambda: first.process.send_signal(signal.SIGINT))
    return facts


@pytest.fixture(scope="module")
def second(remembered: dict[str, Any], start: Start, folder: Path) -> Demo:
    """The second life, at a terminal and on another port."""
    return start(folder, terminal=True).wait_until_ready()


class TestSecondStart:
    def test_follows_one_ctrl_c_that_left_nothing_running(self, remembered: dict[str, Any]) -> None:
        assert remembered["exit code"] == 0

    def test_keeps_the_credentials_and_the_company(self, second: Demo, remembered: dict[str, Any]) -> None:
        kept = ("apiKey", "apiSecret", "companyId")
        assert [second.facts[name] for name in kept] == [remembered[name] for name in kept]
        assert second.facts["baseUrl"] != remembered["baseUrl"]

    def test_keeps_what_the_user_changed(self, second: Demo) -> None:
        assert second.get("/v1/companies/{companyId}")["tradeName"] == "Outro Nome"

    def test_ctrl_c_typed_twice_stops_everything(self, second: Demo) -> None:
        terminal = second.terminal
        assert terminal

        def twice() -> None:
            terminal.type_ctrl_c()
            terminal.type_ctrl_c()

        assert second.end(twice) == 0
        assert "Traceback" not in second.log


@pytest.fixture(scope="module")
def third(second: Demo, start: Start, folder: Path) -> Demo:
    """The third life, without the file that held the secret."""
    second.clean_up()
    (folder / ".carimbo/demo.json").unlink()
    return start(folder).wait_until_ready()


class TestStartWithoutTheFileOfCredentials:
    def test_gives_a_new_secret_and_the_old_one_is_refused(
        self, third: Demo, remembered: dict[str, Any]
    ) -> None:
        assert third.facts["apiKey"] == remembered["apiKey"]
        assert third.facts["apiSecret"] != remembered["apiSecret"]
        assert third.get("/v1/subscription")
        assert third.call("GET", "/v1/subscription", remembered["apiSecret"]).status_code == 401

    def test_no_secret_reaches_the_log(self, third: Demo) -> None:
        """Uploads that succeed and fail, a new CSC, a rotation: none of their secrets is shown."""
        path = f"/v1/companies/{third.facts['companyId']}"
        password, csc, old_secret = "p4ssw0rd-distinctive", "C5C-D1ST1NCT1VE-0000", third.facts["apiSecret"]
        assert upload(third, path, password, password) == 200
        assert upload(third, path, password, "wr0ng-distinctive") == 422
        assert third.call("PUT", f"{path}/settings", json={"nfce": {"csc": csc}}).status_code == 200
        rotated = third.call("POST", "/v1/user/api-credentials", json={}).json()["data"]["apiSecret"]
        until(lambda: "/v1/user/api-credentials" in third.log, 10)
        lines = "\n".join(line for line in third.log.splitlines() if " │ " in line)
        secrets = (password, "wr0ng-distinctive", csc, old_secret, rotated)
        assert [secret for secret in secrets if secret in lines] == []

    def test_a_polite_kill_stops_everything(self, third: Demo) -> None:
        assert third.end(lambda: third.process.send_signal(signal.SIGTERM)) == 0
        assert (third.data / "postgres/PG_VERSION").exists()


class TestEnding:
    @pytest.mark.parametrize("command", ["serve", "worker"])
    def test_the_crash_of_one_child_stops_everything(
        self, start: Start, folder: Path, third: Demo, command: str
    ) -> None:
        third.clean_up()
        demo = start(folder).wait_until_ready()
        assert demo.end(demo.child(command).kill) == 1
        name = {"serve": "api"}.get(command, command)
        assert f"«{name}» terminou" in demo.log
        assert "Traceback" not in demo.log

    def test_a_terminal_that_is_closed_stops_everything(
        self, start: Start, folder: Path, third: Demo
    ) -> None:
        third.clean_up()
        demo = start(folder, terminal=True).wait_until_ready()
        terminal = demo.terminal
        assert terminal
        assert demo.end(terminal.hang_up) == 0


class TestEndingBeforeItIsReady:
    @pytest.mark.parametrize(
        ("moment", "number", "whole_group"),
        [
            ("postgres", signal.SIGTERM, False),
            ("postgres/PG_VERSION", signal.SIGTERM, False),
            ("postgres/PG_VERSION", signal.SIGINT, True),
            ("postgres/log", signal.SIGTERM, False),
        ],
    )
    def test_leaves_nothing_running_and_a_folder_that_starts(
        self,
        start: Start,
        new_folder: Callable[[], Path],
        moment: str,
        number: signal.Signals,
        whole_group: bool,
    ) -> None:
        elsewhere = new_folder() / "deep"
        demo = start(elsewhere.parent, "--data-dir", "deep")
        until((elsewhere / moment).exists, START_SECONDS)
        demo.ended = psutil.Process(demo.process.pid).children(recursive=True)
        (os.killpg if whole_group else os.kill)(demo.process.pid, number)
        assert demo.process.wait(STOP_SECONDS) == 0, demo.log
        assert_all_gone(demo.ended, elsewhere)
        assert "Traceback" not in demo.log
        assert starts(elsewhere / "postgres")


def starts(postgres: Path) -> bool:
    """Start and stop the server on a folder, in a process of its own."""
    script = (
        "import pathlib, sys; from carimbo.demo.embedded_postgres import embedded_postgres\n"
        "with embedded_postgres(pathlib.Path(sys.argv[1])) as server: print(server.url)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(postgres)], capture_output=True, timeout=60, check=False
    )
    return done.returncode == 0


def upload(demo: Demo, path: str, password: str, given: str) -> int:
    now = datetime.now(UTC)
    issued = SampleAuthority.create(now).issue_company(
        demo.get(path)["taxId"], "LOJA MODELO", now - timedelta(hours=1), now + timedelta(days=90)
    )
    answer = demo.call(
        "POST",
        f"{path}/certificate",
        files={"file": ("a1.pfx", issued.to_pfx(password))},
        data={"password": given},
    )
    return answer.status_code


def output_of(curl_line: str) -> str:
    """Run the line in a shell; where there is no curl, do what it says."""
    if shutil.which("curl"):
        return subprocess.run(
            ["sh", "-c", curl_line], capture_output=True, text=True, timeout=20, check=True
        ).stdout
    _, _, url, *options = shlex.split(curl_line)
    headers = dict(value.split(": ", 1) for value in options[1::2])
    return httpx2.get(url, headers=headers).text
