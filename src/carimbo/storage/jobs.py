"""The queue that wakes workers. It carries row keys only; losing all of it loses nothing (see work.py)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

import asyncpg
from pgqueuer import PgQueuer, RetryRequested
from pgqueuer.models import Job
from pgqueuer.queries import Queries

from carimbo.storage.connection import Connection, connecting, unavailable_is_told
from carimbo.storage.work import WorkKey, WorkKind

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


async def enqueue(
    connection: Connection,
    key: WorkKey,
    *,
    priority: int = 0,
    token: int = 0,
    after: timedelta | None = None,
) -> bool:
    """Wake a worker for a row, in the caller's transaction: the job exists if and only if the row does.

    Tells whether there is a new job; a row that has a live one needs no other. The row's token is part of
    what makes a job new: that of work just concluded may still be there when more is to be done.
    """
    added = await Queries.from_asyncpg_connection(connection).enqueue(
        key.kind.value, str(key).encode(), priority, after, f"{key}:{token}", on_conflict="skip"
    )
    return added != [None]


async def prune_history(connection: Connection, keep: timedelta) -> None:
    """Delete the queue's own log and statistics older than `keep`; they grow without end otherwise."""
    await connection.execute("delete from pgqueuer_log where created < now() - $1::interval", keep)
    await connection.execute("delete from pgqueuer_statistics where created < now() - $1::interval", keep)


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
