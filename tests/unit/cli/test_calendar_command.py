"""The command that lists the rules in force, upcoming and unknown on a day."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carimbo.cli import app
from carimbo.fiscal.calendar import CALENDAR
from carimbo.fiscal.tables.table import use_tables_of

IN_FORCE, NEXT, UNKNOWN = "Em vigor:", "A seguir:", "Ainda sem definição:"
LAST_DAY_OF_2026, FIRST_DAY_OF_2027 = "2026-12-31", "2027-01-01"
RATES = """\
# source: Resolução de teste
# date: 2099-01-01
tax,since,until,rate
ibs_state,2026-01-01,2026-12-31,0.1
ibs_city,2026-01-01,2026-12-31,0
cbs,2026-01-01,2026-12-31,0.9
ibs_state,2027-01-01,,0.05
ibs_city,2027-01-01,,0.05
"""


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in [name for name in os.environ if name.startswith("CARIMBO_")]:
        monkeypatch.delenv(name)
    yield
    use_tables_of(None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The operator's folder; with it every table is read, which takes a second."""
    monkeypatch.setenv("CARIMBO_TABLES_FOLDER", str(tmp_path))
    return tmp_path


def lines_on(day: str) -> list[str]:
    result = CliRunner().invoke(app, ["calendar", "--on", day])
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.splitlines()


def lists_on(day: str) -> dict[str, list[str]]:
    return lists_in(lines_on(day))


def lists_in(lines: list[str]) -> dict[str, list[str]]:
    """Returns the first lines of the entries of each list."""
    lists: dict[str, list[str]] = {}
    for line in lines:
        if line.endswith(":") and not line.startswith("Calendário"):
            entries = lists[line] = []
        elif lists and line and not line.startswith(" "):
            entries.append(line)
    return lists


def names_in(entries: list[str]) -> set[str]:
    """Returns the rules among the entries; rates have no name."""
    return {entry[12:].split()[0] for entry in entries} - {"alíquota"}


def provide_rates(folder: Path, *more: str) -> Path:
    file = folder / "ibs_cbs_rates.csv"
    file.write_text(RATES + "".join(f"{row}\n" for row in more), encoding="utf-8")
    return file


class TestLists:
    def test_every_rule_that_has_not_ended_is_in_exactly_one_list(self) -> None:
        named = [name for entries in lists_on(FIRST_DAY_OF_2027).values() for name in names_in(entries)]
        assert sorted(named) == sorted(CALENDAR.keys() - {"simples_option_may_be_withdrawn"})

    def test_a_rule_moves_from_next_to_in_force_on_its_day(self) -> None:
        before, after = lists_on(LAST_DAY_OF_2026), lists_on(FIRST_DAY_OF_2027)
        assert "2027-01-01  total_adds_ibs_cbs (nfse), em 1 dia" in before[NEXT]
        assert "2027-01-01  total_adds_ibs_cbs (nfse)" in after[IN_FORCE]
        assert "total_adds_ibs_cbs" not in names_in(after[NEXT])

    def test_a_rule_with_an_end_is_listed_with_its_last_day(self) -> None:
        listed = lists_on("2026-12-20")[IN_FORCE]
        assert "2026-11-03  simples_option_may_be_withdrawn (nfe nfce nfse) até 2026-12-20" in listed
        assert "simples_option_may_be_withdrawn" not in names_in(lists_on("2026-12-21")[IN_FORCE])

    def test_next_entries_are_sorted_by_day(self) -> None:
        days = [entry[:10] for entry in lists_on("2026-11-17")[NEXT]]
        assert days == sorted(days)
        assert len(set(days)) > 1

    def test_a_rule_without_a_date_names_file_and_column(self) -> None:
        listed = lists_on("2026-11-17")[UNKNOWN]
        assert "sem data    cte_group_required (cte cteOs): coluna since vazia em calendar.csv" in listed

    def test_a_rule_is_followed_by_its_text_and_source(self) -> None:
        lines = lines_on(FIRST_DAY_OF_2027)
        at = lines.index("2027-01-01  total_adds_ibs_cbs (nfse)")
        assert lines[at + 1].strip() == (
            "O total da NFS-e soma IBS e CBS ao valor líquido. Fonte: NFS-e 1.01, vTotNF."
        )

    def test_lines_have_at_most_100_columns(self) -> None:
        assert max(map(len, lines_on("2026-11-17"))) <= 100

    def test_lists_are_of_today_by_default(self) -> None:
        result = CliRunner().invoke(app, ["calendar"])
        assert result.exit_code == 0
        assert result.stdout.startswith("Calendário fiscal em 20")


class TestRates:
    def test_the_unknown_cbs_of_2027_names_file_and_column(self) -> None:
        unknown = "2027-01-01  alíquota de cbs: coluna rate vazia em ibs_cbs_rates.csv"
        for day in ("2026-11-17", FIRST_DAY_OF_2027, "2027-06-01"):
            assert unknown in lists_on(day)[UNKNOWN]

    def test_known_rates_are_listed_before_and_in_their_period(self) -> None:
        assert "2026-01-01  alíquota de cbs: 0,9% até 2026-12-31" in lists_on(LAST_DAY_OF_2026)[IN_FORCE]
        assert (
            "2027-01-01  alíquota de ibs_city: 0,05% até 2028-12-31, em 1 dia"
            in (lists_on(LAST_DAY_OF_2026)[NEXT])
        )
        assert (
            "2027-01-01  alíquota de ibs_city: 0,05% até 2028-12-31"
            in (lists_on(FIRST_DAY_OF_2027)[IN_FORCE])
        )

    def test_the_operators_rate_is_listed_as_the_operators(self, folder: Path) -> None:
        file = provide_rates(folder, "cbs,2027-01-01,,11.11")
        lines = lines_on(LAST_DAY_OF_2026)
        assert f"            do arquivo {file}" in lines
        lists = lists_in(lines)
        assert "2027-01-01  alíquota de cbs: 11,11%, em 1 dia [do operador]" in lists[NEXT]
        assert [entry for entry in lists[UNKNOWN] if "alíquota" in entry] == []

    def test_a_row_that_the_operator_left_out_is_unknown(self, folder: Path) -> None:
        provide_rates(folder)
        missing = "2027-01-01  alíquota de cbs: falta a linha em ibs_cbs_rates.csv [do operador]"
        assert missing in lists_on("2026-11-17")[UNKNOWN]


class TestOperatorsFiles:
    def test_a_rule_of_the_operators_calendar_is_listed_as_the_operators(self, folder: Path) -> None:
        text = CALENDAR.text_of("Aviso", CALENDAR.about.date, CALENDAR.values())
        (folder / "calendar.csv").write_text(text, encoding="utf-8")
        listed = lists_on(FIRST_DAY_OF_2027)[IN_FORCE]
        assert "2027-01-01  total_adds_ibs_cbs (nfse) [do operador]" in listed
        assert "2027-01-01  alíquota de ibs_city: 0,05% até 2028-12-31" in listed

    def test_unusable_operators_file_is_reported_in_one_sentence(self, folder: Path) -> None:
        provide_rates(folder, "cbs,2027-01-01,,dez")
        result = CliRunner().invoke(app, ["calendar"])
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert f"{folder / 'ibs_cbs_rates.csv'} não pode ser usada: linha 9" in result.stderr
