"""How long a receiver asks us to wait."""

from datetime import UTC, datetime, timedelta

import hypothesis
import pytest
from hypothesis import strategies as st

from carimbo.outbound.webhook_client import parse_retry_after

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class TestWait:
    @pytest.mark.parametrize(
        ("header", "seconds"),
        [
            ("0", 0),
            ("120", 120),
            (" 120 ", 120),
            ("999999999", 999_999_999),
            ("Sun, 01 Mar 2026 12:01:30 GMT", 90),
            ("Sunday, 01-Mar-26 12:01:30 GMT", 90),
            ("Sun Mar  1 12:01:30 2026", 90),
            ("Sun, 01 Mar 2026 09:01:30 -0300", 90),
            ("Sun, 01 Mar 2026 11:59:59 GMT", 0),
            ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ],
    )
    def test_wait_is_a_number_or_a_date(self, header: str, seconds: int) -> None:
        assert parse_retry_after(header, NOW) == timedelta(seconds=seconds)

    @pytest.mark.parametrize(
        "header",
        [
            "",
            "-1",
            "1.5",
            "1e3",
            "soon",
            "١٢",
            "9" * 10,
            "9" * 5000,
            "Mon, 99999999999 Jan 2020 00:00:00 GMT",
            "Mon, 1 Jan 99999 00:00:00 GMT",
            "Mon, 1 Jan 2020 00:00:00 +9999",
        ],
    )
    def test_wait_is_not_read_from_garbage(self, header: str) -> None:
        assert parse_retry_after(header, NOW) is None

    @hypothesis.given(st.text() | st.from_regex(r"[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} \d+ \d+:\d+:\d+ [-+]?\w+"))
    def test_wait_is_never_negative(self, header: str) -> None:
        wait = parse_retry_after(header, NOW)
        assert wait is None or wait >= timedelta()
