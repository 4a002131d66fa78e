from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.worker.retry import RetryPolicy

spans = st.timedeltas(min_value=timedelta(milliseconds=1), max_value=timedelta(days=7))
policies = st.builds(
    lambda one, other, attempts: RetryPolicy(min(one, other), max(one, other), attempts),
    spans,
    spans,
    st.integers(min_value=1, max_value=100),
)
attempts_made = st.integers(min_value=1, max_value=10_000)
dice = st.floats(min_value=0, max_value=1)
MIDDLE = 0.5
A_MICROSECOND = timedelta(microseconds=1)


class TestDelay:
    @given(policies, attempts_made, dice)
    def test_it_lies_between_three_quarters_of_the_first_and_five_quarters_of_the_longest(
        self, policy: RetryPolicy, attempts: int, thrown: float
    ) -> None:
        delay = policy.delay(attempts, thrown)
        assert policy.first * 0.75 - A_MICROSECOND <= delay <= policy.longest * 1.25 + A_MICROSECOND

    @given(policies, attempts_made)
    def test_it_never_shrinks_as_attempts_grow(self, policy: RetryPolicy, attempts: int) -> None:
        assert policy.delay(attempts, MIDDLE) <= policy.delay(attempts + 1, MIDDLE)

    @given(policies, attempts_made)
    def test_without_jitter_it_doubles_until_the_longest(self, policy: RetryPolicy, attempts: int) -> None:
        expected = policy.first
        for _ in range(attempts - 1):
            if expected >= policy.longest:
                break
            expected *= 2
        assert policy.delay(attempts, MIDDLE) == min(expected, policy.longest)

    @given(policies, attempts_made, dice)
    def test_jitter_stays_within_a_quarter_either_way(
        self, policy: RetryPolicy, attempts: int, thrown: float
    ) -> None:
        middle = policy.delay(attempts, MIDDLE)
        delay = policy.delay(attempts, thrown)
        assert middle * 0.75 - A_MICROSECOND <= delay <= middle * 1.25 + A_MICROSECOND

    def test_the_dice_reach_both_ends(self) -> None:
        policy = RetryPolicy(timedelta(seconds=4), timedelta(seconds=60), 8)
        assert policy.delay(1, 0) == timedelta(seconds=3)
        assert policy.delay(1, 1) == timedelta(seconds=5)


class TestIsSpent:
    @pytest.mark.parametrize(("attempts", "spent"), [(0, False), (7, False), (8, True), (9, True)])
    def test_so_many_attempts_spend_it(self, attempts: int, spent: bool) -> None:
        assert RetryPolicy(timedelta(seconds=1), timedelta(seconds=60), 8).is_spent(attempts) is spent
