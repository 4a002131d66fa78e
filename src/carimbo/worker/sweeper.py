"""Puts back into the queue whatever is due and has no job: the rows are the truth, the queue only wakes."""

import asyncio
from datetime import timedelta

import structlog

from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.jobs import enqueue, prune_history
from carimbo.storage.probes import forget_probes
from carimbo.storage.work import WorkKind, due_keys
from carimbo.worker.metrics import REQUEUED

_log = structlog.get_logger("carimbo.worker")
_MOST_PER_SWEEP = 1000


async def sweep(database: Database, overdue: timedelta) -> int:
    """Enqueue every row that has been due for longer than `overdue`; one with a live job is skipped."""
    count = 0
    for kind in WorkKind:
        async with database.transaction() as connection:
            keys = await due_keys(connection, kind, overdue, _MOST_PER_SWEEP)
            requeued = [key for key in keys if await enqueue(connection, key)]
        REQUEUED.labels(kind=kind.value).inc(len(requeued))
        count += len(requeued)
    return count


async def sweep_forever(database: Database, every: timedelta, keep_history: timedelta) -> None:
    """Sweep and tidy up until cancelled; after any failure the next sweep tries again."""
    while True:
        try:
            await sweep(database, overdue=every)
            async with database.transaction() as connection:
                await prune_history(connection, keep_history)
                await forget_probes(connection)
        except DatabaseUnavailable as error:
            _log.warning("sweep_failed", reason=str(error))
        except Exception as error:
            # A deadlock, a schema not migrated yet: without its sweeper a worker would lose rows in silence.
            _log.error("sweep_failed", exc_info=error)
        await asyncio.sleep(every.total_seconds())
