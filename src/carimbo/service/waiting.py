"""Waiting: growing pauses between attempts, and polling for a condition."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

T = TypeVar("T")
_FIRST_POLL_SECONDS = 0.02
_MAX_POLL_SECONDS = 0.5


async def wait_until(
    condition: Callable[[T], bool], value: T, max_wait: timedelta, poll: Callable[[], Awaitable[T | None]]
) -> T:
    """Polls until the condition holds or the time is over, and returns the last value.

    The pause between polls grows from 20 ms to half a second.
    """
    pause = _FIRST_POLL_SECONDS
    end = asyncio.get_running_loop().time() + max_wait.total_seconds()
    while not condition(value) and asyncio.get_running_loop().time() < end:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _MAX_POLL_SECONDS)
        value = await poll() or value
    return value


AT_ONCE = timedelta(0)
# After this many steps every pause has reached the longest one; the bound avoids huge numbers.
_MAX_STEPS = 60


@dataclass(frozen=True)
class Backoff:
    """Pauses that grow by a factor from the first to the longest."""

    first: timedelta
    max_pause: timedelta
    factor: float = 2

    def pause(self, attempts: int, jitter: float) -> timedelta:
        """Returns the pause after a number of attempts; `jitter` in 0..1 spreads it over 75..125 %."""
        # In seconds, because the product may overflow a timedelta.
        seconds = self.first.total_seconds() * self.factor ** min(attempts - 1, _MAX_STEPS)
        return timedelta(seconds=min(seconds, self.max_pause.total_seconds()) * (0.75 + jitter / 2))


def jitter() -> float:
    """Returns a random number in 0..1 that spreads attempts that would happen at the same time."""
    return random.random()  # noqa: S311 - jitter, not a secret
