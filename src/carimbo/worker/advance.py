"""Runs the task of one row: claims the row, renews its lease during the task, and releases it."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog

from carimbo.service.waiting import Backoff
from carimbo.storage import work
from carimbo.storage.connection import is_being_cancelled
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.jobs import IMMEDIATELY, enqueue
from carimbo.storage.work import Lease, LeaseLost, WorkKey, WorkKind
from carimbo.worker.metrics import WORK_DONE
from carimbo.worker.tasks import Task

_log = structlog.get_logger("carimbo.worker")
# How many slow tasks may continue outside the queue; further ones keep their places in it. Tasks that only
# wait cost little.
_MAX_ASIDE = 1000
# More attempts than this without a result make a row suspect of killing its worker.
_UNSUSPECTED = 2


@dataclass(frozen=True)
class RetryPolicy:
    """When failed work is tried again: growing pauses, and parking after too many failures in a row."""

    backoff: Backoff
    attempts_before_parking: int

    def is_spent(self, attempts: int) -> bool:
        """Returns whether this number of failures in a row parks the work."""
        return attempts >= self.attempts_before_parking

    def delay(self, attempts: int, jitter: float) -> timedelta:
        """Returns the pause after a number of attempts."""
        return self.backoff.pause(attempts, jitter)


@dataclass(frozen=True)
class Advancer:
    """Runs the tasks of rows: one task per row at a time, even if workers or the database fail."""

    database: Database
    tasks: Mapping[WorkKind, Task]
    policy: RetryPolicy
    lease: timedelta
    slow_after: timedelta
    _aside: set[asyncio.Task[None]] = field(default_factory=set, repr=False)
    _suspects: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def advance(self, key: WorkKey) -> timedelta | None:
        """Runs the task of a row if it is due; returns when to wake the row again, or None.

        Slow work continues outside the queue, under its lease, so that it does not block other jobs.
        """
        working = asyncio.create_task(self._claim_and_run(key))
        try:
            done, _ = await asyncio.wait({working}, timeout=self.slow_after.total_seconds())
        except asyncio.CancelledError:
            await _cancel({working})
            raise
        if done or len(self._aside) >= _MAX_ASIDE:
            return await working
        aside = asyncio.create_task(self._await_aside(key, working))
        self._aside.add(aside)
        aside.add_done_callback(self._aside.discard)
        return None

    async def finish(self) -> None:
        """Waits for the slow work that continues outside the queue."""
        if self._aside:
            await asyncio.wait(set(self._aside))

    async def give_back(self) -> None:
        """Cancels the slow work outside the queue, and leaves its rows to other workers."""
        await _cancel(set(self._aside))

    async def _await_aside(self, key: WorkKey, working: "asyncio.Task[timedelta | None]") -> None:
        """Waits for slow work and enqueues its row again; if that fails, the sweeper finds the row."""
        try:
            again_in = await working
            if again_in is not None:
                async with self.database.connection() as connection:
                    await enqueue(connection, key, again_in)
        except Exception as error:
            _log.warning("slow_work_failed", work=str(key), exc_info=error)

    async def _claim_and_run(self, key: WorkKey) -> timedelta | None:
        lease = await self._claim(key, _UNSUSPECTED)
        if lease is not None:
            return await self._run_unless_spent(lease)
        # Work that gave no result twice may have killed its worker, and with it all other running work. Such
        # rows run one at a time, so that harmless rows are not parked with them.
        async with self._suspects:
            lease = await self._claim(key)
            return await self._run_unless_spent(lease) if lease else None

    async def _claim(self, key: WorkKey, max_attempts: int | None = None) -> Lease | None:
        async with self.database.connection() as connection:
            return await work.claim(connection, key, self.lease, max_attempts)

    async def _run_unless_spent(self, lease: Lease) -> timedelta | None:
        # A row that kills its workers has been claimed this often without a result.
        if self.policy.is_spent(lease.attempts - 1):
            await self._park(lease, "o worker caiu ou falhou em todas as tentativas")
            return None
        return await self._run(lease)

    async def _run(self, lease: Lease) -> timedelta | None:
        try:
            async with self._kept_alive(lease):
                again_in = await self.tasks[lease.key.kind](self.database, lease)
        except LeaseLost:
            _log.warning("lease_lost", work=str(lease.key))
            return None
        except DatabaseUnavailable:
            await self._release(lease)
            raise
        except asyncio.CancelledError:
            await self._hand_over(lease)
            raise
        except Exception as error:
            _log.error("work_failed", work=str(lease.key), attempts=lease.attempts, exc_info=error)
            return await self._after_failure(lease, error)
        WORK_DONE.labels(kind=lease.key.kind.value, outcome="done").inc()
        return again_in

    async def _release(self, lease: Lease) -> None:
        """Makes the row due at once; if the database can't be reached, the lease expires by itself."""
        with suppress(LeaseLost, DatabaseUnavailable):
            async with self.database.transaction() as connection:
                await work.postpone(connection, lease, IMMEDIATELY, progressed=True)

    async def _hand_over(self, lease: Lease) -> None:
        """Releases the row and wakes another worker for it, because this one is being stopped.

        A cancellation that comes from the task itself counts as its failure; otherwise it would repeat
        forever.
        """
        with suppress(LeaseLost, DatabaseUnavailable):
            async with self.database.transaction() as connection:
                if is_being_cancelled():
                    await work.release(connection, lease)
                else:
                    await work.postpone(connection, lease, IMMEDIATELY, progressed=False)
                await enqueue(connection, lease.key)

    async def _after_failure(self, lease: Lease, error: Exception) -> timedelta | None:
        WORK_DONE.labels(kind=lease.key.kind.value, outcome="failed").inc()
        if self.policy.is_spent(lease.attempts):
            await self._park(lease, repr(error))
            return None
        delay = self.policy.delay(lease.attempts, random.random())  # noqa: S311 - jitter, not a secret
        with suppress(LeaseLost):
            async with self.database.transaction() as connection:
                await work.postpone(connection, lease, delay, progressed=False)
        return delay

    async def _park(self, lease: Lease, reason: str) -> None:
        with suppress(LeaseLost):
            async with self.database.transaction() as connection:
                await work.park(connection, lease, reason)
            _log.error("work_parked", work=str(lease.key), attempts=lease.attempts, reason=reason)
            WORK_DONE.labels(kind=lease.key.kind.value, outcome="parked").inc()

    @asynccontextmanager
    async def _kept_alive(self, lease: Lease) -> AsyncIterator[None]:
        """Renews the lease during the work; a lost lease is noticed when the outcome is written."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(self.lease.total_seconds() / 3)
                with suppress(LeaseLost, DatabaseUnavailable):
                    async with self.database.transaction() as connection:
                        await work.renew(connection, lease, self.lease)

        renewal = asyncio.create_task(renew())
        try:
            yield
        finally:
            renewal.cancel()


async def _cancel(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits until they have ended."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
