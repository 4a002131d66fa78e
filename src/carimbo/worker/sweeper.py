"""Enqueues rows that are due, or will be soon, and have no job.

The rows are the truth; the queue only wakes workers.
"""

from datetime import timedelta

from carimbo.storage.database import Database
from carimbo.storage.jobs import delete_old_probes, enqueue_due, enqueue_upcoming, tidy
from carimbo.storage.work import WorkKind
from carimbo.worker.chores import repeat
from carimbo.worker.metrics import REQUEUED

_MAX_PER_SWEEP = 10_000
# Work that may wait for hours or weeks, without a job until shortly before it is due.
_WITHOUT_JOBS = (WorkKind.SALE, WorkKind.EMAIL)


async def sweep(database: Database, overdue: timedelta) -> int:
    """Enqueues rows that are due for longer than `overdue` and have no waiting job; returns how many."""
    count = 0
    for kind in WorkKind:
        async with database.connection() as connection:
            requeued = await enqueue_due(connection, kind, overdue, _MAX_PER_SWEEP)
        REQUEUED.labels(kind=kind.value).inc(requeued)
        count += requeued
    return count


async def enqueue_coming_work(database: Database, within: timedelta) -> None:
    """Enqueues rows that are due within a time, before the next sweep but one."""
    async with database.connection() as connection:
        for kind in _WITHOUT_JOBS:
            await enqueue_upcoming(connection, kind, within, _MAX_PER_SWEEP)


async def sweep_forever(database: Database, every: timedelta, keep_history: timedelta) -> None:
    """Sweeps and tidies up periodically until cancelled; a failure is repeated at the next sweep."""

    async def sweep_and_tidy() -> None:
        await sweep(database, overdue=every)
        await enqueue_coming_work(database, within=2 * every)
        async with database.connection() as connection:
            await tidy(connection, keep_history)
            await delete_old_probes(connection)

    await repeat(sweep_and_tidy, "sweep", every)
