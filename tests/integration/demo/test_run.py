"""What the demo reports when it cannot continue as planned."""

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
from carimbo.demo.folder import locked_folder
from carimbo.demo.issuing import SampleProgress
from carimbo.demo.ports import HOST, Ports
from carimbo.demo.samples import SAMPLES
from support import TIMEOUT_SECONDS, free_port

FACTS = {"baseUrl": "http://127.0.0.1:1", "companyId": "c", "apiKey": "k", "apiSecret": "s"}


@pytest.fixture(autouse=True)
def _signals_as_before() -> Iterator[None]:
    """Restores the signal mask: a demo leaves signals blocked, and child processes would inherit that."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    yield
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


class TestPort:
    @pytest.fixture
    def taken(self) -> Iterator[int]:
        with socket.create_server((HOST, 0)) as listener:
            yield listener.getsockname()[1]

    def test_second_demo_in_one_folder_is_refused_before_its_ports_are_checked(
        self, taken: int, tmp_path: Path
    ) -> None:
        expected = pytest.raises(run.DemoProblem, match="Outra demonstração já usa a pasta")
        with locked_folder(tmp_path), expected:
            run.run_demo(Ports(taken), tmp_path)

    def test_port_in_use_starts_no_database(self, taken: int, tmp_path: Path) -> None:
        with pytest.raises(run.DemoProblem, match=f"A porta {taken} "):
            run.run_demo(Ports(taken), tmp_path)
        assert not (tmp_path / "postgres").exists()


class TestDatabase:
    def test_ctrl_c_while_the_database_starts_is_no_problem(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(_: Path) -> NoReturn:
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            raise PostgresFailed

        monkeypatch.setattr(run, "embedded_postgres", interrupted)
        assert run.run_demo(Ports(free_port(), free_port(), free_port()), tmp_path) == 0
        assert signal.sigwait({signal.SIGINT}) is signal.SIGINT

    async def test_restart_of_the_database_is_reported_and_a_failed_one_raised(
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
    def test_closed_terminal_does_not_change_the_exit_code(self, gives_up: bool, code: int) -> None:
        script = (
            "import contextlib, os\n"
            "reader, writer = os.pipe(); os.dup2(writer, 1); os.close(writer); os.close(reader)\n"
            "with contextlib.suppress(OSError): print('nobody reads this', flush=True)\n"
        )
        give_up = "from carimbo.demo import run; run._give_up_on_a_closed_terminal()" if gives_up else ""
        command = [sys.executable, "-c", script + give_up]
        buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        done = subprocess.run(
            command, capture_output=True, timeout=TIMEOUT_SECONDS, check=False, env=buffered
        )
        assert done.returncode == code


class TestShowSamples:
    @pytest.fixture
    def shown(self) -> io.StringIO:
        return io.StringIO()

    @pytest.fixture
    def demo(self, shown: io.StringIO, tmp_path: Path) -> run._Demo:
        return run._Demo(Console(file=shown, width=200), Ports(), tmp_path, "postgresql://", lambda: False)

    async def test_samples_in_progress_are_reported(
        self, demo: run._Demo, shown: io.StringIO, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waiting = [SampleProgress(SAMPLES[0], {"status": "processing"}, 0, 20)]

        async def impatient(*_: Any) -> list[SampleProgress]:
            return waiting

        monkeypatch.setattr(run, "issue_samples", impatient)
        assert await demo._show_samples(FACTS) == waiting
        assert "Há exemplos em processamento" in shown.getvalue()

    async def test_api_that_does_not_answer_is_reported_and_survived(
        self, demo: run._Demo, shown: io.StringIO, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fail(*_: Any) -> NoReturn:
            raise httpx2.ConnectError("nobody is there")

        monkeypatch.setattr(run, "issue_samples", fail)
        assert await demo._show_samples(FACTS) == []
        assert "não foram emitidos" in shown.getvalue()
