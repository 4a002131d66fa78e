"""Streams: the sequences in which authorities distribute documents, shared by all companies of one CNPJ.

A stream belongs to the installation; `stream_steps.py` has the steps of its worker.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from uuid import UUID

from carimbo.storage.connection import Connection, only
from carimbo.storage.identifiers import NIL


@dataclass(frozen=True, kw_only=True)
class StreamRow:
    """A stream; `is_due` and `has_rested` are by the clock of the database."""

    id: UUID
    service: str
    environment: str
    tax_id: str
    last_nsu: int
    max_nsu: int
    ask_at: datetime
    blocked_until: datetime | None
    asked_at: datetime | None
    is_asked: bool
    answered_at: datetime | None
    empty_answers: int
    wrong_numbers: int
    unanswered: int
    last_code: str | None
    last_message: str | None
    other_reader_at: datetime | None
    lapsed_from: datetime | None
    lapsed_until: datetime | None
    failure: str | None
    """Why the last question for a page got none."""
    pages: int
    next_action_at: datetime | None
    parked_reason: str | None
    is_due: bool
    """Whether a page may be asked for now."""
    has_other_reader: bool
    """Whether another program read the sequence in the last days."""
    allowed_at: datetime
    """When a page may be asked for next."""
    is_blocked: bool
    has_rested: bool
    """Whether the last question for a page was more than an hour ago."""


_COMPUTED = {
    "is_due": "greatest(ask_at, coalesce(blocked_until, ask_at)) <= now()",
    "has_other_reader": "coalesce(other_reader_at > now() - interval '7 days', false)",
    "allowed_at": "greatest(now(), ask_at, blocked_until)",
    "is_blocked": "coalesce(blocked_until > now(), false)",
    "has_rested": "coalesce(asked_at < now() - interval '1 hour', true)",
}
_COLUMNS = ", ".join(
    f"{_COMPUTED[field.name]} as {field.name}" if field.name in _COMPUTED else field.name
    for field in fields(StreamRow)
)


@dataclass(frozen=True)
class StreamGap:
    """Numbers that are asked for one by one."""

    first_nsu: int
    last_nsu: int
    next_nsu: int
    missing: int
    """Numbers for which the authority has no document, or not any more."""
    reason: str
    created_at: datetime
    filled_at: datetime | None


@dataclass(frozen=True)
class StreamPage:
    """An answer in the journal."""

    ordinal: int
    body: bytes


@dataclass(frozen=True)
class UnreadFileRow:
    """A file of the journal that can't be read, as it came."""

    position: int
    nsu: int | None
    schema: str
    reason: str
    content: str


async def open_stream(
    connection: Connection, service: str, environment: str, tax_id: str, rest: timedelta
) -> UUID:
    """Returns the id of a stream, which is stored if it is new; wakes its worker.

    It is asked as soon as it has rested, even if it is asked rarely. The work of a stream that was parked
    begins again, but not before the next question is allowed.
    """
    row = await connection.fetchrow(
        """
        insert into streams as s (subscription_id, service, environment, tax_id) values ($1, $2, $3, $4)
        on conflict (subscription_id, service, environment, tax_id) do update
        set parked_reason = null, attempts = 0,
            failure = case when s.parked_reason is null then s.failure end,
            ask_at = least(s.ask_at, greatest(s.asked_at, s.answered_at) + $5::interval),
            next_action_at = least(s.next_action_at, greatest(
                now(), s.blocked_until,
                least(s.ask_at, greatest(s.asked_at, s.answered_at) + $5::interval)
            ))
        returning id
        """,
        NIL, service, environment, tax_id, rest,
    )  # fmt: skip
    stream_id: UUID = only(row)["id"]
    return stream_id


async def wake_stream(connection: Connection, stream_id: UUID) -> None:
    """Makes the worker of a stream look again who can ask, as soon as a question is allowed."""
    await connection.execute(
        "update streams set next_action_at = greatest(now(), ask_at, blocked_until)"
        " where subscription_id = $1 and id = $2 and parked_reason is null"
        " and coalesce(next_action_at > greatest(now(), ask_at, blocked_until), true)",
        NIL, stream_id,
    )  # fmt: skip


async def repair_times(connection: Connection, latest: timedelta, rest: timedelta) -> int:
    """Makes streams rest once more whose next question is impossibly late; returns how many there are.

    Their times were stored before the clock of the database was set back, as were those of questions about
    single documents and of companies that ask: these count as asked now.
    """
    result = await connection.execute(
        "update streams set ask_at = now() + $2::interval, blocked_until = null,"
        " next_action_at = now() + $2::interval where next_action_at > now() + $1::interval",
        latest, rest,
    )  # fmt: skip
    await connection.execute("update stream_calls set at = now() where at > now()")
    for table in ("stream_gaps", "stream_requests"):
        await connection.execute(f"update {table} set ask_at = now() where ask_at > now() + interval '1 day'")
    await connection.execute(
        "update receptions set"
        " refused_at = case when refused_at > now() then now() else refused_at end,"
        " asked_at = case when asked_at > now() then now() else asked_at end,"
        " next_action_at = case when next_action_at > now() then now() else next_action_at end"
        " where greatest(refused_at, asked_at) > now() or next_action_at > now() + $1::interval",
        latest,
    )
    return int(result.removeprefix("UPDATE "))


async def give_up_gaps(connection: Connection, after: timedelta) -> None:
    """Closes gaps that are too old: the authority does not keep their documents any longer."""
    await connection.execute(
        "update stream_gaps set filled_at = now(), missing = missing + next_nsu - first_nsu + 1"
        " where filled_at is null and created_at < now() - $1::interval",
        after,
    )


