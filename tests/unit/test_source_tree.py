"""The source tree keeps its own rules; `make sizes` checks how long files and functions are."""

import re
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

from carimbo.fiscal.registry import DOCUMENT_TYPES
from documentation import ROOT

PACKAGE = ROOT / "src" / "carimbo"
BEGINS_WITH_A_DOCSTRING = re.compile(r'(?:#.*\n|\s)*"""\s*\S')
SHARED_WITH_THE_SIMULATOR = {"environment", "sample_certificate", "schemas", "tables", "xml_reading"}
"""Published tables of the authorities, safe XML reading, and certificates without legal value."""


@pytest.fixture(scope="module")
def sources() -> dict[Path, str]:
    """Every module of the package with its text, by its path in the package."""
    return {file.relative_to(PACKAGE): file.read_text("utf-8") for file in sorted(PACKAGE.rglob("*.py"))}


@pytest.fixture(scope="module")
def forbidden_to_the_simulator() -> set[str]:
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    section = contracts["importlinter:contract:simulator-judges-for-itself"]
    return set(section["forbidden_modules"].split())


class TestModules:
    def test_every_module_has_a_docstring(self, sources: dict[Path, str]) -> None:
        assert [str(file) for file, text in sources.items() if not BEGINS_WITH_A_DOCSTRING.match(text)] == []

    def test_only_the_settings_read_the_environment(self, sources: dict[Path, str]) -> None:
        readers = [str(file) for file, text in sources.items() if re.search(r"\benviron\b|getenv", text)]
        assert readers == ["settings/loading.py"]

    def test_only_the_code_of_a_document_type_compares_with_its_name(self, sources: dict[Path, str]) -> None:
        names = "|".join(document_type.name for document_type in DOCUMENT_TYPES)
        asks_by_name = re.compile(rf"==\s*\"({names})\"")
        asking = [
            str(file)
            for file, text in sources.items()
            if "documents" not in file.parts and file.parent.name != "demo" and asks_by_name.search(text)
        ]
        assert asking == []


class TestImportContracts:
    """Contracts that list modules list all of them, so that no new module escapes them."""

    def test_simulator_shares_only_the_listed_parts_of_the_fiscal_library(
        self, forbidden_to_the_simulator: set[str]
    ) -> None:
        parts = {file.stem for file in (PACKAGE / "fiscal").glob("[a-z]*")}
        listed = {name.removeprefix("carimbo.fiscal.") for name in forbidden_to_the_simulator}
        assert parts - listed == SHARED_WITH_THE_SIMULATOR

    def test_simulator_takes_only_the_files_of_the_schemas(
        self, forbidden_to_the_simulator: set[str]
    ) -> None:
        parts = {file.stem for file in (PACKAGE / "fiscal" / "schemas").glob("[a-z]*.py")}
        others = {f"carimbo.fiscal.schemas.{part}" for part in parts - {"catalog", "files"}}
        assert others - forbidden_to_the_simulator == set()


class TestDistribution:
    """An installed package has every file of this tree."""

    def test_every_folder_with_modules_is_a_package(self, sources: dict[Path, str]) -> None:
        folders = {file.parent for file in sources}
        assert [str(folder) for folder in folders if folder / "__init__.py" not in sources] == []

    def test_every_data_file_is_packed(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        patterns = project["tool"]["setuptools"]["package-data"]["carimbo"]
        packed = {file for pattern in patterns for file in PACKAGE.glob(pattern)}
        files = {file for file in PACKAGE.rglob("*") if file.is_file() and "__pycache__" not in file.parts}
        assert {str(file) for file in files - packed if file.suffix != ".py"} == set()
