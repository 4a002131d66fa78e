"""A database and the workers on it, for the tests of this folder."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg

from carimbo.service.maintenance import conclude_probe
from carimbo.service.waiting import Backoff
from carimbo.storage.database import Database
from carimbo.storage.probes import add_probe, answer_probe
from carimbo.storage.work import Lease, WorkKey, WorkKind, conclude
from carimbo.worker.advance import Advancer, RetryPolicy, Slots
from carimbo.worker.claim_loop import ClaimLoop, LoopOptions
from carimbo.worker.run import run_worker
from carimbo.worker.tasks import Task
from support import ALL_ANSWERED, TIMEOUT_SECONDS, wait_until_true

NEVER = timedelta(hours=1)
AT_ONCE = timedelta(0)


def milliseconds(number: int) -> timedelta:
    return timedelta(milliseconds=number)


QUICK = LoopOptions(poll=milliseconds(100), reconnect_after=milliseconds(50), grace=NEVER)
SLOTS = Slots(total=20, batch=10, slow_after=NEVER)
POLICY = RetryPolicy(Backoff(milliseconds(40), milliseconds(80)), attempts_before_parking=3)


@dataclass(frozen=True)
class Site:
    """A separate database for each test file, and helpers for its work."""

    url: str
    database: Database

    def advancer(
        self, task: Task = conclude_probe, lease: timedelta = NEVER, slots: Slots = SLOTS
    ) -> Advancer:
        return Advancer(self.database, {WorkKind.PROBE: task}, POLICY, lease, slots)

    async def add(self, count: int) -> list[WorkKey]:
        async with self.database.transaction() as connection:
            return [await add_probe(connection) for _ in range(count)]

    async def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        async with self.database.connection() as connection:
            return await connection.fetch(query, *arguments)

    async def row_of(self, key: WorkKey) -> dict[str, Any]:
        (row,) = await self.fetch("select * from probes where id = $1", key.id)
        return dict(row)

    async def until(self, condition: str) -> None:
        await wait_until_true(self.fetch, condition, TIMEOUT_SECONDS)

    async def until_all_answered(self) -> None:
        await self.until(ALL_ANSWERED)

    @asynccontextmanager
    async def worker(
        self,
        advancer: Advancer | None = None,
        options: LoopOptions = QUICK,
        chores: Iterable[Coroutine[Any, Any, None]] = (),
    ) -> AsyncIterator["asyncio.Task[None]"]:
        """Runs a worker for the length of a block; it must stop when it is cancelled."""
        loop = ClaimLoop(self.url, advancer or self.advancer(), options)
        worker = asyncio.create_task(run_worker(loop, chores))
        try:
            yield worker
        finally:
            worker.cancel()
            await asyncio.wait({worker}, timeout=TIMEOUT_SECONDS)
            assert worker.done()


async def until_the_end(ended: asyncio.Event) -> None:
    """A chore that waits until it is cancelled, and then sets the event."""
    try:
        await asyncio.Event().wait()
    finally:
        ended.set()


async def until_logged(logs: Sequence[Mapping[str, Any]], event: str, times: int) -> None:
    """Waits until an event was logged that many times."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while sum(line["event"] == event for line in logs) < times:  # noqa: ASYNC110 - a log has no event
            await asyncio.sleep(0.01)


def recording(who: str, before: Callable[[], Awaitable[Any]] | None = None) -> Task:
    """Returns a task that answers its probe and writes an outcome, in one transaction."""

    async def task(database: Database, lease: Lease) -> None:
        if before is not None:
            await before()
        async with database.transaction() as connection:
            await connection.execute("insert into outcomes values ($1, $2)", lease.key.id, who)
            await answer_probe(connection, lease.key.id)
            await conclude(connection, lease)

    return task


def failing(error: BaseException, times: int | None = None) -> tuple[Task, list[float]]:
    """Returns a task that raises that many times (or always), and the times of its attempts."""
    tried: list[float] = []

    async def task(database: Database, lease: Lease) -> None:
        tried.append(time.monotonic())
        if times is None or len(tried) <= times:
            raise error
        await conclude_probe(database, lease)

    return task, tried


async def outcomes(site: Site) -> Counter[UUID]:
    return Counter(row["probe_id"] for row in await site.fetch("select probe_id from outcomes"))
