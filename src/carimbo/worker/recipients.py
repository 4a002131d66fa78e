"""Fills the recipient columns of earlier documents, until all of them have theirs."""

import asyncio
from datetime import timedelta

from carimbo.storage.database import Database
from carimbo.storage.recipient_filling import fill_recipients
from carimbo.worker.chores import repeat

# Leaves the database to callers most of the time.
_PAUSE = timedelta(seconds=1)


async def fill_recipients_forever(database: Database, pause: timedelta = _PAUSE) -> None:
    """Fills batch after batch; once nothing is left, an hourly look costs next to nothing."""

    async def fill() -> None:
        has_more = True
        while has_more:
            async with database.transaction() as connection:
                has_more = await fill_recipients(connection)
            await asyncio.sleep(pause.total_seconds())

    await repeat(fill, "recipients")
