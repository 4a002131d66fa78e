"""Usage counts of taxpayers within the last hour."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from carimbo.simulator.limits import WINDOW, UsageLog
from carimbo.simulator.store import Store

NOW = datetime(2026, 11, 14, 13, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(tmp_path / "simulator.sqlite")
    yield opened
    opened.close()


def count(store: Store, taxpayer: str = "A", service: str = "S", subject: str = "K") -> int:
    return UsageLog(store).count(taxpayer, service, subject, NOW)


class TestCount:
    def test_count_begins_at_zero(self, store: Store) -> None:
        assert count(store) == 0

    def test_uses_of_one_subject_are_counted(self, store: Store) -> None:
        for minutes in (59, 1, 0):
            UsageLog(store).add("A", "S", "K", NOW - timedelta(minutes=minutes))
        assert count(store) == 3

    @pytest.mark.parametrize("other", [("B", "S", "K"), ("A", "T", "K"), ("A", "S", "L")])
    def test_uses_of_other_subjects_are_not_counted(self, other: tuple[str, str, str], store: Store) -> None:
        UsageLog(store).add(*other, NOW)
        assert count(store) == 0

    def test_older_uses_are_not_counted(self, store: Store) -> None:
        UsageLog(store).add("A", "S", "K", NOW - WINDOW - timedelta(seconds=1))
        assert count(store) == 0

    def test_uses_in_the_future_are_not_counted(self, store: Store) -> None:
        UsageLog(store).add("A", "S", "K", NOW + timedelta(seconds=1))
        assert count(store) == 0


class TestAdd:
    def test_old_uses_are_deleted(self, store: Store) -> None:
        UsageLog(store).add("A", "S", "K", NOW - WINDOW - timedelta(seconds=1))
        UsageLog(store).add("B", "T", "L", NOW)
        assert store.connection.execute("select taxpayer from uses").fetchall()[0]["taxpayer"] == "B"
        assert store.connection.execute("select count(*) from uses").fetchone()[0] == 1
