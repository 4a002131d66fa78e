"""Contracts that list modules list all of them, so that a new one can't slip through."""

from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED_WITH_THE_SIMULATOR = {"environment", "sample_certificate", "schemas", "tables", "xml_reading"}
"""What the authorities publish, how XML is read safely, and certificates without any value."""


def forbidden_to_the_simulator() -> set[str]:
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    section = contracts["importlinter:contract:simulator-judges-for-itself"]
    return set(section["forbidden_modules"].split())


class TestSimulator:
    def test_shares_nothing_of_the_fiscal_library_but_what_is_listed(self) -> None:
        parts = {file.stem for file in (ROOT / "src/carimbo/fiscal").glob("[a-z]*")}
        listed = {name.removeprefix("carimbo.fiscal.") for name in forbidden_to_the_simulator()}
        assert parts - listed == SHARED_WITH_THE_SIMULATOR

    def test_takes_of_the_schemas_only_the_files(self) -> None:
        parts = {file.stem for file in (ROOT / "src/carimbo/fiscal/schemas").glob("[a-z]*.py")}
        used = {"catalog", "files"}
        assert {f"carimbo.fiscal.schemas.{part}" for part in parts - used} <= forbidden_to_the_simulator()
