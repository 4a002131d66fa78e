"""A demo that cannot start, or is ended before it is ready."""

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
    run_refused_demo,
    until,
)
from carimbo.demo.embedded_postgres import embedded_postgres
from support import free_port


class TestRefusing:
    def test_a_folder_that_cannot_be_created_is_reported_in_one_sentence(
        self, new_folder: Callable[[], Path]
    ) -> None:
        elsewhere = new_folder()
        (elsewhere / "file").touch()
        refused = run_refused_demo(elsewhere, "--port", str(free_port()), "--data-dir", "file/data")
        assert (refused.returncode, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "file/data" in refused.stderr

    def test_a_database_that_does_not_start_is_reported_in_one_sentence(
        self, new_folder: Callable[[], Path]
    ) -> None:
        elsewhere = new_folder()
        (elsewhere / ".carimbo/postgres").mkdir(parents=True)
        (elsewhere / ".carimbo/postgres/PG_VERSION").write_text("18\n")
        refused = run_refused_demo(elsewhere, "--port", str(free_port()))
        assert (refused.returncode, refused.stdout) == (1, "")
        assert is_one_sentence(refused.stderr) and "postgres/log" in refused.stderr


class TestEndingBeforeItIsReady:
    @pytest.mark.parametrize(
        ("moment", "number", "whole_group"),
        [
            ("postgres/PG_VERSION", signal.SIGINT, True),
            ("postgres/log", signal.SIGTERM, False),
        ],
    )
    def test_early_end_leaves_nothing_running_and_a_usable_database(
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
