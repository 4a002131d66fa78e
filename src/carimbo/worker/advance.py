"""Advances one row: claim it, work on it under a lease that is kept alive, let go of it."""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

import structlog

from carimbo.storage import work
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.work import Lease, LeaseLost, WorkKey, WorkKind
from carimbo.worker.metrics import WORK_DONE
from carimbo.worker.retry import RetryPolicy
from carimbo.worker.tasks import Task

_log = structlog.get_logger("carimbo.worker")


@dataclass(frozen=True)
class Advancer:
    """Runs the task of a row's kind, once, safely."""

    database: Database
    tasks: Mapping[WorkKind, Task]
    policy: RetryPolicy
    lease: timedelta

    async def advance(self, key: WorkKey) -> timedelta | None:
        """Do what is due for a row; tells the queue when to wake us again, if need be."""
        async with self.database.transaction() as connection:
            lease = await work.claim(connection, key, self.lease)
        if lease is None:
            return None
        # A row that killed its workers was claimed that often without ever coming back.
        if self.policy.is_spent(lease.attempts - 1):
            await self._park(lease, "the worker died or failed at every attempt")
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
            raise
        except Exception as error:
            _log.error("work_failed", work=str(lease.key), attempts=lease.attempts, exc_info=error)
            return await self._after_failure(lease, error)
        WORK_DONE.labels(kind=lease.key.kind.value, outcome="done").inc()
        return again_in

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
