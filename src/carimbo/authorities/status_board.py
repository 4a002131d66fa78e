"""What authorities said of themselves a moment ago, so that the question is not put for every document."""

import time
from collections.abc import Callable

from carimbo.fiscal.outcome import Available, Unavailable

_FRESH_SECONDS = 15


class StatusBoard:
    """The last answer of each service about each state, for some seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: dict[tuple[str, str], tuple[float, Available | Unavailable]] = {}

    def recall(self, address: str, state: str) -> Available | Unavailable | None:
        """What was said, unless it was said too long ago."""
        moment, condition = self._told.get((address, state), (float("-inf"), None))
        return condition if self._clock() < moment + _FRESH_SECONDS else None

    def write(self, address: str, state: str, condition: Available | Unavailable) -> None:
        """Keep an answer; there are as many at most as services and states."""
        self._told[address, state] = self._clock(), condition
