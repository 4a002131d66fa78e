"""The command that brings the official nomenclature into the operator's folder."""

import json
import os
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from carimbo.cli import app
from carimbo.fiscal.tables.ncm import NCMS
from carimbo.fiscal.tables.table import use_tables_of

NEW, ENDED, CHANGED = "01019999", "97069000", "69120000"
DAY = "2099-01-01"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name in [name for name in os.environ if name.startswith("CARIMBO_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "tables"
    folder.mkdir()
    monkeypatch.setenv("CARIMBO_TABLES_FOLDER", str(folder))
    yield folder
    use_tables_of(None)


@pytest.fixture
def official(tmp_path: Path) -> Path:
    """Ours as Siscomex would publish it, with one code more, one less, and one described otherwise."""
    texts = {code: row.description for code, row in NCMS.rows.items() if code not in ("00000000", ENDED)}
    texts |= {NEW: "Novidades", CHANGED: "Outra coisa"}
    return publish(tmp_path / "ncm.json", texts)


def publish(file: Path, texts: dict[str, str], day: str = "01/01/2099") -> Path:
    lines = [
        {
            "Codigo": f"{code[:4]}.{code[4:6]}.{code[6:]}",
            "Descricao": text,
            "Data_Inicio": "01/04/2022",
            "Data_Fim": "31/12/9999",
        }
        for code, text in texts.items()
    ]
    whole: dict[str, Any] = {"Data_Ultima_Atualizacao_NCM": f"Vigente em {day}", "Ato": "Res. Gecex 999/2098"}
    file.write_text(json.dumps({**whole, "Nomenclaturas": lines}), encoding="utf-8")
    return file


def update(file: Path) -> Result:
    return CliRunner().invoke(app, ["tables", "update", "ncm", str(file)])


class TestOfficialFile:
    def test_is_told_with_what_changed(self, folder: Path, official: Path) -> None:
        before = NCMS.about
        told = update(official)
        assert (told.exit_code, told.stderr) == (0, "")
        assert told.stdout.splitlines() == [
            f"NCM de {DAY} (Res. Gecex 999/2098), no lugar da de {before.date}: {before.rows} códigos.",
            f"Novos: 1: {NEW}",
            f"Encerrados: 1: {ENDED}",
            f"Com outra descrição: 1: {CHANGED}",
            f"Gravada em {folder / 'ncm.csv'}. Para que a usem, reinicie a API e os trabalhadores.",
        ]

    def test_is_in_force_for_processes_that_start_then(self, folder: Path, official: Path) -> None:
        update(official)
        assert NEW not in NCMS
        use_tables_of(folder)
        assert (NCMS.about.file, str(NCMS.about.date)) == (folder / "ncm.csv", DAY)
        assert NCMS.about.source == "Portal Único Siscomex, Res. Gecex 999/2098"
        assert {NEW, "00000000"} <= NCMS.keys()
        assert ENDED not in NCMS
        assert (NCMS[CHANGED].unit, NCMS[CHANGED].since) == ("KG", date(2022, 4, 1))

    def test_is_shown_among_the_tables(self, folder: Path, official: Path) -> None:
        update(official)
        told = CliRunner().invoke(app, ["tables"]).stdout
        assert f"do arquivo {folder / 'ncm.csv'}" in told

    def test_may_come_again(self, official: Path) -> None:
        update(official)
        told = update(official)
        assert told.exit_code == 0
        assert told.stdout.splitlines()[1:4] == ["Novos: 0", "Encerrados: 0", "Com outra descrição: 0"]

    def test_leaves_nothing_else_in_the_folder(self, folder: Path, official: Path) -> None:
        update(official)
        assert [file.name for file in folder.iterdir()] == ["ncm.csv"]

    def test_names_only_some_of_many_codes(self, tmp_path: Path) -> None:
        codes = sorted(code for code in NCMS if code != "00000000")
        told = update(publish(tmp_path / "ncm.json", {code: NCMS[code].description for code in codes[25:]}))
        assert f"Encerrados: 25: {', '.join(codes[:20])} e mais 5" in told.stdout.splitlines()


class TestRefusal:
    @pytest.fixture(autouse=True)
    def table_before(self, folder: Path, official: Path) -> bytes:
        """One of the operator, which no wrong file may touch."""
        update(official)
        return (folder / "ncm.csv").read_bytes()

    def refused(self, folder: Path, table_before: bytes, file: Path) -> str:
        told = update(file)
        assert (told.exit_code, told.stdout, told.stderr.count("\n")) == (1, "", 1)
        assert [file.name for file in folder.iterdir()] == ["ncm.csv"]
        assert (folder / "ncm.csv").read_bytes() == table_before
        return told.stderr

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            ("code,unit\n", "não pode ser usado: não é um JSON"),
            ('{"codes": []}', "não tem a forma da tabela oficial"),
        ],
    )
    def test_of_another_kind_of_file(
        self, tmp_path: Path, folder: Path, table_before: bytes, content: str, reason: str
    ) -> None:
        (tmp_path / "other").write_text(content, encoding="utf-8")
        assert reason in self.refused(folder, table_before, tmp_path / "other")

    def test_of_a_file_that_is_not_there(self, tmp_path: Path, folder: Path, table_before: bytes) -> None:
        assert "missing não pode ser lido" in self.refused(folder, table_before, tmp_path / "missing")

    def test_of_an_older_file(self, tmp_path: Path, folder: Path, table_before: bytes) -> None:
        texts = {code: row.description for code, row in NCMS.rows.items()}
        told = self.refused(folder, table_before, publish(tmp_path / "old.json", texts, "31/12/2098"))
        assert f"é de 2098-12-31: a tabela em vigor é mais nova, de {DAY}" in told

    def test_of_a_part_of_a_file(self, tmp_path: Path, folder: Path, table_before: bytes) -> None:
        texts = {code: row.description for code, row in list(NCMS.rows.items())[: len(NCMS) * 8 // 10]}
        told = self.refused(folder, table_before, publish(tmp_path / "part.json", texts))
        assert f"está incompleto: tem {len(texts)} códigos, e a tabela em vigor {len(NCMS)}" in told

    def test_while_the_disk_is_full(
        self, folder: Path, official: Path, table_before: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        told = self.refused(folder, table_before, official)
        assert f"não pode ser gravada em {folder}: No space left on device" in told

    def test_without_a_folder(self, official: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("CARIMBO_TABLES_FOLDER")
        told = update(official)
        assert (told.exit_code, told.stdout) == (1, "")
        assert "CARIMBO_TABLES_FOLDER" in told.stderr

    def test_beside_a_table_that_cannot_be_used(self, folder: Path, official: Path) -> None:
        (folder / "ncm.csv").write_text("", encoding="utf-8")
        told = update(official)
        assert (told.exit_code, told.stdout) == (1, "")
        assert "ncm.csv não pode ser usada" in told.stderr