async def read_stream(connection: Connection, stream_id: UUID) -> StreamRow:
    """Returns a stream."""
    row = await connection.fetchrow(
        f"select {_COLUMNS} from streams where subscription_id = $1 and id = $2", NIL, stream_id
    )
    return StreamRow(**only(row))


async def read_streams(connection: Connection, stream_ids: Sequence[UUID]) -> dict[UUID, StreamRow]:
    """Returns streams by their ids."""
    rows = await connection.fetch(
        f"select {_COLUMNS} from streams where subscription_id = $1 and id = any($2)", NIL, stream_ids
    )
    return {row["id"]: StreamRow(**row) for row in rows}


async def gaps_of(connection: Connection, stream_id: UUID, limit: int = 100) -> list[StreamGap]:
    """Returns the gaps of a stream, the newest first."""
    rows = await connection.fetch(
        "select first_nsu, last_nsu, next_nsu, missing, reason, created_at, filled_at from stream_gaps"
        " where stream_id = $1 order by first_nsu desc limit $2",
        stream_id, limit,
    )  # fmt: skip
    return [StreamGap(**row) for row in rows]


async def request_by_key(connection: Connection, stream_id: UUID, access_key: str) -> None:
    """Asks the worker of a stream for a document by its key; a day after the last answer once more."""
    await connection.execute(
        """
        with held as (
            select id from streams where subscription_id = $3 and id = $1 for update
        ), requested as (
            insert into stream_requests (stream_id, access_key) select id, $2 from held
            on conflict (stream_id, access_key) do update
            set answered_at = null, created_at = now(), tries = 0, ask_at = now()
            where stream_requests.answered_at < now() - interval '1 day'
        )
        update streams s set next_action_at = least(s.next_action_at, greatest(now(), s.blocked_until))
        from held where s.subscription_id = $3 and s.id = held.id and s.parked_reason is null
        """,
        stream_id, access_key, NIL,
    )  # fmt: skip


async def close_requests(connection: Connection, stream_id: UUID, access_keys: Sequence[str]) -> None:
    """Closes the requests for documents that came with a page."""
    await connection.execute(
        "update stream_requests set answered_at = now(), code = null, message = null"
        " where stream_id = $1 and access_key = any($2) and answered_at is null",
        stream_id, access_keys,
    )  # fmt: skip


async def answer_to_request(connection: Connection, stream_id: UUID, access_key: str) -> str | None:
    """Returns the authority's answer that did not bring a document by its key; None if it may still come.

    What came with an answer is read minutes later; a summary may have come instead of the document.
    """
    answer: str | None = await connection.fetchval(
        "select code || ' ' || message from stream_requests"
        " where stream_id = $1 and access_key = $2 and answered_at is not null"
        " and (code <> '138' or answered_at < now() - interval '1 hour')",
        stream_id, access_key,
    )  # fmt: skip
    return answer


async def pages_after(connection: Connection, stream_id: UUID, ordinal: int, limit: int) -> list[StreamPage]:
    """Returns the next answers of the journal."""
    rows = await connection.fetch(
        "select ordinal, body from stream_pages where stream_id = $1 and ordinal > $2"
        " order by ordinal limit $3",
        stream_id, ordinal, limit,
    )  # fmt: skip
    return [StreamPage(**row) for row in rows]


async def keep_unread(
    connection: Connection, stream_id: UUID, ordinal: int, unread: Sequence[UnreadFileRow]
) -> None:
    """Stores the files of a page that can't be read, once."""
    await connection.executemany(
        "insert into stream_unread_files (stream_id, ordinal, position, nsu, schema, reason, content)"
        " values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing",
        [(stream_id, ordinal, *vars(file).values()) for file in unread],
    )


@dataclass(frozen=True)
class UntriedFile(UnreadFileRow):
    """A file that could not be read, and was not tried again lately."""

    stream_id: UUID
    ordinal: int
    service: str
    environment: str
    tax_id: str


async def files_to_try_again(connection: Connection, pause: timedelta, limit: int) -> list[UntriedFile]:
    """Returns files that could not be read, those that were tried the longest ago first."""
    columns = ", ".join(f"f.{field.name}" for field in fields(UnreadFileRow))
    rows = await connection.fetch(
        f"select {columns}, f.stream_id, f.ordinal, s.service, s.environment, s.tax_id"
        " from stream_unread_files f join streams s on s.id = f.stream_id"
        " where f.tried_at < now() - $1::interval order by f.tried_at limit $2",
        pause, limit,
    )  # fmt: skip
    return [UntriedFile(**row) for row in rows]


async def mark_tried(connection: Connection, file: UntriedFile) -> None:
    """Stores that a file is tried again now."""
    await connection.execute(
        "update stream_unread_files set tried_at = now()"
        " where stream_id = $1 and ordinal = $2 and position = $3",
        file.stream_id, file.ordinal, file.position,
    )  # fmt: skip


async def delete_unread(connection: Connection, file: UntriedFile) -> None:
    """Deletes a file that was read at last."""
    await connection.execute(
        "delete from stream_unread_files where stream_id = $1 and ordinal = $2 and position = $3",
        file.stream_id, file.ordinal, file.position,
    )  # fmt: skip


async def unread_files_of(connection: Connection, stream_id: UUID) -> int:
    """Returns how many files of a stream can't be read."""
    count: int = await connection.fetchval(
        "select count(*) from stream_unread_files where stream_id = $1", stream_id
    )
    return count


async def delete_old_pages(connection: Connection, keep: timedelta) -> None:
    """Deletes the answers of the journal, except those that a company that follows has not read."""
    await connection.execute(
        """
        delete from stream_pages p where received_at < now() - $1::interval and not exists (
            select from receptions r where r.stream_id = p.stream_id and r.is_active
                and r.pages_read < p.ordinal
        )
        """,
        keep,
    )
