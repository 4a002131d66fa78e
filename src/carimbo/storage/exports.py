"""Archives of a month: downloads with their progress, and links that open one without an account."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

from carimbo.storage.actors import Actor, stored_actor
from carimbo.storage.connection import Connection, only
from carimbo.storage.sql import NamedSql, delete_batch


@dataclass(frozen=True, kw_only=True)
class NewExport:
    """An archive to store; `token_hash` is None for a download without a link."""

    id: UUID
    company_id: UUID
    environment: str
    month: date
    content: str
    token_hash: bytes | None
    documents_total: int


@dataclass(frozen=True, kw_only=True)
class ExportRow:
    """A stored archive, without the hash of its token."""

    id: UUID
    company_id: UUID
    environment: str
    month: date
    content: str
    created_by: dict[str, Any] | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    is_link: bool
    state: str
    documents_total: int
    documents_done: int
    progressed_at: datetime | None
    downloads: int
    last_downloaded_at: datetime | None


_NEW = tuple(field.name for field in fields(NewExport))
_COLUMNS = ", ".join(
    "token_hash is not null as is_link" if field.name == "is_link" else field.name
    for field in fields(ExportRow)
)
_IS_VALID = "revoked_at is null and expires_at > now()"
_ADD = NamedSql(f"""
    insert into exports (subscription_id, {", ".join(_NEW)}, created_by, expires_at)
    values ($1, {", ".join(f":{name}" for name in _NEW)}, :created_by, now() + :valid_for::interval)
    on conflict (subscription_id, id) do nothing
""")
_LINKS = f"""
    select {_COLUMNS} from exports
    where subscription_id = $1 and company_id = $2 and token_hash is not null
    order by created_at desc, id desc offset $3 limit $4
"""


class Exports:
    """Archives of one subscription's companies."""

    def __init__(self, connection: Connection, subscription_id: UUID, actor: Actor | None) -> None:
        self._connection = connection
        self._subscription_id = subscription_id
        self._actor = actor

    async def add(self, export: NewExport, valid_for: timedelta, author: Actor | None = None) -> None:
        """Stores an archive, unless there is one with its id; without an author, the actor is its author."""
        created_by = stored_actor(author or self._actor)
        values = {**vars(export), "created_by": created_by, "valid_for": valid_for}
        await self._connection.execute(_ADD.text, self._subscription_id, *_ADD.arguments(values))

    async def get(self, export_id: UUID) -> ExportRow | None:
        """Returns an archive, also one that has expired or was revoked, or None."""
        row = await self._connection.fetchrow(
            f"select {_COLUMNS} from exports where subscription_id = $1 and id = $2",
            self._subscription_id, export_id,
        )  # fmt: skip
        return row and ExportRow(**row)

    async def links(self, company_id: UUID, offset: int, size: int) -> list[ExportRow]:
        """Returns a page of a company's links, newest first."""
        rows = await self._connection.fetch(_LINKS, self._subscription_id, company_id, offset, size)
        return [ExportRow(**row) for row in rows]

    async def count_links(self, company_id: UUID) -> int:
        """Returns how many links a company has."""
        total: int = await self._connection.fetchval(
            "select count(*) from exports"
            " where subscription_id = $1 and company_id = $2 and token_hash is not null",
            self._subscription_id, company_id,
        )  # fmt: skip
        return total

    async def revoke(self, company_id: UUID, export_id: UUID) -> ExportRow | None:
        """Revokes a link of a company; returns None if there is none. The time of the first call stays."""
        row = await self._connection.fetchrow(
            "update exports set revoked_at = coalesce(revoked_at, now())"
            " where subscription_id = $1 and company_id = $2 and id = $3 and token_hash is not null"
            f" returning {_COLUMNS}",
            self._subscription_id, company_id, export_id,
        )  # fmt: skip
        return row and ExportRow(**row)

    async def revoke_of_author(self, person_id: UUID, kept: Collection[UUID]) -> list[ExportRow]:
        """Revokes the valid links and downloads of a person, except in some companies; returns them."""
        rows = await self._connection.fetch(
            "update exports set revoked_at = now()"
            " where subscription_id = $1 and created_by ->> 'id' = $2 and not company_id = any($3::uuid[])"
            f" and {_IS_VALID} returning {_COLUMNS}",
            self._subscription_id, str(person_id), list(kept),
        )  # fmt: skip
        return [ExportRow(**row) for row in rows]

    async def begin(self, export_id: UUID, documents: int) -> bool:
        """Stores that a download begins, and how many documents it will have.

        Returns False if the archive may not be downloaded any more.
        """
        result = await self._connection.execute(
            "update exports set state = 'streaming', documents_total = $3, documents_done = 0,"
            " progressed_at = now(), downloads = downloads + 1, last_downloaded_at = now()"
            f" where subscription_id = $1 and id = $2 and {_IS_VALID}",
            self._subscription_id, export_id, documents,
        )  # fmt: skip
        return bool(result == "UPDATE 1")

    async def advance(self, export_id: UUID, documents: int, *, is_finished: bool = False) -> bool:
        """Stores how many documents of a download were written.

        Returns False if the archive may not be downloaded any more.
        """
        result = await self._connection.execute(
            "update exports set documents_done = $3, progressed_at = now(),"
            " state = case when $4 then 'finished' else 'streaming' end"
            f" where subscription_id = $1 and id = $2 and {_IS_VALID}",
            self._subscription_id, export_id, documents, is_finished,
        )  # fmt: skip
        return bool(result == "UPDATE 1")


async def find_export_of_link(connection: Connection, token_hash: bytes) -> tuple[UUID, ExportRow] | None:
    """Returns subscription and archive of a valid link: not expired, not revoked, of a company in use."""
    row = await connection.fetchrow(
        f"""
        select subscription_id, {_COLUMNS} from exports x
        where token_hash = $1 and {_IS_VALID} and exists (
            select from companies c where c.subscription_id = x.subscription_id and c.id = x.company_id
                and c.deleted_at is null
        )
        """,
        token_hash,
    )
    if row is None:
        return None
    values = dict(only(row))
    return values.pop("subscription_id"), ExportRow(**values)


async def delete_old_exports(connection: Connection, keep: timedelta) -> bool:
    """Deletes a batch of archives that expired long ago; returns whether there may be more."""
    return await delete_batch(
        connection,
        """
        delete from exports where (subscription_id, id) in (
            select subscription_id, id from exports where expires_at < now() - $1::interval
            limit $2 for update skip locked
        )
        """,
        keep,
    )
