"""How long callers wait for what others do in the meantime."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

T = TypeVar("T")
_FIRST_LOOK_SECONDS = 0.02
_SLOWEST_LOOK_SECONDS = 0.5


async def once(
    is_so: Callable[[T], bool], found: T, patience: timedelta, look: Callable[[], Awaitable[T | None]]
) -> T:
    """What is found once it is so, or when the patience is over; more and more seldom is it looked at."""
    pause = _FIRST_LOOK_SECONDS
    end = asyncio.get_running_loop().time() + patience.total_seconds()
    while not is_so(found) and asyncio.get_running_loop().time() < end:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _SLOWEST_LOOK_SECONDS)
        found = await look() or found
    return found
