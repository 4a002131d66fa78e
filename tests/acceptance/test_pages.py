"""Every command of the documentation, run beside one demo, prints what its page shows."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_runs import flaws_of
from runnable_pages import blocks_of, steps_of

from acceptance.demo_runs import Demo, Start
from acceptance.loaded_command import loaded_carimbo
from documentation import ROOT, first_week

ONLY_READ = {
    "ARCHITECTURE.md",
    "docs/decisions/README.md",
    "docs/howto/add-a-type.md",
    "docs/howto/benchmarks.md",
    "docs/howto/newer-schemas.md",
    "docs/howto/newer-tables.md",
    "docs/reference/commands.md",
    "docs/reference/errors.md",
    "docs/reference/events.md",
    "docs/reference/metrics.md",
    "docs/reference/nfse-fields.md",
    "docs/reference/routes.md",
    "docs/reference/rules.md",
    "docs/reference/settings.md",
    "docs/reference/simulator-control.md",
    "docs/reference/triggers.md",
    "examples/README.md",
}
"""Pages without commands to run: references, pages about the code, and long measurements."""


@pytest.fixture(scope="module")
def demo(start: Start, new_folder: Callable[[], Path]) -> Iterator[Demo]:
    """A demo that SIGTERM must end completely."""
    demo = start(new_folder(), has_loaded_parts=True).wait_until_ready()
    yield demo
    assert demo.end(demo.process.terminate) == 0


@pytest.fixture(scope="module")
def installation(new_folder: Callable[[], Path]) -> Path:
    """A copy of this installation whose program `carimbo` starts at once."""
    folder = new_folder()
    (folder / "bin").mkdir()
    for file in (*Path(sys.prefix).iterdir(), *Path(sys.prefix, "bin").iterdir()):
        if file.name not in ("bin", "carimbo"):
            (folder / file.relative_to(sys.prefix)).symlink_to(file)
    (folder / "bin/carimbo").symlink_to(loaded_carimbo())
    return folder


@pytest.mark.parametrize("page", [page for page in first_week() if page not in ONLY_READ])
def test_page_shows_the_output_of_its_commands(demo: Demo, installation: Path, page: str) -> None:
    flaws = flaws_of(ROOT / page, demo.data, installation)
    assert not flaws, "\n".join(flaws)


def test_every_other_page_has_commands_to_run() -> None:
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in first_week()}
    assert {page for page, text in texts.items() if not steps_of(blocks_of(text))} == ONLY_READ
