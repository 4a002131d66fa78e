"""What authorities said of themselves a moment ago, so that the question is not put for every document."""

import time
from collections import OrderedDict
from collections.abc import Callable

from carimbo.fiscal.outcome import Available, NotJudged, Unavailable

_FRESH_SECONDS = 15

Told = Available | Unavailable | NotJudged
"""What an authority said, or that it said nothing."""


class StatusBoard:
    """The last answer of each service about each state, for some seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._told: OrderedDict[tuple[str, ...], tuple[float, Told]] = OrderedDict()

    def recall(self, address: str, state: str, asker: str) -> Told | None:
        """What was said to anybody, or else how the asker fared, unless that is too long ago."""
        return self._fresh((address, state)) or self._fresh((address, state, asker))

    def write(self, address: str, state: str, asker: str, told: Told) -> None:
        """Keep an answer for everybody, a failure for who met it: the reason may be their certificate."""
        self._forget_what_is_over()
        key = (address, state, asker) if isinstance(told, NotJudged) else (address, state)
        self._told[key] = self._clock(), told
        self._told.move_to_end(key)

    @property
    def remembered(self) -> int:
        """How much is kept."""
        return len(self._told)

    def _fresh(self, key: tuple[str, ...]) -> Told | None:
        moment, told = self._told.get(key, (float("-inf"), None))
        return None if self._is_over(moment) else told

    def _forget_what_is_over(self) -> None:
        """They are in the order in which they were written."""
        while self._told and self._is_over(next(iter(self._told.values()))[0]):
            self._told.popitem(last=False)

    def _is_over(self, moment: float) -> bool:
        return self._clock() >= moment + _FRESH_SECONDS
