"""The demo's child processes, replaced by small shell scripts."""

import asyncio
import io
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from rich.console import Console

from acceptance.demo_runs import STOP_SECONDS, is_alive, until
from carimbo.demo.children import ChildExit, ChildPlan, ChildProcesses
from support import TIMEOUT_SECONDS

StartScript = Callable[[str, str], Awaitable[None]]


@pytest.fixture
def shown() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def children(shown: io.StringIO) -> ChildProcesses:
    return ChildProcesses(Console(file=shown, width=80))


@pytest.fixture
def start_script(children: ChildProcesses, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StartScript:
    """Starts a child whose program is a script instead of carimbo."""

    async def start(name: str, script: str) -> None:
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o700)
        monkeypatch.setattr(sys, "executable", str(program))
        await children.start(ChildPlan(name, (), {}))

    return start


async def until_shown(shown: io.StringIO, text: str) -> None:
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while text not in shown.getvalue():  # noqa: ASYNC110 - a console can't set an event
            await asyncio.sleep(0.01)


class TestLog:
    async def test_every_line_has_the_name_of_its_process(
        self, children: ChildProcesses, start_script: StartScript, shown: io.StringIO
    ) -> None:
        await start_script("api", "echo one; echo two >&2")
        await children.first_to_end()
        await children.stop(5, asyncio.Event())
        assert shown.getvalue().splitlines() == ["      api │ one", "      api │ two"]

    async def test_a_very_long_line_is_shown_whole(
        self, children: ChildProcesses, start_script: StartScript, shown: io.StringIO
    ) -> None:
        await start_script("api", "head -c 200000 /dev/zero | tr '\\0' x; echo; echo after")
        await children.first_to_end()
        await children.stop(5, asyncio.Event())
        assert "x" * 200_000 in shown.getvalue()
        assert "after" in shown.getvalue()

    async def test_square_brackets_and_broken_utf8_do_no_harm(
        self, children: ChildProcesses, start_script: StartScript, shown: io.StringIO
    ) -> None:
        await start_script("api", "printf '[/bold] [red]\\377\\n'")
        await children.first_to_end()
        await children.stop(5, asyncio.Event())
        assert "[/bold] [red]\N{REPLACEMENT CHARACTER}" in shown.getvalue()


class TestFirstToEnd:
    async def test_first_to_end_names_the_child_that_ended(
        self, children: ChildProcesses, start_script: StartScript
    ) -> None:
        await start_script("api", "sleep 60")
        await start_script("worker", "exit 3")
        assert await children.first_to_end() == ChildExit("worker", 3)
        await children.stop(5, asyncio.Event())

    @pytest.mark.parametrize(
        ("script", "how"), [("exit 3", "código 3"), ("kill -9 $$", "sinal SIGKILL")], ids=["exit", "signal"]
    )
    async def test_first_to_end_says_how_the_child_ended(
        self, children: ChildProcesses, start_script: StartScript, script: str, how: str
    ) -> None:
        await start_script("worker", script)
        assert (await children.first_to_end()).how == how
        await children.stop(5, asyncio.Event())


class TestStop:
    async def test_child_that_ignores_sigterm_is_killed_after_the_timeout(
        self, children: ChildProcesses, start_script: StartScript, shown: io.StringIO
    ) -> None:
        await start_script("api", "trap '' TERM; echo deaf; while :; do sleep 60; done")
        await until_shown(shown, "deaf")
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await children.stop(0.3, asyncio.Event())

    async def test_hurry_event_ends_the_wait(
        self, children: ChildProcesses, start_script: StartScript, shown: io.StringIO
    ) -> None:
        await start_script("api", "trap '' TERM; echo deaf; while :; do sleep 60; done")
        await until_shown(shown, "deaf")
        hurry = asyncio.Event()
        hurry.set()
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await children.stop(600, hurry)

    async def test_the_children_of_a_child_end_with_it(
        self, children: ChildProcesses, start_script: StartScript, shown: io.StringIO
    ) -> None:
        await start_script("api", "sleep 60 & echo pid=$!.; wait")
        await until_shown(shown, ".")
        grandchild = psutil.Process(int(shown.getvalue().partition("pid=")[2].partition(".")[0]))
        await children.stop(5, asyncio.Event())
        # The signal was sent to all of them; the grandchild ends when its turn comes.
        await asyncio.to_thread(until, lambda: not is_alive(grandchild), STOP_SECONDS)
