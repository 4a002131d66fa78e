"""The command that shows the tables in force, and how commands refuse an unusable table."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carimbo.cli import app
from carimbo.fiscal.tables.all_tables import ALL_TABLES
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.fiscal.tables.taxes import ICMS_RATES, internal_icms
from carimbo.storage.database import DatabaseUnavailable
from carimbo.storage.envelope import new_key

RATES = "# source: Diário Oficial\n# date: {day}\nstate,rate,fcp\nSP,25,1.5\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in [name for name in os.environ if name.startswith("CARIMBO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CARIMBO_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/nothing")
    monkeypatch.setenv("CARIMBO_SECRET_KEYS", new_key("k1"))
    monkeypatch.setenv("CARIMBO_TABLES_FOLDER", str(tmp_path))
    yield tmp_path
    use_tables_of(None)


def provide(folder: Path, day: str) -> Path:
    file = folder / "icms_rates.csv"
    file.write_text(RATES.format(day=day), encoding="utf-8")
    return file


class TestTables:
    def test_tables_are_listed_with_date_rows_and_source_without_database_or_key(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("CARIMBO_DATABASE_URL", "CARIMBO_SECRET_KEYS", "CARIMBO_TABLES_FOLDER"):
            monkeypatch.delenv(name)
        result = CliRunner().invoke(app, ["tables"])
        abouts = [table.about for table in ALL_TABLES]
        assert result.exit_code == 0
        assert [line.split(maxsplit=3) for line in result.stdout.splitlines()] == [
            [about.name, str(about.date), str(about.rows), about.source] for about in abouts
        ]

    def test_operators_tables_and_unrelated_files_are_named(self, folder: Path) -> None:
        file = provide(folder, "2099-01-01")
        (folder / "icms_rate.csv").write_text("", encoding="utf-8")
        lines = CliRunner().invoke(app, ["tables"]).stdout.splitlines()
        (at,) = (number for number, line in enumerate(lines) if line.startswith("icms_rates"))
        assert lines[at].split(maxsplit=3) == ["icms_rates", "2099-01-01", "1", "Diário Oficial"]
        assert lines[at + 1].strip() == f"do arquivo {file}"
        assert lines[-1].endswith(f"nenhuma tabela tem esse nome: {folder / 'icms_rate.csv'}")
        assert len(lines) == len(ALL_TABLES) + 2

    def test_older_operators_tables_are_named_too(self, folder: Path) -> None:
        file = provide(folder, "2020-01-01")
        result = CliRunner().invoke(app, ["tables"]).stdout
        assert f"ignorado, por ser mais antigo: {file}" in result
        assert "Diário Oficial" not in result


class TestUnusableTables:
    @pytest.mark.parametrize("command", ["tables", "serve", "worker"])
    def test_unusable_tables_are_refused_in_one_sentence(self, folder: Path, command: str) -> None:
        provide(folder, "ontem")
        result = CliRunner().invoke(app, [command])
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert f"{folder / 'icms_rates.csv'} não pode ser usada: linha 2" in result.stderr


class TestLongRunningCommands:
    @pytest.mark.parametrize("command", ["serve", "worker"])
    def test_long_running_commands_use_the_operators_tables(self, folder: Path, command: str) -> None:
        file = provide(folder, "2099-01-01")
        result = CliRunner().invoke(app, [command])
        assert isinstance(result.exception, DatabaseUnavailable)
        assert ICMS_RATES.about.file == file
        assert internal_icms("RJ") is None
