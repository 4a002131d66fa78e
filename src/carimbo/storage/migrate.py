"""Brings the database to this version's schema; safe to run again and from several processes at once."""

import asyncio
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import asyncpg
from pgqueuer.adapters.drivers.asyncpg import AsyncpgDriver
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment
from pgqueuer.domain.settings import DBSettings, Durability
from pgqueuer.queries import Queries

from carimbo.storage.connection import connecting, translated_errors

# The number of the migration lock. Any number works if every version of carimbo uses the same one.
_ADVISORY_LOCK = 0x63617269
_POLL_SECONDS = 0.1
_COMMENT = re.compile(r"--[^\n]*")
_CONCURRENTLY = re.compile(r"\bindex\s+concurrently\b", re.IGNORECASE)


class SchemaMismatch(Exception):
    """The database was migrated by files that differ from ours."""


class MigrationLocked(Exception):
    """A lock was not free in time; the migration can be run again.

    Files that run in a transaction are applied as a whole or not at all. An index that was being built
    CONCURRENTLY stays invalid until the next run, which runs its file from the beginning.
    """


@dataclass(frozen=True)
class Migration:
    """A numbered SQL file."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def outside_transactions(self) -> tuple[str, ...]:
        """The statements of a file with INDEX CONCURRENTLY, which PostgreSQL runs one by one; otherwise none.

        An interrupted file of this kind is run again from its beginning, so it must first remove what the
        interrupted run left.
        """
        bare = _COMMENT.sub("", self.sql)
        if not _CONCURRENTLY.search(bare):
            return ()
        return tuple(statement for part in bare.split(";") if (statement := part.strip()))


@cache
def all_migrations() -> tuple[Migration, ...]:
    """Returns our migrations in order."""
    folder = files("carimbo.storage") / "migrations"
    migrations = []
    for file_name in sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql")):
        number, _, name = file_name.removesuffix(".sql").partition("_")
        migrations.append(Migration(int(number), name, (folder / file_name).read_text(encoding="utf-8")))
    return tuple(migrations)


async def migrate(url: str, lock_timeout_seconds: float) -> list[str]:
    """Applies missing migrations, then the queue's own schema; returns the names of the applied ones.

    Raises DatabaseUnavailable, MigrationLocked and SchemaMismatch.
    """
    with connecting():
        connection = await asyncpg.connect(url)
    with translated_errors():
        try:
            # For the session: the queue's upgrade can't run inside a transaction.
            await connection.execute(
                "select set_config('lock_timeout', $1, false)", f"{lock_timeout_seconds}s"
            )
            await _wait_for_lock(connection, lock_timeout_seconds)
            applied = await _apply_missing(connection)
            await _install_queue(connection)
            return applied
        except asyncpg.LockNotAvailableError as error:
            raise MigrationLocked(f"uma tabela não ficou livre em {lock_timeout_seconds:g} s") from error
        finally:
            await connection.close()


async def is_current(connection: Any) -> bool:
    """Returns whether every migration of this version has been applied, including the queue's own schema."""
    tables = "select to_regclass('schema_migrations') is not null and to_regclass('pgqueuer') is not null"
    if not await connection.fetchval(tables):
        return False
    applied = await connection.fetchval("select max(version) from schema_migrations")
    return bool(applied is not None and applied >= all_migrations()[-1].version)


async def _wait_for_lock(connection: "asyncpg.Connection[Any]", timeout_seconds: float) -> None:
    """Waits until nobody else migrates, by polling.

    A statement that waits holds a snapshot, and an index that is built CONCURRENTLY waits until all snapshots
    are gone: the two would wait for each other.
    """
    try:
        async with asyncio.timeout(timeout_seconds):
            while True:
                if await connection.fetchval("select pg_try_advisory_lock($1)", _ADVISORY_LOCK):
                    return
                await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError as error:
        raise MigrationLocked(f"a vez não chegou em {timeout_seconds:g} s") from error


async def _apply_missing(connection: "asyncpg.Connection[Any]") -> list[str]:
    await connection.execute(
        "create table if not exists schema_migrations (version integer primary key, name text not null,"
        " checksum text not null, applied_at timestamptz not null default now())"
    )
    applied = dict(await connection.fetch("select version, checksum from schema_migrations"))
    names = []
    for migration in all_migrations():
        if migration.version not in applied:
            await _apply(connection, migration)
            names.append(f"{migration.version:04}_{migration.name}")
        elif applied[migration.version] != migration.checksum:
            raise SchemaMismatch(
                f"a migração {migration.version:04}_{migration.name} foi aplicada com outro texto"
            )
    return names


async def _apply(connection: "asyncpg.Connection[Any]", migration: Migration) -> None:
    for statement in migration.outside_transactions:
        await connection.execute(statement)
    async with connection.transaction():
        if not migration.outside_transactions:
            await connection.execute(migration.sql)
        await connection.execute(
            "insert into schema_migrations (version, name, checksum) values ($1, $2, $3)",
            migration.version, migration.name, migration.checksum,
        )  # fmt: skip


async def _install_queue(connection: "asyncpg.Connection[Any]") -> None:
    # Unlogged: losing the whole queue loses nothing (see storage/work.py).
    unlogged = QueryBuilderEnvironment(DBSettings(durability=Durability.volatile))
    queries = Queries(AsyncpgDriver(connection), unlogged)
    if await queries.schema_is_installed():
        await queries.upgrade()
    else:
        await queries.install()
    # If the tables are unlogged already, this only reads PostgreSQL's catalog.
    await queries.alter_durability()
