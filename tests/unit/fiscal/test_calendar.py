"""The fiscal calendar: the dated rules that a document follows on a day."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from carimbo.fiscal.calendar import CALENDAR, DOCUMENTS, DatedRule, rules_on
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.fiscal.tables.table_file import TableUnusable

DAY = timedelta(days=1)
DATED = [rule for rule in DatedRule if CALENDAR[rule].since]


@pytest.mark.parametrize("rule", DATED)
def test_rule_is_in_force_from_its_day_on(rule: DatedRule) -> None:
    entry = CALENDAR[rule]
    assert entry.since
    for document in entry.documents:
        assert rule not in rules_on(entry.since - DAY, document)
        assert rule in rules_on(entry.since, document)


@pytest.mark.parametrize("name", [name for name, entry in CALENDAR.items() if entry.since])
def test_every_row_begins_on_its_day(name: str) -> None:
    entry = CALENDAR[name]
    assert entry.since
    assert not entry.is_in_force(entry.since - DAY)
    assert entry.is_in_force(entry.since)


def test_rule_does_not_apply_to_other_documents() -> None:
    assert DatedRule.TOTAL_ADDS_IBS_CBS in rules_on(date(2027, 1, 1), "nfse")
    assert DatedRule.TOTAL_ADDS_IBS_CBS not in rules_on(date(2027, 1, 1), "nfe")


def test_rule_without_a_date_is_never_in_force() -> None:
    assert CALENDAR[DatedRule.IBS_CBS_GROUP_REQUIRED].since is None
    assert DatedRule.IBS_CBS_GROUP_REQUIRED not in rules_on(date.max, "nfe")


def test_rule_ends_after_its_last_day() -> None:
    entry = CALENDAR["simples_option_may_be_withdrawn"]
    assert entry.is_in_force(date(2026, 12, 20))
    assert not entry.is_in_force(date(2026, 12, 21))


def test_rows_name_only_existing_document_types() -> None:
    assert {document_type.name for document_type in DOCUMENT_TYPES} == DOCUMENTS
    assert all(entry.documents and set(entry.documents) <= DOCUMENTS for entry in CALENDAR.values())


class TestOperatorsFile:
    @pytest.fixture(autouse=True)
    def restored_tables(self) -> object:
        yield
        use_tables_of(None)

    def test_operators_file_moves_a_date(self, tmp_path: Path) -> None:
        moved = [
            f"{entry.name},{_moved(entry.name, entry.since)},,{' '.join(entry.documents)},x,y"
            for entry in CALENDAR.values()
        ]
        _write(tmp_path, moved)
        use_tables_of(tmp_path)
        assert DatedRule.PIS_COFINS_ENDED not in rules_on(date(2027, 1, 31), "nfe")
        assert DatedRule.PIS_COFINS_ENDED in rules_on(date(2027, 2, 1), "nfe")

    @pytest.mark.parametrize(
        ("row", "column"),
        [
            ("pis_cofins_ended,2027-01-01,,NF-e nfce,x,y", "documents"),
            ("pis_cofins_ended,2027-01-01,2026-12-31,nfe,x,y", "until"),
        ],
    )
    def test_operators_file_with_a_rule_that_is_never_in_force_is_refused(
        self, tmp_path: Path, row: str, column: str
    ) -> None:
        _write(tmp_path, [row])
        use_tables_of(tmp_path)
        with pytest.raises(TableUnusable, match=f"linha 4: .* na coluna {column}"):
            CALENDAR.load()

    def test_operators_file_without_a_rule_that_code_uses_is_refused(self, tmp_path: Path) -> None:
        _write(tmp_path, ["pis_cofins_ended,2027-01-01,,nfe,x,y"])
        use_tables_of(tmp_path)
        with pytest.raises(TableUnusable, match=r"faltam as linhas .*price_holds_ibs_cbs"):
            CALENDAR.load()


def _moved(name: str, since: date | None) -> str:
    return "2027-02-01" if name == DatedRule.PIS_COFINS_ENDED else str(since or "")


def _write(folder: Path, rows: list[str]) -> None:
    head = ["# source: teste", "# date: 2026-12-01", "name,since,until,documents,about,source"]
    (folder / "calendar.csv").write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
