"""Growing pauses between attempts."""

import random
from dataclasses import dataclass
from datetime import timedelta

AT_ONCE = timedelta(0)
# Past so many steps any first pause is beyond the longest; the bound keeps the number small.
_MOST_STEPS = 60


@dataclass(frozen=True)
class Backoff:
    """Pauses grow by a factor from the first to the longest."""

    first: timedelta
    longest: timedelta
    factor: float = 2

    def pause(self, attempts: int, dice: float) -> timedelta:
        """The pause after so many attempts; `dice` in 0..1 spreads it over 75..125 %."""
        # Seconds, because a timedelta overflows on the way there.
        grown = self.first.total_seconds() * self.factor ** min(attempts - 1, _MOST_STEPS)
        return timedelta(seconds=min(grown, self.longest.total_seconds()) * (0.75 + dice / 2))


def dice() -> float:
    """A throw that spreads what would happen at the same time."""
    return random.random()  # noqa: S311 - jitter, not a secret
