from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.service.waiting import Backoff

spans = st.timedeltas(min_value=timedelta(milliseconds=1), max_value=timedelta(days=7))
factors = st.floats(min_value=1, max_value=10)
backoffs = st.builds(
    lambda minimum, maximum, factor: Backoff(min(minimum, maximum), max(minimum, maximum), factor),
    spans,
    spans,
    factors,
)
attempts_made = st.integers(min_value=1, max_value=10_000)
jitters = st.floats(min_value=0, max_value=1)
MIDDLE = 0.5
A_MICROSECOND = timedelta(microseconds=1)


class TestPause:
    @given(backoffs, attempts_made, jitters)
    def test_pause_is_between_three_quarters_of_the_first_and_five_of_the_longest(
        self, backoff: Backoff, attempts: int, jitter: float
    ) -> None:
        pause = backoff.pause(attempts, jitter)
        assert backoff.first * 0.75 - A_MICROSECOND <= pause <= backoff.max_pause * 1.25 + A_MICROSECOND

    @given(backoffs, attempts_made)
    def test_pause_never_shrinks_as_attempts_grow(self, backoff: Backoff, attempts: int) -> None:
        assert backoff.pause(attempts, MIDDLE) <= backoff.pause(attempts + 1, MIDDLE)

    @given(backoffs, attempts_made)
    def test_pause_without_jitter_doubles_until_the_longest(self, backoff: Backoff, attempts: int) -> None:
        doubling = replace(backoff, factor=2)
        expected = backoff.first
        for _ in range(attempts - 1):
            if expected >= backoff.max_pause:
                break
            expected *= 2
        assert doubling.pause(attempts, MIDDLE) == min(expected, backoff.max_pause)

    @given(backoffs, attempts_made, jitters)
    def test_jitter_stays_within_a_quarter_either_way(
        self, backoff: Backoff, attempts: int, jitter: float
    ) -> None:
        middle = backoff.pause(attempts, MIDDLE)
        pause = backoff.pause(attempts, jitter)
        assert middle * 0.75 - A_MICROSECOND <= pause <= middle * 1.25 + A_MICROSECOND

    def test_jitter_reaches_both_ends(self) -> None:
        backoff = Backoff(timedelta(seconds=4), timedelta(seconds=60))
        assert backoff.pause(1, 0) == timedelta(seconds=3)
        assert backoff.pause(1, 1) == timedelta(seconds=5)

    @pytest.mark.parametrize(
        ("factor", "seconds"), [(2, [2, 4, 8, 16, 32]), (4, [2, 8, 32, 100, 100]), (1, [2, 2, 2, 2, 2])]
    )
    def test_pause_grows_by_its_factor(self, factor: float, seconds: list[int]) -> None:
        backoff = Backoff(timedelta(seconds=2), timedelta(seconds=100), factor)
        assert [backoff.pause(number, MIDDLE).total_seconds() for number in range(1, 6)] == seconds
