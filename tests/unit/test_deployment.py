"""What an installation is made of names only what there is, and has all that it needs."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from carimbo.settings import PREFIX, Settings, load_settings
from documentation import ROOT

PACKAGE = ROOT / "src" / "carimbo"
UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
COMPOSE = ROOT / "compose.yaml"
CONTAINERFILE = ROOT / "Containerfile"
PROXIES = sorted((ROOT / "deploy" / "proxy").iterdir())
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DEPLOYED = [CONTAINERFILE, COMPOSE, *sorted(p for p in (ROOT / "deploy").rglob("*") if p.is_file())]
# What a process takes besides: to give back what is left, and to leave the database.
TO_LET_GO_SECONDS = 10

named = pytest.mark.parametrize("file", [*DEPLOYED, *PAGES], ids=lambda file: str(file.relative_to(ROOT)))


# The page is what the code says, by a test of its own.
COMMANDS = re.findall(
    r"^## `carimbo (.+)`$", (ROOT / "docs/reference/commands.md").read_text("utf-8"), re.MULTILINE
)


def service_of(unit: Path) -> dict[str, list[str]]:
    """The section of a unit that says what runs and how, with every value of each name."""
    section = unit.read_text("utf-8").partition("[Service]\n")[2].partition("\n[")[0]
    told: dict[str, list[str]] = {}
    for line in section.splitlines():
        name, is_told, value = line.partition("=")
        if is_told and not line.startswith("#"):
            told.setdefault(name, []).append(value)
    return told


def composed() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load(COMPOSE.read_text("utf-8"))["services"]
    return {name: service for name, service in services.items() if name != "postgres"}


class TestNames:
    @named
    def test_of_settings_are_those_that_there_are(self, file: Path) -> None:
        told = set(re.findall(rf"\b{PREFIX}[A-Z_]*[A-Z]\b", file.read_text("utf-8")))
        assert told <= {PREFIX + name.upper() for name in Settings.model_fields}

    @named
    def test_of_commands_are_those_that_there_are(self, file: Path) -> None:
        """As they are written in code: a sentence may begin with the name of the program too."""
        text = file.read_text("utf-8")
        shell = "".join(re.findall(r"^```sh.*?\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        lines = re.findall(r"(?:`|bin/)carimbo ([a-z][a-z -]*)", text)
        lines += re.findall(r"^carimbo ([a-z][a-z -]*)", shell, re.MULTILINE)
        groups = {command.partition(" ")[0] for command in COMMANDS}
        known = re.compile("|".join([*COMMANDS, *(f"{group} ?$" for group in groups)]))
        assert [line for line in lines if not known.match(line)] == []

    @pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
    def test_of_what_a_unit_runs_is_a_command(self, unit: Path) -> None:
        (line,) = service_of(unit)["ExecStart"]
        program, _, command = line.partition(" ")
        assert (Path(program).name, command in COMMANDS) == ("carimbo", True)

    @pytest.mark.parametrize("name", composed())
    def test_of_what_a_container_runs_is_a_command(self, name: str) -> None:
        assert " ".join(composed()[name]["command"]) in COMMANDS
        assert 'ENTRYPOINT ["carimbo"]' in CONTAINERFILE.read_text("utf-8")


class TestStop:
    """Nobody is killed who would have ended by himself."""

    LONGEST = load_settings({}, needs_database=False).shutdown_seconds + TO_LET_GO_SECONDS

    @pytest.mark.parametrize("name", composed())
    def test_of_a_container_waits_for_what_is_under_way(self, name: str) -> None:
        assert int(composed()[name]["stop_grace_period"].removesuffix("s")) >= self.LONGEST

    @pytest.mark.parametrize("unit", [unit for unit in UNITS if "@" in unit.name], ids=lambda unit: unit.name)
    def test_of_a_unit_waits_for_what_is_under_way(self, unit: Path) -> None:
        (seconds,) = service_of(unit)["TimeoutStopSec"]
        assert int(seconds) >= self.LONGEST


class TestUnits:
    def test_are_shut_in_alike(self) -> None:
        own = {"Type", "Environment", "ExecStart", "Restart", "KillSignal", "KillMode", "TimeoutStopSec"}
        own |= {"RemainAfterExit", "ExecReload"}
        shut_in = [
            {name: value for name, value in service_of(unit).items() if name not in own} for unit in UNITS
        ]
        assert len(UNITS) == 3
        assert all(one == shut_in[0] for one in shut_in)

    @pytest.mark.parametrize("unit", [unit for unit in UNITS if "@" in unit.name], ids=lambda unit: unit.name)
    def test_read_the_tables_again_when_they_are_reloaded(self, unit: Path) -> None:
        assert service_of(unit)["ExecReload"] == ["/bin/kill -HUP $MAINPID"]

    def test_set_no_port_that_the_file_of_settings_would_set_before_them(self) -> None:
        settings = (ROOT / "deploy" / "systemd" / "carimbo.env").read_text("utf-8")
        of_units = {
            one.partition("=")[0] for unit in UNITS for one in service_of(unit).get("Environment", [])
        }
        assert of_units and not [name for name in of_units if name in settings]


class TestProxies:
    @pytest.mark.parametrize("file", PROXIES, ids=lambda file: file.name)
    def test_let_every_body_through_that_the_api_reads(self, file: Path) -> None:
        (megabytes,) = re.findall(r"(?:client_max_body_size|max_size) (\d+)M?i?[mB]", file.read_text("utf-8"))
        assert int(megabytes) * 1024 * 1024 > load_settings({}, needs_database=False).body_limit_bytes

    @pytest.mark.parametrize("file", PROXIES, ids=lambda file: file.name)
    def test_wait_longer_than_the_api_does(self, file: Path) -> None:
        wait = r"(?:proxy_read_timeout|response_header_timeout) (\d+)s"
        (seconds,) = re.findall(wait, file.read_text("utf-8"))
        settings = load_settings({}, needs_database=False)
        assert int(seconds) > 2 * max(settings.event_wait_seconds, settings.certificate_seconds)


class TestPackage:
    """What is installed elsewhere has every file of this tree."""

    def test_has_every_module(self) -> None:
        folders = {file.parent for file in PACKAGE.rglob("*.py")}
        assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []

    def test_has_everything_that_is_read(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        patterns = project["tool"]["setuptools"]["package-data"]["carimbo"]
        taken = {file for pattern in patterns for file in PACKAGE.glob(pattern)}
        there = {file for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
        assert {file for file in there - taken if file.suffix != ".py"} == set()
