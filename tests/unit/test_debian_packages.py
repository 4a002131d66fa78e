"""What needs a Debian package is installed, or named: never skipped in silence."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "debian-packages"


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A PATH with what the script needs alone; its package tools only say what they were asked."""
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


def run(tools: Path, uid: int, *packages: str) -> subprocess.CompletedProcess[str]:
    (tools / "uid").write_text(str(uid))
    return subprocess.run(
        [SCRIPT, *packages], env={"PATH": str(tools)}, capture_output=True, text=True, check=False
    )


class TestDebianPackages:
    def test_that_are_there_need_nothing(self, tools: Path) -> None:
        assert run(tools, 1000, "present").returncode == 0

    def test_that_are_missing_are_named_to_a_user(self, tools: Path) -> None:
        done = run(tools, 1000, "present", "xmlsec1", "chromium")
        assert (done.returncode, done.stderr) == (1, "Please install: xmlsec1 chromium\n")

    def test_that_are_missing_are_installed_by_root(self, tools: Path) -> None:
        assert run(tools, 0, "present", "xmlsec1").returncode == 0
        assert (tools / "asked").read_text().endswith("install -qy --no-install-recommends xmlsec1\n")

    @pytest.mark.parametrize(("package", "program"), [("nodejs", "node"), ("php-cli", "php")])
    def test_are_not_needed_where_their_program_is(self, tools: Path, package: str, program: str) -> None:
        assert run(tools, 1000, package).stderr == f"Please install: {package}\n"
        (tools / program).symlink_to(tools / "dpkg-query")
        assert run(tools, 1000, package).returncode == 0
