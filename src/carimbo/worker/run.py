"""Runs a worker: the loop of queued work, and chores beside it."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any

import structlog

from carimbo.storage.work import Lease
from carimbo.worker.claim_loop import ClaimLoop

_log = structlog.get_logger("carimbo.worker")


async def run_worker(loop: ClaimLoop[Lease], chores: Iterable[Coroutine[Any, Any, None]] = ()) -> None:
    """Works until cancelled, and finishes running work then; a second cancellation gives it back at once."""
    working = asyncio.create_task(loop.run())
    tasks = {working, *(asyncio.create_task(chore) for chore in chores)}
    _log.info("worker_started")
    try:
        await asyncio.wait({working})
    finally:
        # Chores are cancelled only once: a second cancellation would interrupt what they are finishing.
        for task in tasks:
            task.cancel()
        try:
            await asyncio.wait(tasks)
        except asyncio.CancelledError:
            working.cancel()
            await asyncio.wait(tasks)
        _log.info("worker_stopped")
    working.result()
