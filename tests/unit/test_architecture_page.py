"""The map of the tree shows what is there, and pages about the code name files that there are."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from documentation import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
LONGEST = 300
PACKAGES = ROOT / "src" / "carimbo"
# A file by its name or its last parts, or a folder that is named with what holds it.
NAMED = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|sql|csv|md|toml|json)|[\w-]+(?:/[\w-]+)+)`")
TELLING = (
    "ARCHITECTURE.md",
    "docs/howto/add-a-type.md",
    "docs/explanation/state-machine.md",
    "docs/explanation/lost-answers.md",
)
FOLDERS = ("src", "tests", "scripts", "benchmarks", "docs", "examples")
TREE = [
    f"/{path.relative_to(ROOT)}"
    for path in [*ROOT.glob("*.*"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))]
]


def mapped() -> Iterator[PurePosixPath]:
    """Every line of the map, with the folders that it stands under."""
    (drawn,) = re.findall(r"```\n(src/.*?)```", PAGE, re.DOTALL)
    above: list[str] = []
    for indent, name in re.findall(r"^((?:  )*)([\w/]+/|[\w.]+\.py)(?:\s|$)", drawn, re.MULTILINE):
        above[len(indent) // 2 :] = [name]
        yield PurePosixPath(*above)


def packages(depth: int) -> set[PurePosixPath]:
    """The packages of the service, down to a depth."""
    found: list[Path] = [file.parent for file in PACKAGES.glob("/".join("*" * depth) + "/__init__.py")]
    return {PurePosixPath(folder.relative_to(ROOT)) for folder in found}


class TestMap:
    @pytest.mark.parametrize("path", sorted(mapped()), ids=str)
    def test_shows_what_is_there(self, path: PurePosixPath) -> None:
        assert (ROOT / path).exists()

    def test_shows_every_package(self) -> None:
        """But those within a type, a layout or a family, which are told where they stand."""
        assert packages(1) - set(mapped()) == set()

    @pytest.mark.parametrize("whole", ["service", "printing", "simulator"])
    def test_shows_every_part_of_what_it_opens(self, whole: str) -> None:
        inside = {one for one in packages(2) if one.parent.name == whole}
        assert inside
        assert inside - set(mapped()) == set()


class TestNames:
    @pytest.mark.parametrize("page", TELLING)
    def test_are_of_files_and_folders_that_are_there(self, page: str) -> None:
        names = set(NAMED.findall((ROOT / page).read_text(encoding="utf-8")))
        assert names
        assert [name for name in names if not any(path.endswith(f"/{name}") for path in TREE)] == []


class TestPage:
    def test_is_short(self) -> None:
        assert PAGE.count("\n") <= LONGEST
