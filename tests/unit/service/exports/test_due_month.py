"""The month that a monthly e-mail is about."""

from datetime import date

import pytest

from carimbo.service.exports.month import month_before
from carimbo.service.exports.schedules import DueMonth, due_month


@pytest.mark.parametrize(
    ("day", "today", "month", "due_day"),
    [
        (5, date(2026, 11, 5), date(2026, 10, 1), date(2026, 11, 5)),
        (5, date(2026, 11, 30), date(2026, 10, 1), date(2026, 11, 5)),
        # The day of this month has not come: the last one is that of the month before.
        (28, date(2026, 12, 2), date(2026, 10, 1), date(2026, 11, 28)),
        (10, date(2027, 1, 10), date(2026, 12, 1), date(2027, 1, 10)),
        (10, date(2027, 1, 9), date(2026, 11, 1), date(2026, 12, 10)),
        (28, date(2027, 3, 1), date(2027, 1, 1), date(2027, 2, 28)),
    ],
)
def test_schedule_is_due_on_its_day_and_until_the_next_one(
    day: int, today: date, month: date, due_day: date
) -> None:
    assert due_month(day, today) == DueMonth(month, due_day)


@pytest.mark.parametrize(
    ("day", "before"),
    [
        (date(2026, 11, 19), date(2026, 10, 1)),
        (date(2026, 1, 31), date(2025, 12, 1)),
        (date(2026, 12, 31), date(2026, 11, 1)),
    ],
)
def test_month_before_crosses_the_year(day: date, before: date) -> None:
    assert month_before(day) == before
