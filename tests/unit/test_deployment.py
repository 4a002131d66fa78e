"""Deployment files run existing commands, with the timeouts and limits that the programs need."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from carimbo.settings import Settings, load_settings
from documentation import ROOT

UNITS = sorted((ROOT / "deploy" / "systemd").glob("*.service"))
LASTING_UNITS = [unit for unit in UNITS if "@" in unit.name]
PROXIES = sorted((ROOT / "deploy" / "proxy").iterdir())
# How long a process takes after its shutdown time, to return its leases and leave the database.
SECONDS_TO_LEAVE = 10
# Options that may differ between units; the others are sandboxing.
OWN_OPTIONS = {
    "Type", "Environment", "ExecStart", "Restart", "KillSignal", "KillMode", "TimeoutStopSec",
    "RemainAfterExit", "ExecReload",
}  # fmt: skip


def service_of(unit: Path) -> dict[str, list[str]]:
    """Returns the options of the section `Service`, each with all its values."""
    section = unit.read_text("utf-8").partition("[Service]\n")[2].partition("\n[")[0]
    options: dict[str, list[str]] = {}
    for line in section.splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            options.setdefault(name, []).append(value)
    return options


@pytest.fixture(scope="module")
def containers() -> dict[str, Any]:
    """The services of ours in `compose.yaml`."""
    services: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    return {name: service for name, service in services.items() if name != "postgres"}


@pytest.fixture(scope="module")
def settings() -> Settings:
    return load_settings({}, needs_database=False)


def test_units_and_containers_run_commands_that_exist(containers: dict[str, Any]) -> None:
    reference = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    commands = set(re.findall(r"^## `(carimbo .+)`$", reference, re.MULTILINE))
    run = {name: f"carimbo {' '.join(container['command'])}" for name, container in containers.items()}
    for unit in UNITS:
        (line,) = service_of(unit)["ExecStart"]
        run[unit.name] = line.rpartition("/bin/")[2]
    assert {name: command for name, command in run.items() if command not in commands} == {}
    assert 'ENTRYPOINT ["carimbo"]' in (ROOT / "Containerfile").read_text("utf-8")


def test_no_process_is_killed_before_it_ends_by_itself(
    containers: dict[str, Any], settings: Settings
) -> None:
    waits = {name: container["stop_grace_period"] for name, container in containers.items()}
    waits |= {unit.name: service_of(unit)["TimeoutStopSec"][0] for unit in LASTING_UNITS}
    longest = settings.shutdown_seconds + SECONDS_TO_LEAVE
    assert {name: wait for name, wait in waits.items() if int(wait.removesuffix("s")) < longest} == {}


def test_units_have_the_same_sandboxing() -> None:
    first, *others = [
        {name: value for name, value in service_of(unit).items() if name not in OWN_OPTIONS} for unit in UNITS
    ]
    assert others == [first, first]


def test_reloading_a_unit_reads_the_tables_again() -> None:
    reloads = {unit.name: service_of(unit)["ExecReload"] for unit in LASTING_UNITS}
    assert reloads == {unit.name: ["/bin/kill -HUP $MAINPID"] for unit in LASTING_UNITS}


def test_settings_file_overrides_no_port_of_a_unit() -> None:
    settings = (ROOT / "deploy" / "systemd" / "carimbo.env").read_text("utf-8")
    given = [value for unit in UNITS for value in service_of(unit).get("Environment", [])]
    assert given
    assert [value for value in given if value.partition("=")[0] in settings] == []


def test_proxies_accept_every_body_size_that_the_api_accepts(settings: Settings) -> None:
    limits = {
        file.name: number_in(file, r"(?:client_max_body_size|max_size) (\d+)M?i?[mB]") for file in PROXIES
    }
    assert [name for name, limit in limits.items() if limit * 1024 * 1024 <= settings.body_limit_bytes] == []


def test_proxies_wait_longer_than_the_api_does(settings: Settings) -> None:
    waits = {
        file.name: number_in(file, r"(?:proxy_read_timeout|response_header_timeout) (\d+)s")
        for file in PROXIES
    }
    longest = 2 * max(settings.event_wait_seconds, settings.certificate_seconds)
    assert [name for name, seconds in waits.items() if seconds <= longest] == []


def number_in(file: Path, pattern: str) -> int:
    (number,) = re.findall(pattern, file.read_text("utf-8"))
    return int(number)
