"""Consumes the queue, sweeps, and reconnects when the database was lost."""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import structlog

from carimbo.storage.database import DatabaseUnavailable
from carimbo.storage.jobs import consume
from carimbo.storage.options import QueueOptions
from carimbo.worker.advance import Advancer
from carimbo.worker.sweeper import sweep_forever

_log = structlog.get_logger("carimbo.worker")


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
