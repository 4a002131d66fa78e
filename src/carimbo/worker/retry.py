"""When failed work is tried again: a pure decision."""

from dataclasses import dataclass
from datetime import timedelta

from carimbo.service.backoff import Backoff


@dataclass(frozen=True)
class RetryPolicy:
    """Pauses that grow; so many failures in a row park the work."""

    backoff: Backoff
    attempts_before_parking: int

    def is_spent(self, attempts: int) -> bool:
        """Tell whether so many failures in a row park the work."""
        return attempts >= self.attempts_before_parking

    def delay(self, attempts: int, dice: float) -> timedelta:
        """Delay after the given number of attempts."""
        return self.backoff.pause(attempts, dice)
