"""When failed work is tried again: a pure decision."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class RetryPolicy:
    """Delays double from the first to the longest; so many failures in a row park the work."""

    first: timedelta
    longest: timedelta
    attempts_before_parking: int

    def is_spent(self, attempts: int) -> bool:
        return attempts >= self.attempts_before_parking

    def delay(self, attempts: int, dice: float) -> timedelta:
        """Delay after the given number of attempts; `dice` in 0..1 spreads it over 75..125 %."""
        # Past 60 doublings any first delay is beyond the longest; the bound keeps the number small. Seconds,
        # because a timedelta overflows on the way there.
        doubled = self.first.total_seconds() * 2.0 ** min(attempts - 1, 60)
        return timedelta(seconds=min(doubled, self.longest.total_seconds()) * (0.75 + dice / 2))
