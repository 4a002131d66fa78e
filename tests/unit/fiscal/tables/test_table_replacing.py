"""Tables that are read again while the process runs."""

from decimal import Decimal
from pathlib import Path

import pytest

from carimbo.fiscal.tables.geography import STATES
from carimbo.fiscal.tables.table import Derived, put_in_force, read_again
from carimbo.fiscal.tables.table_file import TableUnusable
from carimbo.fiscal.tables.taxes import ICMS_RATES, internal_icms
from unit.fiscal.tables.conftest import Provide

TABLES = (STATES, ICMS_RATES)


def rates(rate: str) -> str:
    return f"# source: Diário Oficial\n# date: 2099-01-01\nstate,rate,fcp\nSP,{rate},0\n"


def rate_of_sp() -> Decimal:
    row = internal_icms("SP")
    assert row is not None
    return row.rate


def test_changed_file_is_used_once_it_is_put_in_force(provide: Provide) -> None:
    file = provide("icms_rates", rates("25"))
    assert rate_of_sp() == 25
    file.write_text(rates("26"), encoding="utf-8")
    fresh = read_again(TABLES)
    assert rate_of_sp() == 25
    put_in_force(fresh)
    assert rate_of_sp() == 26
    assert ICMS_RATES.about.file == file


def test_only_tables_with_other_content_count_as_changed(provide: Provide) -> None:
    file = provide("icms_rates", rates("25"))
    assert rate_of_sp() == 25
    assert len(STATES) == 27
    file.write_text(rates("26"), encoding="utf-8")
    assert [fresh.table.name for fresh in read_again(TABLES) if fresh.is_changed] == ["icms_rates"]


def test_unusable_file_leaves_every_table_unchanged(provide: Provide) -> None:
    file = provide("icms_rates", rates("25"))
    assert rate_of_sp() == 25
    file.write_text(rates("much"), encoding="utf-8")
    with pytest.raises(TableUnusable, match=r"icms_rates\.csv não pode ser usada: linha 4"):
        read_again(TABLES)
    assert rate_of_sp() == 25


def test_missing_folder_does_not_bring_the_built_in_tables_back(provide: Provide, tmp_path: Path) -> None:
    provide("icms_rates", rates("25")).rename(tmp_path.with_name("kept.csv"))
    tmp_path.rmdir()
    with pytest.raises(TableUnusable, match="não existe"):
        read_again(TABLES)


def test_derived_value_is_computed_again(provide: Provide) -> None:
    file = provide("icms_rates", rates("25"))
    derived = Derived(rate_of_sp)
    assert derived.value == 25
    file.write_text(rates("26"), encoding="utf-8")
    put_in_force(read_again(TABLES))
    assert not derived.is_computed
    assert derived.value == 26


def test_value_derived_during_a_replacement_is_computed_again(provide: Provide) -> None:
    """Another thread may derive a value from the old rows and store it after they were replaced."""
    file = provide("icms_rates", rates("25"))

    def make() -> Decimal:
        old = rate_of_sp()
        if old == 25:
            file.write_text(rates("26"), encoding="utf-8")
            put_in_force(read_again(TABLES))
        return old

    derived = Derived(make)
    assert derived.value == 25
    assert derived.value == 26
