"""The rates of IBS and CBS that are reported as missing, and from which day."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from carimbo.fiscal.tables.ibs_cbs import ReformTax
from carimbo.fiscal.tables.table import use_tables_of
from carimbo.fiscal.taxes.missing_rates import MissingRate, missing_rates, needs_rates, reported_missing_rates

JANUARY = date(2027, 1, 1)
IBS = "ibs_state,2026-01-01,,0.1\nibs_city,2026-01-01,,0\n"
UseRates = Callable[[str], None]


@pytest.fixture
def use_rates(tmp_path: Path) -> Iterator[UseRates]:
    """Replaces the rows of CBS in the table, beside permanent rates of IBS."""

    def use(rows: str) -> None:
        text = f"# source: x\n# date: 2099-01-01\ntax,since,until,rate\n{IBS}{rows}"
        (tmp_path / "ibs_cbs_rates.csv").write_text(text, encoding="utf-8")
        use_tables_of(tmp_path)

    yield use
    use_tables_of(None)


def cbs_since(today: date) -> date | None:
    """Returns the day since which the rate of CBS is reported as missing; no other may be."""
    rates = reported_missing_rates(today)
    assert {missing.tax for missing in rates} <= {ReformTax.CBS}
    return rates[0].since if rates else None


def test_missing_cbs_of_the_built_in_table_is_reported_from_december() -> None:
    assert reported_missing_rates(date(2026, 11, 30)) == ()
    missing = (MissingRate(ReformTax.CBS, JANUARY),)
    assert reported_missing_rates(date(2026, 12, 1)) == missing
    assert reported_missing_rates(JANUARY) == missing
    assert reported_missing_rates(date(2027, 8, 15)) == missing


def test_loaded_rate_is_not_missing(use_rates: UseRates) -> None:
    use_rates("cbs,2026-01-01,2026-12-31,0.9\ncbs,2027-01-01,,11.11\n")
    assert cbs_since(date(2026, 12, 31)) is None
    assert cbs_since(JANUARY) is None


def test_rate_of_zero_is_not_missing(use_rates: UseRates) -> None:
    use_rates("cbs,2026-01-01,,0\n")
    assert cbs_since(JANUARY) is None


def test_period_without_a_row_is_missing_like_an_empty_rate(use_rates: UseRates) -> None:
    use_rates("cbs,2026-01-01,2026-12-31,0.9\n")
    assert cbs_since(date(2026, 12, 15)) == JANUARY
    assert cbs_since(date(2027, 3, 1)) == JANUARY


def test_period_that_begins_after_sixty_days_is_not_reported(use_rates: UseRates) -> None:
    use_rates("cbs,2026-01-01,2029-12-31,0.9\ncbs,2030-01-01,,\n")
    assert cbs_since(date(2029, 11, 1)) is None
    assert cbs_since(date(2029, 11, 2)) == date(2030, 1, 1)


def test_rate_is_missing_only_on_days_without_it() -> None:
    assert missing_rates(date(2026, 12, 31), date(2026, 12, 31)) == ()
    (missing,) = missing_rates(JANUARY, JANUARY)
    assert missing.place == "ibs_cbs_rates.csv:cbs.rate"


def test_only_documents_with_amounts_need_rates() -> None:
    assert [needs_rates(document) for document in ("nfe", "nfce", "nfse")] == [True, True, False]
