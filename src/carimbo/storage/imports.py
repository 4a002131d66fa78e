"""Imports: CSV files that people upload, how far a worker has imported them, and the refused lines."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from carimbo.storage import work
from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection, only
from carimbo.storage.sql import NamedSql, delete_batch
from carimbo.storage.work import WHERE_HELD, Lease, write_held

MAX_STORED_PROBLEMS = 1_000
"""How many problems of an import are stored; the others are only counted."""


class ImportKind(StrEnum):
    """What the lines of a file are."""

    CUSTOMERS = "customers"
    PRODUCTS = "products"
    SALES = "sales"


class ImportState(StrEnum):
    """The state of an import; one that is parked is still processing."""

    PROCESSING = "processing"
    FINISHED = "finished"
    CANCELED = "canceled"


@dataclass(frozen=True, kw_only=True)
class NewImport:
    """A file to import."""

    id: UUID
    company_id: UUID
    kind: str
    file_name: str
    content: bytes
    lines_total: int


@dataclass(frozen=True, kw_only=True)
class ImportRow:
    """A stored import, without its file."""

    id: UUID
    company_id: UUID
    kind: str
    file_name: str
    lines_total: int
    lines_done: int
    created: int
    changed: int
    unchanged: int
    refused: int
    problems: int
    state: str
    created_by: dict[str, Any] | None
    created_at: datetime
    progressed_at: datetime
    finished_at: datetime | None
    parked_reason: str | None


@dataclass(frozen=True, kw_only=True)
class ImportProblem:
    """Why a line of a file was refused."""

    line: int
    position: int
    """Among the problems of the line, counted from 0."""
    field: str | None
    """The title of the column; None if the problem is of the line as a whole."""
    message: str
    cells: Sequence[str]
    """The first cells of the line."""


@dataclass(frozen=True, kw_only=True)
class ImportProgress:
    """What the lines that were imported last add to the counts of an import."""

    lines: int
    created: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: int = 0
    problems: Sequence[ImportProblem] = ()


_NEW = tuple(field.name for field in fields(NewImport))
_COLUMNS = ", ".join(field.name for field in fields(ImportRow))
_PROBLEM = ", ".join(field.name for field in fields(ImportProblem))
_ADD = NamedSql(
    f"insert into imports (subscription_id, {', '.join(_NEW)}, created_by)"
    f" values ($1, {', '.join(f':{name}' for name in _NEW)}, :created_by) returning {_COLUMNS}"
)
# A worker that holds the row sees the state when it writes its progress, and concludes the work then.
_CANCEL = f"""
    update imports set state = '{ImportState.CANCELED}', finished_at = now(), parked_reason = null,
        next_action_at = case when lease_until is not null then next_action_at end
    where subscription_id = $1 and state = '{ImportState.PROCESSING}'
"""
_ADVANCE = NamedSql(f"""
    with held as (
        update imports set lines_done = lines_done + :lines, created = created + :created,
            changed = changed + :changed, unchanged = unchanged + :unchanged, refused = refused + :refused,
            problems = problems + :problem_count, progressed_at = clock_timestamp(), attempts = 0
        {WHERE_HELD} returning {_COLUMNS}
    ), stored as (
        insert into import_problems (subscription_id, import_id, {_PROBLEM})
        select $1, $2, {_PROBLEM}
        from jsonb_to_recordset(:stored_problems::jsonb)
            as problem (line integer, position integer, field text, message text, cells jsonb)
    )
    select * from held
