"""Whoever follows the documentation, page by page and beside one demo, sees what it shows."""

from collections.abc import Callable
from pathlib import Path

import pytest
from page_runs import flaws_of

from acceptance.demo_runs import Demo, Start
from documentation import ROOT, first_week


@pytest.fixture(scope="module")
def demo(start: Start, new_folder: Callable[[], Path]) -> Demo:
    return start(new_folder()).wait_until_ready()


@pytest.mark.parametrize("page", first_week())
def test_page_shows_what_its_commands_print(demo: Demo, page: str) -> None:
    flaws = flaws_of(ROOT / page, demo.data)
    assert not flaws, "\n".join(flaws)
