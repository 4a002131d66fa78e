"""What the demo tells when it can't go on as planned."""

import io
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import httpx2
import pytest
from rich.console import Console

from carimbo.demo import run
from carimbo.demo.embedded_postgres import PostgresFailed
from carimbo.demo.folder import sole_user
from carimbo.demo.issuing import Progress
from carimbo.demo.ports import HOST, Ports
from carimbo.demo.samples import SAMPLES
from support import PATIENCE, free_port

FACTS = {"baseUrl": "http://127.0.0.1:1", "companyId": "c", "apiKey": "k", "apiSecret": "s"}


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    """A demo ends with its process, and leaves signals blocked: our children would never hear of theirs."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


class TestPort:
    @pytest.fixture
    def taken(self) -> Iterator[int]:
        with socket.create_server((HOST, 0)) as listener:
            yield listener.getsockname()[1]

    def test_a_second_demo_in_one_folder_is_not_sent_to_other_ports(self, taken: int, tmp_path: Path) -> None:
        expected = pytest.raises(run.DemoProblem, match="Outra demonstração já usa a pasta")
        with sole_user(tmp_path), expected:
            run.run_demo(Ports(taken), tmp_path)

    def test_a_taken_port_starts_no_database(self, taken: int, tmp_path: Path) -> None:
        with pytest.raises(run.DemoProblem, match=f"A porta {taken} "):
            run.run_demo(Ports(taken), tmp_path)
        assert not (tmp_path / "postgres").exists()


class TestDatabase:
    def test_that_a_ctrl_c_kept_from_starting_is_no_problem(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(_: Path) -> NoReturn:
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            raise PostgresFailed

        monkeypatch.setattr(run, "embedded_postgres", interrupted)
        assert run.run_demo(Ports(free_port(), free_port(), free_port()), tmp_path) == 0
        assert signal.sigwait({signal.SIGINT}) is signal.SIGINT

    async def test_a_start_after_a_crash_is_reported_and_a_failed_one_raised(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        outcomes = iter([False, True])

        def revive() -> bool:
            try:
                return next(outcomes)
            except StopIteration:
                raise PostgresFailed from None

        monkeypatch.setattr(run, "_DATABASE_CHECK_SECONDS", 0)
        shown = io.StringIO()
        demo = run._Demo(Console(file=shown, width=200), Ports(), tmp_path, "postgresql://", revive)
        with pytest.raises(PostgresFailed):
            await demo._keep_database()
        assert shown.getvalue() == "O PostgreSQL da demonstração terminou e foi iniciado de novo.\n"


class TestClosedTerminal:
    @pytest.mark.parametrize(("gives_up", "code"), [(True, 0), (False, 120)])
    def test_does_not_spoil_the_exit_code(self, gives_up: bool, code: int) -> None:
        script = (
            "import contextlib, os\n"
            "reader, writer = os.pipe(); os.dup2(writer, 1); os.close(writer); os.close(reader)\n"
            "with contextlib.suppress(OSError): print('nobody reads this', flush=True)\n"
        )
        give_up = "from carimbo.demo import run; run._give_up_on_a_closed_terminal()" if gives_up else ""
        command = [sys.executable, "-c", script + give_up]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, env=buffered)
        assert done.returncode == code


class TestShowSamples:
    @pytest.fixture
    def shown(self) -> io.StringIO:
        return io.StringIO()

    @pytest.fixture
    def demo(self, shown: io.StringIO, tmp_path: Path) -> run._Demo:
        return run._Demo(Console(file=shown, width=200), Ports(), tmp_path, "postgresql://", lambda: False)

    async def test_those_that_are_still_on_their_way_are_told(
        self, demo: run._Demo, shown: io.StringIO, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waiting = [Progress(SAMPLES[0], {"status": "processing"}, 0, 20)]

        async def impatient(*_: Any) -> list[Progress]:
            return waiting

        monkeypatch.setattr(run, "issue_samples", impatient)
        assert await demo._show_samples(FACTS) == waiting
        assert "Há exemplos em processamento" in shown.getvalue()

    async def test_an_api_that_does_not_answer_is_told_and_survived(
        self, demo: run._Demo, shown: io.StringIO, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fail(*_: Any) -> NoReturn:
            raise httpx2.ConnectError("nobody is there")

        monkeypatch.setattr(run, "issue_samples", fail)
        assert await demo._show_samples(FACTS) == []
        assert "não foram emitidos" in shown.getvalue()
