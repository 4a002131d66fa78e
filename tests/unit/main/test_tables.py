"""SIGHUP: the process reads its tables again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import LogCapture, capture_logs

from carimbo.fiscal.tables.table import use_tables_of
from carimbo.fiscal.tables.taxes import ICMS_RATES
from carimbo.main import tables
from carimbo.main.tables import reload_tables


def write_rate(file: Path, rate: str) -> None:
    text = f"# source: Diário Oficial\n# date: 2099-01-01\nstate,rate,fcp\nSP,{rate},0\n"
    file.write_text(text, encoding="utf-8")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The operator's file of the only table that is read again."""
    monkeypatch.setattr(tables, "ALL_TABLES", (ICMS_RATES,))
    written = tmp_path / "icms_rates.csv"
    write_rate(written, "25")
    use_tables_of(tmp_path)
    assert ICMS_RATES["SP"].rate == 25
    yield written
    use_tables_of(None)


async def test_a_reload_puts_the_files_in_force_and_logs_which_changed(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rate(file, "26")
    logs = LogCapture()
    monkeypatch.setattr(tables, "_log", structlog.wrap_logger(None, [logs], structlog.BoundLogger))
    await reload_tables()
    assert ICMS_RATES["SP"].rate == 26
    assert logs.entries == [{"event": "tables_reloaded", "changed": ["icms_rates"], "log_level": "info"}]


async def test_a_bad_file_is_logged_by_file_and_line_and_the_old_tables_stay(file: Path) -> None:
    write_rate(file, "much")
    with capture_logs() as logs:
        await reload_tables()
    assert ICMS_RATES["SP"].rate == 25
    (line,) = logs
    assert (line["event"], line["log_level"]) == ("tables_not_reloaded", "error")
    assert f"{file} não pode ser usada: linha 4" in line["reason"]
