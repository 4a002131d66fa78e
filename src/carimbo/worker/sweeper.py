"""Puts into the queue whatever is due, or soon will be, and has no job.

The rows are the truth, the queue only wakes.
"""

from datetime import timedelta

from carimbo.storage.database import Database
from carimbo.storage.jobs import enqueue_coming, enqueue_due, tidy
from carimbo.storage.probes import forget_probes
from carimbo.storage.work import WorkKind
from carimbo.worker.chores import repeat
from carimbo.worker.metrics import REQUEUED

_MOST_PER_SWEEP = 10_000
# What may wait for hours or weeks, and has no job meanwhile.
_WITHOUT_JOBS = (WorkKind.SALE, WorkKind.EMAIL)


async def sweep(database: Database, overdue: timedelta) -> int:
    """Enqueue every row that has been due for longer than `overdue`; one whose job waits is skipped."""
    count = 0
    for kind in WorkKind:
        async with database.connection() as connection:
            requeued = await enqueue_due(connection, kind, overdue, _MOST_PER_SWEEP)
        REQUEUED.labels(kind=kind.value).inc(requeued)
        count += requeued
    return count


async def announce(database: Database, within: timedelta) -> None:
    """Put into the queue what comes due before the next sweep but one."""
    async with database.connection() as connection:
        for kind in _WITHOUT_JOBS:
            await enqueue_coming(connection, kind, within, _MOST_PER_SWEEP)


async def sweep_forever(database: Database, every: timedelta, keep_history: timedelta) -> None:
    """Sweep and tidy up until cancelled; after any failure the next sweep tries again."""

    async def tend() -> None:
        await sweep(database, overdue=every)
        await announce(database, within=2 * every)
        async with database.connection() as connection:
            await tidy(connection, keep_history)
            await forget_probes(connection)

    await repeat(tend, "sweep", every)
