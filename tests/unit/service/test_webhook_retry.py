from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.service.delivery.retry import RetrySchedule

USUAL = RetrySchedule.parse("5,300,1800,7200,18000")
MINUTE = timedelta(minutes=1)


class TestPauses:
    @pytest.mark.parametrize(
        ("failures", "seconds"), [(1, 5), (2, 300), (3, 1800), (4, 7200), (5, 18000)], ids=str
    )
    def test_each_failure_has_its_pause(self, failures: int, seconds: int) -> None:
        assert USUAL.pause_after(failures, jitter=0) == timedelta(seconds=seconds)

    def test_delivery_is_given_up_after_the_fifth_retry(self) -> None:
        assert USUAL.pause_after(6, jitter=0) is None

    @given(st.integers(1, 5), st.floats(0, 1))
    def test_jitter_lengthens_a_pause_by_a_fifth_at_most(self, failures: int, jitter: float) -> None:
        planned = USUAL.pauses[failures - 1]
        pause = USUAL.pause_after(failures, jitter)
        assert pause is not None
        assert planned <= pause <= planned * 1.2

    def test_maximum_jitter_lengthens_a_pause_by_a_fifth(self) -> None:
        assert USUAL.pause_after(2, jitter=1) == timedelta(minutes=6)

    def test_no_pauses_mean_no_retries(self) -> None:
        assert RetrySchedule.parse("").pause_after(1, jitter=0) is None


class TestRequestedWait:
    def test_longer_wait_that_a_receiver_asks_for_is_respected(self) -> None:
        assert USUAL.pause_after(1, 0, retry_after=MINUTE) == MINUTE

    def test_shorter_wait_that_a_receiver_asks_for_is_ignored(self) -> None:
        assert USUAL.pause_after(2, 0, retry_after=MINUTE) == timedelta(minutes=5)

    def test_requested_wait_is_limited_to_a_day(self) -> None:
        assert USUAL.pause_after(1, 0, retry_after=timedelta(days=400)) == timedelta(days=1)

    def test_requested_wait_adds_no_retry(self) -> None:
        assert USUAL.pause_after(6, 0, retry_after=MINUTE) is None


class TestParse:
    @pytest.mark.parametrize("text", ["x", "0", "-5", "86401", "5;300", "nan", "inf"])
    def test_invalid_list_of_pauses_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"."):
            RetrySchedule.parse(text)

    def test_fractions_and_spaces_are_read(self) -> None:
        assert RetrySchedule.parse(" 0.5 , 2 ").pauses == (timedelta(seconds=0.5), timedelta(seconds=2))
