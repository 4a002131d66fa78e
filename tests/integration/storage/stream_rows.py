"""Streams and receptions for tests of their rows. Times are moved by changing rows."""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any
from uuid import UUID

from carimbo.service.receiving.decision import BETWEEN_PAGES, LAPSE, REST
from carimbo.storage.database import Database
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.queue import claim_due
from carimbo.storage.receptions import Asker, Reception
from carimbo.storage.stream_steps import SingleChange, SingleQuestion, StreamChange, StreamProgress
from carimbo.storage.streams import StreamRow, open_stream, read_stream
from carimbo.storage.work import Lease, WorkKind

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
TAX_ID = "11222333000181"
SERVICE, ENVIRONMENT = "nfe", "production"
BODY = b"<retDistDFeInt/>"
ACCESS_KEY = "35" + 42 * "1"
BY_NSU, BY_KEY = SingleQuestion(5, None, 5), SingleQuestion(None, ACCESS_KEY, None)
_PROGRESS = tuple(field.name for field in fields(StreamProgress))
_TABLES = "streams, stream_pages, stream_gaps, stream_requests, stream_calls, stream_unread_files, receptions"


@dataclass(frozen=True)
class StoredPage:
    """An answer to a question for a page, as a worker stores it."""

    asker: Asker | None
    change: StreamChange


def asker_of(reception_id: UUID, fingerprint: str = "a1") -> Asker:
    return Asker(NIL, reception_id, NIL, 1, fingerprint, is_proved=True)


def page_answer(asker: Asker | None = None, **changes: Any) -> StoredPage:
    """Returns an answer with documents 1 to 50 of 80."""
    values: dict[str, Any] = {
        "pause": timedelta(seconds=1),
        "body": BODY,
        "is_answered": True,
        "is_proof": True,
        "code": "138",
        "message": "Documento localizado",
    }
    numbers = {"last_nsu": 50, "max_nsu": 80}
    progress = {name: changes.pop(name, numbers.get(name, 0)) for name in _PROGRESS}
    change = StreamChange(progress=StreamProgress(**progress), **{**values, **changes})
    return StoredPage(asker, change)


def single_answer(**changes: Any) -> SingleChange:
    """Returns what the document of an NSU changes."""
    values: dict[str, Any] = {
        "body": BODY,
        "is_settled": True,
        "code": "138",
        "message": "Documento localizado",
        "is_proof": True,
    }
    return SingleChange(**{**values, **changes})


@dataclass(frozen=True)
class Stream:
    """A stored stream, with helpers that do the steps of workers."""

    database: Database
    id: UUID

    async def claim(self, duration: timedelta = MINUTE) -> Lease | None:
        """Claims the stream as a worker does."""
        async with self.database.connection() as connection:
            leases = await claim_due(connection, WorkKind.STREAM, 10, duration, with_suspect=True)
        return next((lease for lease in leases if lease.key.id == self.id), None)

    async def claimed(self) -> Lease:
        lease = await self.claim()
        assert lease is not None
        return lease

    async def claimed_by_another(self) -> Lease:
        """Ends the lease, and claims the stream for another worker."""
        await self.change("lease_until = now() - interval '1 second'")
        return await self.claimed()

    async def begin(self, lease: Lease, reception_id: UUID = NIL, fingerprint: str = "a1") -> bool:
        async with self.database.stream_steps(lease) as steps:
            return await steps.begin_question(asker_of(reception_id, fingerprint), REST)

    async def store(self, lease: Lease, answer: StoredPage) -> None:
        async with self.database.stream_steps(lease) as steps:
            await steps.store_answer(0, answer.asker, answer.change, LAPSE)

    async def ask_single(self, lease: Lease, question: SingleQuestion) -> bool:
        async with self.database.stream_steps(lease) as steps:
            return await steps.begin_single(question)

    async def store_single(self, lease: Lease, question: SingleQuestion, **changes: Any) -> None:
        async with self.database.stream_steps(lease) as steps:
            await steps.store_single(question, asker_of(NIL), single_answer(**changes))

    async def schedule(self, lease: Lease, *, is_idle: bool = False) -> timedelta | None:
        """Releases the stream; returns in what time it is due, or None if it sleeps."""
        async with self.database.stream_steps(lease) as steps:
            await steps.schedule(BETWEEN_PAGES, is_idle=is_idle)
        return await self.due_in()

    async def due_in(self) -> timedelta | None:
        value: timedelta | None = await self.value("next_action_at - now()")
        return value

    async def read(self) -> StreamRow:
        async with self.database.connection() as connection:
            return await read_stream(connection, self.id)

    async def value(self, expression: str) -> Any:
        async with self.database.connection() as connection:
            return await connection.fetchval(f"select {expression} from streams where id = $1", self.id)

    async def change(self, changes: str) -> None:
        await self.run(f"update streams set {changes} where id = $1")

    async def gaps(self) -> dict[int, dict[str, Any]]:
        """Returns the gaps by their first number."""
        return {gap["first_nsu"]: gap for gap in await self.rows("stream_gaps")}

    async def run(self, statement: str, *arguments: object) -> None:
        """Runs a statement whose first parameter is the id of the stream."""
        async with self.database.connection() as connection:
            await connection.execute(statement, self.id, *arguments)

    async def rows(self, table: str) -> list[dict[str, Any]]:
        async with self.database.connection() as connection:
            rows = await connection.fetch(f"select * from {table} where stream_id = $1", self.id)
        return [dict(row) for row in rows]

    async def add_gap(self, first: int = 5, last: int = 7) -> None:
        await self.run(
            "insert into stream_gaps (stream_id, first_nsu, last_nsu, next_nsu, reason)"
            " values ($1, $2, $3, $3, 'otherReader')",
            first, last,
        )  # fmt: skip

    async def add_pages(self, count: int, age: timedelta = timedelta(0)) -> None:
        """Adds answers to the journal."""
        await self.run(
            "insert into stream_pages (stream_id, ordinal, question, body, received_at)"
            " select id, pages + n, 'after:0', '', now() - $3::interval"
            " from streams, generate_series(1, $2::integer) n where id = $1",
            count, age,
        )  # fmt: skip
        await self.change(f"pages = pages + {count}")

    async def follow(self, subscription_id: UUID | None = None, company_id: UUID | None = None) -> Reception:
        """Makes a company follow the stream, by default a new one of a new subscription."""
        async with self.database.tenant(subscription_id or new_id()) as tenant:
            return await tenant.receptions.start(company_id or new_id(), SERVICE, ENVIRONMENT, self.id)


def about(value: timedelta | None, expected: timedelta) -> bool:
    """Returns whether a time is the expected one, up to what a test takes."""
    return value is not None and abs(value - expected) < timedelta(seconds=20)


async def open_new_stream(database: Database, tax_id: str = TAX_ID) -> Stream:
    async with database.transaction() as connection:
        return Stream(database, await open_stream(connection, SERVICE, ENVIRONMENT, tax_id, REST))


async def only_stream(database: Database) -> Stream:
    """Returns a new stream in a database without any other."""
    async with database.connection() as connection:
        await connection.execute(f"truncate {_TABLES}")
    return await open_new_stream(database)


async def reception_row(database: Database, reception: Reception) -> dict[str, Any]:
    async with database.connection() as connection:
        row = await connection.fetchrow("select *, now() from receptions where id = $1", reception.id)
    assert row is not None
    return dict(row)


async def change_reception(database: Database, reception: Reception, changes: str) -> None:
    async with database.connection() as connection:
        await connection.execute(f"update receptions set {changes} where id = $1", reception.id)
