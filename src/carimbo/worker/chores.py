"""What a worker does beside the queue, over and over."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import structlog

from carimbo.storage.database import DatabaseUnavailable

_log = structlog.get_logger("carimbo.worker")
HOURLY = timedelta(hours=1)


async def repeat(chore: Callable[[], Awaitable[None]], name: str, every: timedelta = HOURLY) -> None:
    """Do a chore until cancelled; one that fails is done again the next time."""
    while True:
        try:
            await chore()
        except DatabaseUnavailable as error:
            _log.warning("chore_failed", chore=name, reason=str(error))
        except Exception as error:
            # A deadlock, a schema not migrated yet: a chore that ended would be missed in silence.
            _log.error("chore_failed", chore=name, exc_info=error)
        await asyncio.sleep(every.total_seconds())
