"""The command that shows the schemas in force."""

import os
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carimbo.cli import app
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.storage.envelope import new_key


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("CARIMBO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CARIMBO_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    monkeypatch.setenv("CARIMBO_SECRET_KEYS", new_key("k1"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CARIMBO_SCHEMAS_FOLDER", str(tmp_path))
    shutil.copytree(Schemas().file_of(Schema.NFE).path.parent, tmp_path / "PL_010z")
    return tmp_path


class TestSchemas:
    def test_schemas_come_from_nfelib_without_a_folder(self) -> None:
        result = CliRunner().invoke(app, ["schemas"])
        assert result.exit_code == 0
        assert [line.split(maxsplit=1) for line in result.stdout.splitlines()] == [
            [schema.file_name, f"nfelib {version('nfelib')}"] for schema in Schema
        ]

    def test_schemas_of_the_operators_folder_are_shown_with_their_path(self, folder: Path) -> None:
        result = CliRunner().invoke(app, ["schemas"])
        origin = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
        assert result.exit_code == 0
        assert origin["nfe_v4.00.xsd"] == str(folder / "PL_010z" / "nfe_v4.00.xsd")
        assert origin["CCe_v1.00.xsd"] == f"nfelib {version('nfelib')}"

    def test_schemas_that_do_not_compile_are_reported_in_one_sentence(self, folder: Path) -> None:
        (folder / "PL_010z" / "tiposBasico_v4.00.xsd").unlink()
        result = CliRunner().invoke(app, ["schemas"])
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert "nfe_v4.00.xsd" in result.stderr
        assert "tiposBasico_v4.00.xsd" in result.stderr
