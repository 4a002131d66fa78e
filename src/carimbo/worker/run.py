"""The worker process: consume the queue, sweep, and start anew when the database went away."""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import structlog

from carimbo.storage.database import DatabaseUnavailable
from carimbo.storage.jobs import QueueOptions, consume
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
    """Work until `stop` is set, with chores beside it; what is under way is finished first."""
    sweeping = sweep_forever(advancer.database, sweep_every, keep_history)
    beside = [asyncio.create_task(chore) for chore in (sweeping, *chores)]
    ending = asyncio.create_task(_cancel_at(stop, beside))
    _log.info("worker_started", kinds=[kind.value for kind in advancer.tasks])
    try:
        await _consume_forever(url, advancer, options, reconnect_after, stop)
        await advancer.finish()
    finally:
        await advancer.give_back()
        # Told by `ending`, and once: a chore that is told twice leaves what it is finishing.
        stop.set()
        await ending
        await asyncio.wait(beside)
        _log.info("worker_stopped")


async def _cancel_at(stop: asyncio.Event, chores: Iterable[asyncio.Task[None]]) -> None:
    """Let chores end beside the work under way: some have work of their own to finish."""
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
            # PgQueuer ends its run in many ways when PostgreSQL restarts; a worker must outlive them all.
            _log.error("queue_failed", exc_info=error)
        if not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), reconnect_after.total_seconds())
