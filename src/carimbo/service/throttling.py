"""Refuses an action that happens too often."""

import math
from uuid import UUID

from carimbo.service.errors import ErrorCode, Refusal
from carimbo.storage.database import Database
from carimbo.storage.rate_limits import Rate, admit


async def require_admitted(database: Database, key: UUID, rate: Rate) -> None:
    """Counts one use of a key. Above the rate, raises a refusal with the seconds to wait."""
    async with database.connection() as connection:
        wait = await admit(connection, key, rate)
    if wait is not None:
        raise Refusal(ErrorCode.RATE_LIMIT_EXCEEDED, retryAfter=max(1, math.ceil(wait.total_seconds())))