""")


class Imports:
    """Imports of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, new: NewImport) -> ImportRow:
        """Stores an import that is due now."""
        values = {**vars(new), "created_by": stored_actor(self._actor)}
        row = await self._connection.fetchrow(_ADD.text, self._subscription_id, *_ADD.arguments(values))
        return ImportRow(**only(row))

    async def get(self, import_id: UUID) -> ImportRow | None:
        """Returns an import of any company of the subscription, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from imports where subscription_id = $1 and id = $2",
            self._subscription_id, import_id,
        )  # fmt: skip
        return row and ImportRow(**row)

    async def content(self, import_id: UUID) -> bytes | None:
        """Returns the file of an import, or None."""
        content: bytes | None = await self._connection.fetchval(
            "select content from imports where subscription_id = $1 and id = $2",
            self._subscription_id, import_id,
        )  # fmt: skip
        return content

    async def page(self, company_id: UUID, offset: int, size: int) -> list[ImportRow]:
        """Returns a page of a company's imports, newest first."""
        rows = await self._connection.fetch(
            f"select {_COLUMNS} from imports where subscription_id = $1 and company_id = $2"
            " order by created_at desc, id desc offset $3 limit $4",
            self._subscription_id, company_id, offset, size,
        )  # fmt: skip
        return [ImportRow(**row) for row in rows]

    async def count(self, company_id: UUID) -> int:
        """Returns how many imports a company has."""
        total: int = await self._connection.fetchval(
            "select count(*) from imports where subscription_id = $1 and company_id = $2",
            self._subscription_id, company_id,
        )  # fmt: skip
        return total

    async def problems(self, import_id: UUID, offset: int, size: int) -> list[ImportProblem]:
        """Returns a page of the stored problems of an import, in the order of its lines."""
        rows = await self._connection.fetch(
            f"select {_PROBLEM} from import_problems where subscription_id = $1 and import_id = $2"
            " order by line, position offset $3 limit $4",
            self._subscription_id, import_id, offset, size,
        )  # fmt: skip
        return [ImportProblem(**row) for row in rows]

    async def count_problems(self, import_id: UUID) -> int:
        """Returns how many problems of an import are stored."""
        total: int = await self._connection.fetchval(
            "select count(*) from import_problems where subscription_id = $1 and import_id = $2",
            self._subscription_id, import_id,
        )  # fmt: skip
        return total

    async def cancel(self, company_id: UUID, import_id: UUID) -> bool:
        """Cancels an import of a company; returns False if there is none in process."""
        result = await self._connection.execute(
            f"{_CANCEL} and company_id = $2 and id = $3", self._subscription_id, company_id, import_id
        )
        return bool(result == "UPDATE 1")

    async def cancel_all(self, company_id: UUID) -> None:
        """Cancels all imports of a company that are in process."""
        await self._connection.execute(f"{_CANCEL} and company_id = $2", self._subscription_id, company_id)

    async def cancel_of_author(self, person_id: UUID, kept: Collection[UUID]) -> None:
        """Cancels the imports of a person that are in process, but for those of the companies `kept`."""
        await self._connection.execute(
            f"{_CANCEL} and created_by ->> 'id' = $2 and not company_id = any ($3)",
            self._subscription_id, str(person_id), list(kept),
        )  # fmt: skip

    async def advance(self, lease: Lease, row: ImportRow, progress: ImportProgress) -> ImportRow:
        """Stores the progress of an import and returns its row. Raises LeaseLost.

        `row` is the row that was read last: only the holder of the lease changes its counts.
        """
        room = max(0, MAX_STORED_PROBLEMS - row.problems)
        values = {
            **vars(progress),
            "problem_count": len(progress.problems),
            "stored_problems": [vars(problem) for problem in progress.problems[:room]],
        }
        written = await write_held(self._connection, lease, _ADVANCE.text, *_ADVANCE.arguments(values))
        return ImportRow(**written)

    async def conclude(self, lease: Lease, state: ImportState) -> None:
        """Ends an import in a transaction, and its work; a canceled one stays canceled. Raises LeaseLost."""
        await work.conclude(self._connection, lease)
        await self._connection.execute(
            "update imports set state = $3, finished_at = now() where subscription_id = $1 and id = $2"
            f" and state = '{ImportState.PROCESSING}'",
            self._subscription_id, lease.key.id, state,
        )  # fmt: skip


async def delete_old_imports(connection: Connection, keep: timedelta) -> bool:
    """Deletes a batch of old imports with their problems; returns whether there may be more."""
    return await delete_batch(
        connection,
        """
        delete from imports where (subscription_id, id) in (
            select subscription_id, id from imports where created_at < now() - $1::interval
            limit $2 for update skip locked
        )
        """,
        keep,
    )
