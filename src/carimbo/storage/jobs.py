"""The queue that wakes workers. It carries row keys only; losing all of it loses nothing (see work.py)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import asyncpg
from pgqueuer import PgQueuer, RetryRequested
from pgqueuer.models import Job

from carimbo.storage.connection import Connection, connecting, unavailable_is_told
from carimbo.storage.work import PRIORITIES, TABLES, WorkKey, WorkKind

AT_ONCE = timedelta(0)
# What a handler answers: None when the row needs no more waking, else when to wake it again.
Handler = Callable[[WorkKey], Awaitable[timedelta | None]]


@dataclass(frozen=True)
class QueueOptions:
    """How a worker takes jobs; every wait is here so that tests can shorten it."""

    batch_size: int
    concurrency: int
    heartbeat_timeout: timedelta
    poll_interval: timedelta
    error_delay: timedelta


def job_added(kind: WorkKind, of: str, after: str = "interval '0'") -> str:
    """SQL that wakes a worker for rows of a kind, in the statement that makes them: both exist or neither.

    A row that has a live job needs no other. Its token is part of what makes a job new: that of work just
    concluded may still be there when more is to be done. PgQueuer's own statement takes a round trip more,
    and writes a line of history that nobody reads. Triggers have the same statement in `wake_worker`: as no
    migration is edited once it has been applied, a change here needs one that replaces that function.
    """
    return f"""
        insert into pgqueuer (status, entrypoint, priority, payload, dedupe_key, execute_after)
        select 'queued', '{kind}', {PRIORITIES[kind]}, convert_to(key, 'UTF8'), key || ':' || lease_token,
            now() + ({after})
        from {of}, lateral (select '{kind}:' || subscription_id || ':' || id as key) as named
        on conflict (dedupe_key) where status in ('queued', 'picked') and dedupe_key is not null do nothing
    """


def job_hastened(kind: WorkKind, of: str) -> str:
    """SQL that lets jobs of rows that wait for later begin now."""
    return f"""
        update pgqueuer set execute_after = now() from {of}
        where dedupe_key = '{kind}:' || {of}.subscription_id || ':' || {of}.id || ':' || {of}.lease_token
            and pgqueuer.status = 'queued'
    """


async def enqueue(connection: Connection, key: WorkKey, after: timedelta = AT_ONCE) -> bool:
    """Wake a worker for a row, now or later; tells whether there is a new job."""
    row = f"(select * from {key.table} where subscription_id = $1 and id = $2) as row"
    added = await connection.execute(
        job_added(key.kind, row, "$3::interval"), key.subscription_id, key.id, after
    )
    return _count(added) > 0


async def enqueue_due(connection: Connection, kind: WorkKind, overdue: timedelta, most: int) -> int:
    """Wake workers for rows that should have been worked on and that nobody holds, oldest first.

    The order is total: two that enqueue the same rows in different orders would deadlock.
    """
    due = f"""(
        select * from {TABLES[kind]}
        where next_action_at <= now() - $1::interval and (lease_until is null or lease_until <= now())
        order by next_action_at, subscription_id, id limit $2
    ) as due"""
    return _count(await connection.execute(job_added(kind, due), overdue, most))


async def enqueue_coming(connection: Connection, kind: WorkKind, within: timedelta, most: int) -> int:
    """Have workers woken on time for rows that come due soon.

    Rows that wait for weeks have no job until then: every job that is taken is looked for among all others.
    """
    coming = f"""(
        select * from {TABLES[kind]} where next_action_at between now() and now() + $1::interval
        order by next_action_at, subscription_id, id limit $2
    ) as coming"""
    return _count(await connection.execute(job_added(kind, coming, "next_action_at - now()"), within, most))


def _count(command: str) -> int:
    """How many rows a statement touched: the last word of what PostgreSQL calls it."""
    return int(command.rsplit(" ", 1)[1])


async def tidy(connection: Connection, keep_history: timedelta) -> None:
    """Forget the log and statistics of long ago, which grow without end otherwise, and the queue's dead rows.

    Every job leaves some, and the next ones are found among them: PostgreSQL by itself cleans up too seldom.
    """
    for table in ("pgqueuer_log", "pgqueuer_statistics"):
        await connection.execute(f"delete from {table} where created < now() - $1::interval", keep_history)
    await connection.execute("vacuum pgqueuer")


async def consume(
    url: str, handlers: Mapping[WorkKind, Handler], options: QueueOptions, stop: asyncio.Event
) -> None:
    """Work until told to stop; raises when connection or listener is lost, for the caller to start anew."""
    with connecting():
        connection = await asyncpg.connect(url)
    try:
        queue = PgQueuer.from_asyncpg_connection(connection)
        for kind, handler in handlers.items():
            queue.entrypoint(kind.value, on_failure="hold")(_entrypoint(handler, options.error_delay))
        await _run_until(queue, stop, options)
    finally:
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await connection.close(timeout=5)


def _entrypoint(handler: Handler, error_delay: timedelta) -> Callable[[Job], Awaitable[None]]:
    """Turn a handler into a queue entrypoint that never loses its job: PgQueuer drops one that raises."""

    async def run(job: Job) -> None:
        key = WorkKey.parse((job.payload or b"").decode())
        try:
            again_in = await handler(key)
        except Exception as error:
            raise RetryRequested(error_delay, reason=repr(error)) from error
        if again_in is not None:
            raise RetryRequested(again_in)

    return run


async def _run_until(queue: PgQueuer, stop: asyncio.Event, options: QueueOptions) -> None:
    async def pass_stop_on() -> None:
        await stop.wait()
        queue.shutdown.set()

    stopper = asyncio.create_task(pass_stop_on())
    try:
        with unavailable_is_told():
            await queue.run(
                dequeue_timeout=options.poll_interval,
                batch_size=options.batch_size,
                max_concurrent_tasks=options.concurrency,
                heartbeat_timeout=options.heartbeat_timeout,
                shutdown_on_listener_failure=True,
            )
    finally:
        stopper.cancel()
