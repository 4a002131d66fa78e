"""Queued work of every kind but deliveries: claims rows, runs their tasks, and handles failures."""

import asyncio
import random
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from carimbo.service.waiting import AT_ONCE, Backoff
from carimbo.storage import work
from carimbo.storage.connection import Connection, is_being_cancelled
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.queue import MAX_UNSUSPECTED, WORK_CHANNEL, claim_due, due_in
from carimbo.storage.work import Lease, LeaseLost, WorkKind
from carimbo.worker.claim_loop import Claims
from carimbo.worker.metrics import RECLAIMED, WORK_DONE
from carimbo.worker.tasks import Task

_log = structlog.get_logger("carimbo.worker")
# How much slow work may run without a slot; further work keeps its slots. Work that only waits costs little.
_MAX_SLOW = 1000
# Kinds in the order in which they get free slots. The caller of an event waits for its answer.
_ORDER = (
    WorkKind.EVENT,
    WorkKind.MANIFESTATION,
    WorkKind.DOCUMENT,
    WorkKind.INUTILIZATION,
    WorkKind.SUPERSEDED,
    WorkKind.PROBE,
    WorkKind.SALE,
    WorkKind.EMAIL,
    WorkKind.STREAM,
    WorkKind.RECEPTION,
    WorkKind.IMPORT,
)


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
class Slots:
    """How many rows a worker works on at once."""

    total: int
    batch: int
    """Maximum of rows that one statement claims."""
    slow_after: timedelta
    """Work that takes longer, for example with an authority that hangs, gives its slot to other work."""

    def free(self, kind: WorkKind, leases: Collection[Lease]) -> int:
        """Returns how many more rows of a kind may be claimed; one kind never gets all slots."""
        now, slow_after = time.monotonic(), self.slow_after.total_seconds()
        kinds = [lease.key.kind for lease in leases if now - lease.claimed_at < slow_after]
        too_slow = max(0, len(leases) - len(kinds) - _MAX_SLOW)
        of_kind = self.total - max(1, self.total // 5) - kinds.count(kind)
        return max(0, min(of_kind, self.total - len(kinds) - too_slow))


@dataclass(frozen=True)
class Advancer:
    """Claims due rows and runs their tasks: one task per row, even if workers or the database fail."""

    database: Database
    tasks: Mapping[WorkKind, Task]
    policy: RetryPolicy
    lease: timedelta
    slots: Slots
    _unfinished: set[WorkKind] = field(default_factory=set, repr=False)
    """Kinds that probably have more due rows than were claimed."""

    channel = WORK_CHANNEL

    async def claim(self, running: Collection[Lease], notified: Collection[str] | None) -> Claims[Lease]:
        """Claims due rows of the notified kinds, or of all kinds, while there are free slots."""
        kinds, soonest = {kind for kind in _ORDER if kind in (notified or ())} | self._unfinished, None
        if notified is not None and not kinds:
            return Claims(())
        async with self.database.connection() as connection:
            if notified is None:
                due = await due_in(connection)
                kinds |= {kind for kind, seconds in due.items() if seconds <= 0}
                soonest = min((seconds for seconds in due.values() if seconds > 0), default=None)
            claimed: list[Lease] = []
            for kind in _ORDER:
                if kind in kinds and kind in self.tasks:
                    claimed += await self._claim_kind(connection, kind, [*running, *claimed])
        return Claims(claimed, soonest)

    async def _claim_kind(
        self, connection: Connection, kind: WorkKind, running: Collection[Lease]
    ) -> list[Lease]:
        claimed: list[Lease] = []
        self._unfinished.add(kind)
        while wanted := min(self.slots.batch, self.slots.free(kind, held := [*running, *claimed])):
            # A suspect row may kill its worker, and with it all other running work. Suspects run one at a
            # time, so that harmless rows are not parked with them.
            with_suspect = not any(map(_is_suspect, held))
            leases = await claim_due(connection, kind, wanted, self.lease, with_suspect=with_suspect)
            claimed += leases
            RECLAIMED.labels(kind=kind.value).inc(sum(lease.attempts > 1 for lease in leases))
            # Less than half: no lane of the claim was full (see queue.py).
            if 2 * len(leases) < wanted:
                self._unfinished.discard(kind)
                break
        return claimed

    async def work(self, lease: Lease) -> None:
        """Runs the task of a claimed row. If nothing can be written, the lease expires by itself."""
        try:
            if self.policy.is_spent(lease.attempts - 1):
                # A row that kills its workers has been claimed this often without a result.
                await self._park(lease, "o worker caiu ou falhou em todas as tentativas")
            else:
                await self._run(lease)
        except LeaseLost:
            _log.warning("lease_lost", work=str(lease.key))
        except DatabaseUnavailable as error:
            _log.warning("work_interrupted", work=str(lease.key), reason=str(error))
            await self._release(lease)
        finally:
            if _is_suspect(lease):
                self._unfinished.add(lease.key.kind)

    async def _run(self, lease: Lease) -> None:
        renewal = _Renewal(self.database, lease, self.lease)
        try:
            await self.tasks[lease.key.kind](self.database, lease)
        except (LeaseLost, DatabaseUnavailable):
            raise
        except asyncio.CancelledError:
            renewal.stop()
            await self._hand_over(lease)
            raise
        except Exception as error:
            _log.error("work_failed", work=str(lease.key), attempts=lease.attempts, exc_info=error)
            renewal.stop()
            await self._after_failure(lease, error)
        else:
            WORK_DONE.labels(kind=lease.key.kind.value, outcome="done").inc()
        finally:
            renewal.stop()

    async def _release(self, lease: Lease) -> None:
        """Makes the row due at once; if the database can't be reached, the lease expires by itself."""
        with suppress(LeaseLost, DatabaseUnavailable):
            async with self.database.transaction() as connection:
                await work.postpone(connection, lease, AT_ONCE, progressed=True)

    async def _hand_over(self, lease: Lease) -> None:
        """Releases the row for another worker, because this one is being stopped.

        A cancellation that comes from the task itself counts as its failure; otherwise it would repeat
        forever.
        """
        with suppress(LeaseLost, DatabaseUnavailable):
            async with self.database.transaction() as connection:
                if is_being_cancelled():
                    await work.release(connection, lease)
                else:
                    await work.postpone(connection, lease, AT_ONCE, progressed=False)

    async def _after_failure(self, lease: Lease, error: Exception) -> None:
        WORK_DONE.labels(kind=lease.key.kind.value, outcome="failed").inc()
        if self.policy.is_spent(lease.attempts):
            await self._park(lease, repr(error))
            return
        delay = self.policy.delay(lease.attempts, random.random())  # noqa: S311 - jitter, not a secret
        async with self.database.transaction() as connection:
            await work.postpone(connection, lease, delay, progressed=False)

    async def _park(self, lease: Lease, reason: str) -> None:
        async with self.database.transaction() as connection:
            await work.park(connection, lease, reason)
        _log.error("work_parked", work=str(lease.key), attempts=lease.attempts, reason=reason)
        WORK_DONE.labels(kind=lease.key.kind.value, outcome="parked").inc()


def _is_suspect(lease: Lease) -> bool:
    """Returns whether the row was claimed several times before without a result."""
    return lease.attempts > MAX_UNSUSPECTED


class _Renewal:
    """Renews a lease until it is stopped. Most work ends before the first renewal, and starts no task.

    A lost lease is noticed when the outcome is written.
    """

    def __init__(self, database: Database, lease: Lease, duration: timedelta) -> None:
        self._database = database
        self._lease = lease
        self._duration = duration
        self._task: asyncio.Task[None] | None = None
        pause = duration.total_seconds() / 3
        self._timer = asyncio.get_running_loop().call_later(pause, self._start, pause)

    def stop(self) -> None:
        self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _start(self, pause: float) -> None:
        self._task = asyncio.create_task(self._renew_forever(pause))

    async def _renew_forever(self, pause: float) -> None:
        while True:
            with suppress(LeaseLost, DatabaseUnavailable):
                async with self._database.transaction() as connection:
                    await work.renew(connection, self._lease, self._duration)
            await asyncio.sleep(pause)
