"""Consumes the queue, sweeps, and reconnects when the database was lost.

The sweeper enqueues rows that are due, or will be soon, and have no job: the rows are the truth, and the
queue only wakes workers.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import structlog

from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.jobs import consume, delete_old_probes, enqueue_due, enqueue_upcoming, tidy
from carimbo.storage.options import QueueOptions
from carimbo.storage.work import WorkKind
from carimbo.worker.advance import Advancer
from carimbo.worker.chores import repeat
from carimbo.worker.metrics import REQUEUED

_log = structlog.get_logger("carimbo.worker")
_MAX_PER_SWEEP = 10_000
# Work that may wait for hours or weeks, without a job until shortly before it is due.
_WITHOUT_JOBS = (WorkKind.SALE, WorkKind.EMAIL)


async def run_worker(
    url: str,
    advancer: Advancer,
    options: QueueOptions,
    sweep_every: timedelta,
    keep_history: timedelta,
    reconnect_after: timedelta,
    stop: asyncio.Event,
    chores: Iterable[Coroutine[Any, Any, None]] = (),
) -> None:
    """Works until `stop` is set, with chores beside the queue; running work is finished first."""
    sweeping = sweep_forever(advancer.database, sweep_every, keep_history)
    beside = [asyncio.create_task(chore) for chore in (sweeping, *chores)]
    ending = asyncio.create_task(_cancel_at(stop, beside))
    _log.info("worker_started", kinds=[kind.value for kind in advancer.tasks])
    try:
        await _consume_forever(url, advancer, options, reconnect_after, stop)
        await advancer.finish()
    finally:
        await advancer.give_back()
        # `ending` cancels the chores, once: a second cancellation would interrupt what they are finishing.
        stop.set()
        await ending
        await asyncio.wait(beside)
        _log.info("worker_stopped")


async def _cancel_at(stop: asyncio.Event, chores: Iterable[asyncio.Task[None]]) -> None:
    """Cancels the chores at the stop; some have work of their own to finish."""
    await stop.wait()
    for chore in chores:
        chore.cancel()


async def _consume_forever(
    url: str, advancer: Advancer, options: QueueOptions, reconnect_after: timedelta, stop: asyncio.Event
) -> None:
    handlers = dict.fromkeys(advancer.tasks, advancer.advance)
    while not stop.is_set():
        try:
            await consume(url, handlers, options, stop)
        except DatabaseUnavailable as error:
            _log.warning("queue_lost", reason=str(error))
        except Exception as error:
            # PgQueuer fails in many ways when PostgreSQL restarts; the worker must survive all of them.
            _log.error("queue_failed", exc_info=error)
        if not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), reconnect_after.total_seconds())


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
    """Sweeps and tidies up periodically until cancelled; after a failure, the next sweep tries again."""

    async def sweep_and_tidy() -> None:
        await sweep(database, overdue=every)
        await enqueue_coming_work(database, within=2 * every)
        async with database.connection() as connection:
            await tidy(connection, keep_history)
            await delete_old_probes(connection)

    await repeat(sweep_and_tidy, "sweep", every)
