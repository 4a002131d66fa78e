"""The deadline for sending an NFC-e that was issued offline: business days, holidays and time zones."""

from datetime import UTC, date, datetime

import pytest

from carimbo.fiscal.documents.nfce.contingency import transmission_deadline
from carimbo.fiscal.tables.geography import STATES


def last_day(issued: str, state: str = "SP") -> date:
    return transmission_deadline(datetime.fromisoformat(f"{issued}T10:00:00-03:00"), state).date()


class TestTransmissionDeadline:
    def test_deadline_is_the_last_second_of_the_next_day(self) -> None:
        deadline = transmission_deadline(datetime.fromisoformat("2026-11-10T10:00:00-03:00"), "SP")
        assert deadline.isoformat() == "2026-11-11T23:59:59-03:00"

    @pytest.mark.parametrize("issued", ["2026-11-06", "2026-11-07", "2026-11-08"])
    def test_deadline_skips_the_weekend(self, issued: str) -> None:
        assert last_day(issued) == date(2026, 11, 9)

    @pytest.mark.parametrize(
        ("issued", "expected"),
        [
            ("2026-12-31", "2027-01-04"),
            ("2026-04-20", "2026-04-22"),
            ("2026-04-30", "2026-05-04"),
            ("2026-09-04", "2026-09-08"),
            ("2026-10-09", "2026-10-13"),
            ("2026-10-30", "2026-11-03"),
            ("2027-11-12", "2027-11-16"),
            ("2026-11-19", "2026-11-23"),
            ("2026-12-24", "2026-12-28"),
        ],
    )
    def test_deadline_skips_national_holidays(self, issued: str, expected: str) -> None:
        assert last_day(issued) == date.fromisoformat(expected)

    @pytest.mark.parametrize(
        "good_friday",
        [
            date(2008, 3, 21),
            date(2025, 4, 18),
            date(2026, 4, 3),
            date(2027, 3, 26),
            date(2038, 4, 23),
            date(2049, 4, 16),
            date(2076, 4, 17),
        ],
    )
    def test_deadline_skips_good_friday(self, good_friday: date) -> None:
        """These include the earliest and the latest of the century."""
        day_before = good_friday.replace(day=good_friday.day - 1)
        assert last_day(day_before.isoformat()) > good_friday

    def test_carnival_and_corpus_christi_are_business_days(self) -> None:
        assert last_day("2026-02-16") == date(2026, 2, 17)
        assert last_day("2026-06-03") == date(2026, 6, 4)

    def test_deadline_counts_from_the_day_in_the_state(self) -> None:
        """At 04:00 UTC it is still yesterday in Acre, but not in São Paulo."""
        issued_at = datetime(2026, 11, 11, 4, 0, tzinfo=UTC)
        assert transmission_deadline(issued_at, "AC").isoformat() == "2026-11-11T23:59:59-05:00"
        assert transmission_deadline(issued_at, "SP").isoformat() == "2026-11-12T23:59:59-03:00"

    @pytest.mark.parametrize("state", STATES)
    def test_deadline_exists_in_every_state(self, state: str) -> None:
        assert last_day("2026-11-10", state) == date(2026, 11, 11)
