from datetime import timedelta

import pytest

from carimbo.service.waiting import Backoff
from carimbo.worker.advance import RetryPolicy

BACKOFF = Backoff(timedelta(seconds=1), timedelta(seconds=60))
POLICY = RetryPolicy(BACKOFF, attempts_before_parking=8)


class TestDelay:
    @pytest.mark.parametrize("attempts", [1, 2, 7, 1000])
    @pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
    def test_delay_is_the_pause_of_the_backoff(self, attempts: int, jitter: float) -> None:
        assert POLICY.delay(attempts, jitter) == BACKOFF.pause(attempts, jitter)


class TestIsSpent:
    @pytest.mark.parametrize(("attempts", "spent"), [(0, False), (7, False), (8, True), (9, True)])
    def test_retries_end_after_the_configured_attempts(self, attempts: int, spent: bool) -> None:
        assert POLICY.is_spent(attempts) is spent
