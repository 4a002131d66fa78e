"""The command that imports the official nomenclature into the operator's folder."""

import json
import os
from collections.abc import Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from carimbo.cli import app
from carimbo.fiscal.tables.goods_codes import NCMS, Ncm
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


@pytest.fixture(scope="module")
def official(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Our table as Siscomex would publish it, with a new code, an ended one, and another description."""
    texts = {code: row.description for code, row in NCMS.rows.items() if code not in ("00000000", ENDED)}
    texts |= {NEW: "Novidades", CHANGED: "Outra coisa"}
    return publish(tmp_path_factory.mktemp("siscomex") / "ncm.json", texts)


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


def first_rows() -> dict[str, Ncm]:
    """Returns so many rows of our table that the whole one need not be written and read by each test."""
    return dict(islice(NCMS.rows.items(), 500))


def put_short_table(folder: Path) -> dict[str, str]:
    """Writes a short table of the operator's own; returns its descriptions by code."""
    rows = first_rows()
    text = NCMS.text_of("Aviso", date.fromisoformat(DAY), rows.values())
    (folder / "ncm.csv").write_text(text, encoding="utf-8")
    return {code: row.description for code, row in rows.items()}


def update(file: Path) -> Result:
    return CliRunner().invoke(app, ["tables", "update", "ncm", str(file)])


class TestOfficialFile:
    def test_official_file_is_written_and_its_changes_are_printed(self, folder: Path, official: Path) -> None:
        before = NCMS.about
        result = update(official)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout.splitlines() == [
            f"NCM de {DAY} (Res. Gecex 999/2098), no lugar da de {before.date}: {before.rows} códigos.",
            f"Novos: 1: {NEW}",
            f"Encerrados: 1: {ENDED}",
            f"Com outra descrição: 1: {CHANGED}",
            f"Gravada em {folder / 'ncm.csv'}. Para que a usem, reinicie a API e os workers.",
        ]
        assert [file.name for file in folder.iterdir()] == ["ncm.csv"]
        assert NEW not in NCMS
        self.check_in_force(folder)
        result = update(official)
        assert result.exit_code == 0
        assert result.stdout.splitlines()[1:4] == ["Novos: 0", "Encerrados: 0", "Com outra descrição: 0"]

    def check_in_force(self, folder: Path) -> None:
        """Checks what a process that starts after the update uses."""
        use_tables_of(folder)
        assert (NCMS.about.file, str(NCMS.about.date)) == (folder / "ncm.csv", DAY)
        assert NCMS.about.source == "Portal Único Siscomex, Res. Gecex 999/2098"
        assert {NEW, "00000000"} <= NCMS.keys()
        assert ENDED not in NCMS
        assert (NCMS[CHANGED].unit, NCMS[CHANGED].since) == ("KG", date(2022, 4, 1))

    def test_only_some_of_many_changed_codes_are_printed(self, folder: Path, tmp_path: Path) -> None:
        texts = put_short_table(folder)
        codes = sorted(code for code in texts if code != "00000000")
        result = update(publish(tmp_path / "ncm.json", {code: texts[code] for code in codes[25:]}))
        assert f"Encerrados: 25: {', '.join(codes[:20])} e mais 5" in result.stdout.splitlines()


class TestRefusal:
    @pytest.fixture
    def table_before(self, folder: Path) -> bytes:
        """The operator's own table of that day, which no wrong file may change."""
        put_short_table(folder)
        return (folder / "ncm.csv").read_bytes()

    def test_refused_file_leaves_the_table_unchanged(
        self, tmp_path: Path, folder: Path, table_before: bytes
    ) -> None:
        texts = {code: row.description for code, row in first_rows().items()}
        few = dict(list(texts.items())[: len(texts) * 8 // 10])
        (tmp_path / "table.csv").write_text("code,unit\n", encoding="utf-8")
        (tmp_path / "other.json").write_text('{"codes": []}', encoding="utf-8")
        publish(tmp_path / "old.json", texts, "31/12/2098")
        publish(tmp_path / "part.json", few)
        reasons = {
            "table.csv": "não pode ser usado: não é um JSON",
            "other.json": "não tem a forma da tabela oficial",
            "missing.json": "missing.json não pode ser lido",
            "old.json": f"é de 2098-12-31: a tabela em vigor é mais nova, de {DAY}",
            "part.json": f"está incompleto: tem {len(few)} códigos, e a tabela em vigor {len(texts)}",
        }
        refusals = {name: refusal_of(tmp_path / name, folder, table_before) for name in reasons}
        assert [name for name, reason in reasons.items() if reason not in refusals[name]] == []

    def test_update_is_refused_while_the_disk_is_full(
        self, folder: Path, official: Path, table_before: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        refusal = refusal_of(official, folder, table_before)
        assert f"não pode ser gravada em {folder}: No space left on device" in refusal

    def test_update_is_refused_without_a_folder(
        self, official: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("CARIMBO_TABLES_FOLDER")
        result = update(official)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "CARIMBO_TABLES_FOLDER" in result.stderr

    def test_update_is_refused_beside_an_unusable_table(self, folder: Path, official: Path) -> None:
        (folder / "ncm.csv").write_text("", encoding="utf-8")
        result = update(official)
        assert (result.exit_code, result.stdout) == (1, "")
        assert "ncm.csv não pode ser usada" in result.stderr


def refusal_of(file: Path, folder: Path, table_before: bytes) -> str:
    """Returns the sentence that refuses a file, which changes nothing in the folder."""
    result = update(file)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1), file.name
    assert [file.name for file in folder.iterdir()] == ["ncm.csv"], file.name
    assert (folder / "ncm.csv").read_bytes() == table_before, file.name
    return result.stderr
