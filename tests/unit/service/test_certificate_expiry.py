"""How many days a certificate has left, and when warnings are sent."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from carimbo.service.company_status.certificate_expiry import certificate_state, days_left, warning_due
from carimbo.storage.certificates import ExpiringCertificate

END = datetime(2027, 1, 31, 15, tzinfo=UTC)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
CERTIFICATE = ExpiringCertificate(UUID(int=1), UUID(int=2), "ab" * 32, END, warned_days=None)


class TestDaysLeft:
    @pytest.mark.parametrize(
        ("before", "days"),
        [
            (60 * DAY + SECOND, 61),
            (60 * DAY, 60),
            (60 * DAY - SECOND, 60),
            (DAY + SECOND, 2),
            (DAY, 1),
            (SECOND, 1),
            (0 * DAY, 0),
            (-SECOND, 0),
            (-9 * DAY, 0),
        ],
    )
    def test_days_left_count_a_day_that_has_begun(self, before: timedelta, days: int) -> None:
        assert days_left(END, END - before) == days


class TestState:
    @pytest.mark.parametrize(
        ("before", "state"),
        [
            (60 * DAY + SECOND, "valid"),
            (60 * DAY, "expiring"),
            (SECOND, "expiring"),
            (0 * DAY, "expired"),
            (-DAY, "expired"),
        ],
    )
    def test_state_is_expiring_from_the_first_warning_on(self, before: timedelta, state: str) -> None:
        assert certificate_state(END, END - before) == state


class TestWarnings:
    def test_hourly_checks_warn_once_at_each_threshold(self) -> None:
        given, certificate = [], CERTIFICATE
        for hour in range(100 * 24):
            moment = END - 90 * DAY + timedelta(hours=hour)
            days = warning_due(certificate, moment)
            if days is not None:
                given.append((days, days_left(END, moment)))
                certificate = replace(certificate, warned_days=days)
        assert given == [(60, 60), (30, 30), (15, 15), (7, 7), (1, 1)]

    def test_late_check_gives_only_the_nearest_warning(self) -> None:
        assert warning_due(CERTIFICATE, END - 5 * DAY) == 7

    def test_warning_is_not_given_twice(self) -> None:
        assert warning_due(replace(CERTIFICATE, warned_days=7), END - 5 * DAY) is None

    def test_expired_certificate_gets_no_warning(self) -> None:
        assert warning_due(replace(CERTIFICATE, warned_days=7), END) is None
        assert warning_due(CERTIFICATE, END + DAY) is None
