"""A demo that can't start, or is ended before it is ready."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from acceptance.demo_runs import (
    START_SECONDS,
    STOP_SECONDS,
    Start,
    assert_all_gone,
    is_one_sentence,
    told_by_demo,
    until,
)
from carimbo.demo.embedded_postgres import embedded_postgres
from support import free_port


class TestRefusing:
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


class TestEndingBeforeItIsReady:
    @pytest.mark.parametrize(
        ("moment", "number", "whole_group"),
        [
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
        until((elsewhere / moment).exists, START_SECONDS, pause=0.005)
        demo.ended = psutil.Process(demo.process.pid).children(recursive=True)
        (os.killpg if whole_group else os.kill)(demo.process.pid, number)
        assert demo.process.wait(STOP_SECONDS) == 0, demo.log
        assert_all_gone(demo.ended, elsewhere)
        assert "Traceback" not in demo.log
        with embedded_postgres(elsewhere / "postgres") as server:
            assert server.url
