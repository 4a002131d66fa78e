"""The made-up CBS rate of the demo."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from carimbo.demo.made_up import write_made_up_rate
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, ibs_cbs_rates_on
from carimbo.fiscal.tables.table import use_tables_of


@pytest.fixture(autouse=True)
def _built_in_tables_again() -> Iterator[None]:
    yield
    use_tables_of(None)


class TestUnknownRate:
    @pytest.mark.parametrize("day", [date(2027, 1, 1), date(2028, 12, 31)])
    def test_unknown_rate_is_made_up_in_the_demos_own_table(self, tmp_path: Path, day: date) -> None:
        official = ibs_cbs_rates_on(day)
        assert official.cbs is None
        write_made_up_rate(tmp_path)
        use_tables_of(tmp_path)
        assert ibs_cbs_rates_on(day) == official._replace(cbs=Decimal("11.11"))

    def test_made_up_rate_leaves_every_other_rate_unchanged(self, tmp_path: Path) -> None:
        official = dict(IBS_CBS_RATES.rows)
        file = write_made_up_rate(tmp_path)
        assert file
        made_up = IBS_CBS_RATES.rows_in(file)
        assert {key for key in official if official[key] != made_up[key]} == {
            key for key, row in official.items() if row.rate is None
        }
        assert made_up.keys() == official.keys()


class TestKnownRate:
    def test_known_rate_is_not_made_up_and_an_earlier_file_is_removed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = write_made_up_rate(tmp_path)
        assert file
        rows = {key: replace(row, rate=row.rate or Decimal(9)) for key, row in IBS_CBS_RATES.rows.items()}
        monkeypatch.setitem(vars(IBS_CBS_RATES), "rows", rows)
        assert write_made_up_rate(tmp_path) is None
        assert not file.exists()
