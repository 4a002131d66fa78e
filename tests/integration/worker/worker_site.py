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
from carimbo.storage.jobs import add_probe, answer_probe
from carimbo.storage.options import QueueOptions
from carimbo.storage.work import Lease, WorkKey, WorkKind, conclude
from carimbo.worker.advance import Advancer, RetryPolicy
from carimbo.worker.run import run_worker
from carimbo.worker.tasks import Task
from support import ALL_ANSWERED, TIMEOUT_SECONDS, wait_until_true

NEVER = timedelta(hours=1)
AT_ONCE = timedelta(0)


def milliseconds(number: int) -> timedelta:
    return timedelta(milliseconds=number)


QUICK = QueueOptions(
    batch_size=10,
    concurrency=20,
    heartbeat_timeout=timedelta(seconds=2),
    poll_interval=milliseconds(100),
    error_delay=milliseconds(50),
)
POLICY = RetryPolicy(Backoff(milliseconds(40), milliseconds(80)), attempts_before_parking=3)


@dataclass(frozen=True)
class Site:
    """A separate database for each test file, and helpers for its work."""

    url: str
    database: Database

    def advancer(
        self, task: Task = conclude_probe, lease: timedelta = NEVER, slow_after: timedelta = NEVER
    ) -> Advancer:
        return Advancer(self.database, {WorkKind.PROBE: task}, POLICY, lease, slow_after)

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
        options: QueueOptions = QUICK,
        sweep_every: timedelta = NEVER,
        chores: Iterable[Coroutine[Any, Any, None]] = (),
    ) -> AsyncIterator["Running"]:
        """Runs a worker for the length of a block; it must stop on request."""
        stop = asyncio.Event()
        worker = asyncio.create_task(
            run_worker(
                self.url,
                advancer or self.advancer(),
                options,
                sweep_every=sweep_every,
                keep_history=timedelta(days=7),
                reconnect_after=milliseconds(50),
                stop=stop,
                chores=chores,
            )
        )
        try:
            yield Running(worker, stop)
        finally:
            stop.set()
            await asyncio.wait_for(worker, TIMEOUT_SECONDS)


@dataclass(frozen=True)
class Running:
    """A running worker, and the event that stops it."""

    worker: asyncio.Task[None]
    stop: asyncio.Event


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
