"""The queue that wakes workers.

A job has the key of a row and nothing else, so losing the whole queue loses nothing (see work.py).
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from uuid import UUID

import asyncpg
from pgqueuer import PgQueuer, RetryRequested
from pgqueuer.models import Job

from carimbo.storage.connection import Connection, connecting, translated_errors
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.options import QueueOptions
from carimbo.storage.work import PRIORITIES, TABLES, WorkKey, WorkKind

IMMEDIATELY = timedelta(0)
# Returns None if the row needs no further job, else the time after which its next job is due.
Handler = Callable[[WorkKey], Awaitable[timedelta | None]]


def insert_job_sql(kind: WorkKind, of: str, after: str = "interval '0'") -> str:
    """Returns SQL that inserts jobs for the rows of `of`, in the statement that makes the rows due.

    So rows and jobs exist together or not at all. A row that has a job already gets no second one. The lease
    token is part of the dedupe key, because the job of work that was just concluded may still be there when
    there is new work. PgQueuer's own statement takes one round trip more, and writes a history that nobody
    reads. Triggers have the same statement in the SQL function `wake_worker`; a change here needs a migration
    that replaces it.
    """
    return f"""
        insert into pgqueuer (status, entrypoint, priority, payload, dedupe_key, execute_after)
        select 'queued', '{kind}', {PRIORITIES[kind]}, convert_to(key, 'UTF8'), key || ':' || lease_token,
            now() + ({after})
        from {of}, lateral (select '{kind}:' || subscription_id || ':' || id as key) as named
        on conflict (dedupe_key) where status in ('queued', 'picked') and dedupe_key is not null do nothing
    """


def hasten_job_sql(kind: WorkKind, of: str) -> str:
    """Returns SQL that makes the waiting jobs of the rows of `of` due now."""
    return f"""
        update pgqueuer set execute_after = now() from {of}
        where dedupe_key = '{kind}:' || {of}.subscription_id || ':' || {of}.id || ':' || {of}.lease_token
            and pgqueuer.status = 'queued'
    """


async def enqueue(connection: Connection, key: WorkKey, after: timedelta = IMMEDIATELY) -> bool:
    """Inserts a job for a row, due now or later; returns whether the job is new."""
    row = f"(select * from {key.table} where subscription_id = $1 and id = $2) as row"
    added = await connection.execute(
        insert_job_sql(key.kind, row, "$3::interval"), key.subscription_id, key.id, after
    )
    return _count(added) > 0


async def enqueue_due(connection: Connection, kind: WorkKind, overdue: timedelta, limit: int) -> int:
    """Inserts jobs for rows that are overdue and that nobody holds, oldest first; returns how many.

    The order is total, because two processes that insert the same jobs in different orders would deadlock.
    """
    due = f"""(
        select * from {TABLES[kind]}
        where next_action_at <= now() - $1::interval and (lease_until is null or lease_until <= now())
        order by next_action_at, subscription_id, id limit $2
    ) as due"""
    return _count(await connection.execute(insert_job_sql(kind, due), overdue, limit))


async def enqueue_upcoming(connection: Connection, kind: WorkKind, within: timedelta, limit: int) -> int:
    """Inserts jobs for rows that will be due soon; returns how many.

    Rows that are due in weeks have no job until then, because the next job is searched among all jobs.
    """
    coming = f"""(
        select * from {TABLES[kind]} where next_action_at between now() and now() + $1::interval
        order by next_action_at, subscription_id, id limit $2
    ) as coming"""
    return _count(
        await connection.execute(insert_job_sql(kind, coming, "next_action_at - now()"), within, limit)
    )


def _count(status: str) -> int:
    """Returns how many rows a statement wrote, from its status such as `INSERT 0 5`."""
    return int(status.rsplit(" ", 1)[1])


_DOCUMENT_ANSWER = """status = 'processing' and exists (
    select from emissions where emissions.subscription_id = $1 and emissions.document_id = documents.id
        and emissions.ordinal = documents.emission and emissions.answer_code = any($3)
)"""
_FILING_ANSWER = "state in ('queued', 'signed', 'sent') and authority_code = any($3)"
_ANSWERED = {
    WorkKind.DOCUMENT: _DOCUMENT_ANSWER,
    WorkKind.EVENT: _FILING_ANSWER,
    WorkKind.INUTILIZATION: _FILING_ANSWER,
}


def _retry(kind: WorkKind, answered: str) -> str:
    return f"""
        with due as (
            update {TABLES[kind]} set next_action_at = now()
            where subscription_id = $1 and company_id = $2 and {answered}
                and next_action_at > now() and lease_until is null
            returning *
        ), hastened as ({hasten_job_sql(kind, "due")})
        {insert_job_sql(kind, "due")}
    """


_RETRIES = tuple(_retry(kind, answered) for kind, answered in _ANSWERED.items())


async def retry_answered(
    connection: Connection, subscription_id: UUID, company_id: UUID, answer_codes: Collection[str]
) -> None:
    """Makes paused work of a company due if its last answer has one of the codes.

    This applies to documents, events and inutilizations, but not to work that a worker holds. The jobs are
    inserted in the caller's transaction.
    """
    for statement in _RETRIES:
        await connection.execute(statement, subscription_id, company_id, list(answer_codes))


async def add_probe(connection: Connection) -> WorkKey:
    """Stores a probe, the smallest piece of queued work, with its job."""
    key = WorkKey(WorkKind.PROBE, NIL, new_id())
    await connection.execute(
        "insert into probes (subscription_id, id, next_action_at) values ($1, $2, now())",
        key.subscription_id, key.id,
    )  # fmt: skip
    await enqueue(connection, key)
    return key


async def answer_probe(connection: Connection, probe_id: UUID) -> None:
    """Stores that a worker got a probe."""
    await connection.execute(
        "update probes set answered_at = now() where subscription_id = $1 and id = $2", NIL, probe_id
    )


async def probe_answered_at(connection: Connection, probe_id: UUID) -> datetime | None:
    """Returns when a worker answered a probe; None while none has."""
    instant: datetime | None = await connection.fetchval(
        "select answered_at from probes where subscription_id = $1 and id = $2", NIL, probe_id
    )
    return instant


async def delete_old_probes(connection: Connection) -> None:
    """Deletes answered probes that are older than a day."""
    await connection.execute("delete from probes where answered_at < now() - interval '1 day'")


async def tidy(connection: Connection, keep_history: timedelta) -> None:
    """Deletes the queue's old log and statistics, which nothing else deletes, and vacuums the queue.

    Every job leaves dead rows, and the next job is searched among them. PostgreSQL itself vacuums too seldom.
    """
    for table in ("pgqueuer_log", "pgqueuer_statistics"):
        await connection.execute(f"delete from {table} where created < now() - $1::interval", keep_history)
    await connection.execute("vacuum pgqueuer")


async def consume(
    url: str, handlers: Mapping[WorkKind, Handler], options: QueueOptions, stop: asyncio.Event
) -> None:
    """Runs jobs until `stop` is set. Raises when the connection is lost: the caller starts again."""
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
    """Returns a PgQueuer entrypoint that keeps its job if the handler raises; PgQueuer would drop the job."""

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
        with translated_errors():
            await queue.run(
                dequeue_timeout=options.poll_interval,
                batch_size=options.batch_size,
                max_concurrent_tasks=options.concurrency,
                heartbeat_timeout=options.heartbeat_timeout,
                shutdown_on_listener_failure=True,
            )
    finally:
        stopper.cancel()
