"""Scripts that check the tree: sizes, names, and the Debian packages that tests need."""

import shutil
import subprocess
from pathlib import Path

import names
import pytest
import sizes
import typer

from documentation import ROOT

# Lines of a file, and the exit code that they lead to.
FILES = {
    "short function": (["def short() -> None:", *["    pass"] * 59], 0),
    "long function": (["def long() -> None:", *["    pass"] * 60], 1),
    "long method": (["class A:", "    async def long() -> None:", *["        pass"] * 60], 1),
    "short file": (["A = 1"] * 500, 0),
    "long file": (["A = 1"] * 501, 1),
}


class TestSizes:
    def test_sizes_refuse_files_and_functions_beyond_their_limits(self, tmp_path: Path) -> None:
        (tmp_path / "scripts").mkdir()
        codes = {}
        for name, (lines, _) in FILES.items():
            (tmp_path / "scripts" / "module.py").write_text("".join(f"{line}\n" for line in lines))
            with pytest.raises(typer.Exit) as ended:
                sizes.main(tmp_path)
            codes[name] = ended.value.exit_code
        assert codes == {name: code for name, (_, code) in FILES.items()}


class TestNames:
    @pytest.fixture
    def tree(self, tmp_path: Path) -> Path:
        (tmp_path / "src").mkdir()
        return tmp_path

    def complaints(self, tree: Path, allowed: str = "") -> list[str]:
        return list(names.complaints(tree, set(allowed.split())))

    @pytest.mark.parametrize(
        "text",
        [
            "def read(told): ...",
            "found = 1",
            "class A:\n    known: int",
            "for one in []: ...",
            "def _told(): ...",
            "class Told: ...",
            "match 1:\n    case one: ...",
        ],
    )
    def test_names_refuse_a_name_that_does_not_say_what_it_holds(self, tree: Path, text: str) -> None:
        (tree / "src" / "module.py").write_text(text)
        assert len(self.complaints(tree)) == 1
        assert self.complaints(tree, "src/module.py") == []

    def test_names_accept_a_name_that_only_contains_a_vague_word(self, tree: Path) -> None:
        (tree / "src" / "module.py").write_text("known_codes = {row.one for row in found_rows()}")
        assert self.complaints(tree) == []

    def test_names_refuse_a_public_class_name_in_two_modules(self, tree: Path) -> None:
        (tree / "src" / "first.py").write_text("class Row: ...\nclass _Own: ...")
        (tree / "src" / "second.py").write_text("class Row: ...\nclass _Own: ...")
        assert self.complaints(tree) == ["class Row occurs in src/first.py, src/second.py"]

    def test_a_file_without_vague_names_must_leave_the_list(self, tree: Path) -> None:
        (tree / "src" / "module.py").write_text("row = 1")
        assert len(self.complaints(tree, "src/module.py src/gone.py")) == 2


class TestDebianPackages:
    @pytest.fixture
    def tools(self, tmp_path: Path) -> Path:
        """A PATH with only what the script needs; its package tools just record their arguments."""
        for name in ("cat", "grep"):
            (tmp_path / name).symlink_to(str(shutil.which(name)))
        for name, lines in {
            "dpkg-query": 'case "$*" in *present*) echo "install ok installed";; *) exit 1;; esac',
            "apt-get": f'echo "$*" >> {tmp_path}/asked',
            "id": f"cat {tmp_path}/uid",
        }.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
            (tmp_path / name).chmod(0o755)
        return tmp_path

    def test_missing_packages_are_named_to_a_user(self, tools: Path) -> None:
        assert self.run(tools, 1000, "present").returncode == 0
        done = self.run(tools, 1000, "present", "xmlsec1", "chromium")
        assert (done.returncode, done.stderr) == (1, "Please install: xmlsec1 chromium\n")

    def test_missing_packages_are_installed_by_root(self, tools: Path) -> None:
        assert self.run(tools, 0, "present", "xmlsec1").returncode == 0
        assert (tools / "asked").read_text().endswith("install -qy --no-install-recommends xmlsec1\n")

    def test_packages_of_some_programs_are_not_needed_where_the_programs_are(self, tools: Path) -> None:
        packages = ("chromium", "nodejs", "php-cli")
        assert self.run(tools, 1000, *packages).stderr == "Please install: chromium nodejs php-cli\n"
        for program in ("chromium", "node", "php"):
            (tools / program).symlink_to(tools / "dpkg-query")
        assert self.run(tools, 1000, *packages).returncode == 0

    def run(self, tools: Path, uid: int, *packages: str) -> subprocess.CompletedProcess[str]:
        (tools / "uid").write_text(str(uid))
        script = ROOT / "scripts" / "debian-packages"
        return subprocess.run(
            [script, *packages], env={"PATH": str(tools)}, capture_output=True, text=True, check=False
        )
