"""Advances one row: claim it, work on it under a lease that is kept alive, let go of it."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog

from carimbo.storage import work
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.jobs import AT_ONCE, enqueue
from carimbo.storage.work import Lease, LeaseLost, WorkKey, WorkKind
from carimbo.worker.metrics import WORK_DONE
from carimbo.worker.retry import RetryPolicy
from carimbo.worker.tasks import Task

_log = structlog.get_logger("carimbo.worker")
# Coroutines that only wait cost little; beyond so many, those who wait hold their places after all.
_MOST_ASIDE = 1000
_UNSUSPECTED = 2


@dataclass(frozen=True)
class Advancer:
    """Runs the task of a row's kind, once, safely."""

    database: Database
    tasks: Mapping[WorkKind, Task]
    policy: RetryPolicy
    lease: timedelta
    patience: timedelta
    _aside: set[asyncio.Task[None]] = field(default_factory=set, repr=False)
    _suspects: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def advance(self, key: WorkKey) -> timedelta | None:
        """Do what is due for a row; tells the queue when to wake us again, if need be.

        Work that takes long goes on by itself under its lease: whoever waits in the queue gets its place.
        """
        work_on_it = asyncio.create_task(self._advance(key))
        try:
            done, _ = await asyncio.wait({work_on_it}, timeout=self.patience.total_seconds())
        except asyncio.CancelledError:
            await _cancel({work_on_it})
            raise
        if done or len(self._aside) >= _MOST_ASIDE:
            return await work_on_it
        aside = asyncio.create_task(self._see_to_it(key, work_on_it))
        self._aside.add(aside)
        aside.add_done_callback(self._aside.discard)
        return None

    async def finish(self) -> None:
        """Wait for the work that went aside."""
        if self._aside:
            await asyncio.wait(set(self._aside))

    async def give_back(self) -> None:
        """Leave the work that went aside to other workers, for there is no time left to wait for it."""
        await _cancel(set(self._aside))

    async def _see_to_it(self, key: WorkKey, work_on_it: "asyncio.Task[timedelta | None]") -> None:
        """Wait for work that left its place; should this fail, the sweeper finds the row."""
        try:
            again_in = await work_on_it
            if again_in is not None:
                async with self.database.connection() as connection:
                    await enqueue(connection, key, again_in)
        except Exception as error:
            _log.warning("slow_work_failed", work=str(key), exc_info=error)

    async def _advance(self, key: WorkKey) -> timedelta | None:
        lease = await self._claim(key, _UNSUSPECTED)
        if lease is not None:
            return await self._begin(lease)
        # Work that did not come back twice may have killed its worker, and with it all that was under way:
        # one at a time, so that the others are not parked with it.
        async with self._suspects:
            lease = await self._claim(key)
            return await self._begin(lease) if lease else None

    async def _claim(self, key: WorkKey, most_attempts: int | None = None) -> Lease | None:
        async with self.database.connection() as connection:
            return await work.claim(connection, key, self.lease, most_attempts)

    async def _begin(self, lease: Lease) -> timedelta | None:
        # A row that killed its workers was claimed that often without ever coming back.
        if self.policy.is_spent(lease.attempts - 1):
            await self._park(lease, "o trabalhador caiu ou falhou em todas as tentativas")
            return None
        return await self._work(lease)

    async def _work(self, lease: Lease) -> timedelta | None:
        try:
            async with self._kept_alive(lease):
                again_in = await self.tasks[lease.key.kind](self.database, lease)
        except LeaseLost:
            _log.warning("lease_lost", work=str(lease.key))
            return None
        except DatabaseUnavailable:
            await self._let_go(lease)
            raise
        except asyncio.CancelledError:
            await self._hand_over(lease)
            raise
        except Exception as error:
            _log.error("work_failed", work=str(lease.key), attempts=lease.attempts, exc_info=error)
            return await self._after_failure(lease, error)
        WORK_DONE.labels(kind=lease.key.kind.value, outcome="done").inc()
        return again_in

    async def _let_go(self, lease: Lease) -> None:
        """Leave the row to whoever comes next, if the database can be reached; else the lease ends."""
        with suppress(LeaseLost, DatabaseUnavailable):
            async with self.database.transaction() as connection:
                await work.postpone(connection, lease, AT_ONCE, progressed=True)

    async def _hand_over(self, lease: Lease) -> None:
        """Wake another worker for the row, as we are being stopped: it waits for no lease and no sweeper.

        A cancellation that nobody asked for is the row's own failure, or it would come round for ever.
        """
        with suppress(LeaseLost, DatabaseUnavailable):
            async with self.database.transaction() as connection:
                if _is_told_to_stop():
                    await work.give_back(connection, lease)
                else:
                    await work.postpone(connection, lease, AT_ONCE, progressed=False)
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
        """Renew the lease while the work goes on; a lost lease shows when the outcome is written."""

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


def _is_told_to_stop() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def _cancel(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and wait until they have let go of what they hold."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
