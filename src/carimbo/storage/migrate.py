"""Brings the database to this version's schema; safe to run again and from several processes at once."""

import asyncio
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import asyncpg

from carimbo.storage.connection import connect, connecting, translated_errors

# The number of the migration lock. Any number works if every version of carimbo uses the same one.
_ADVISORY_LOCK = 0x63617269
_POLL_SECONDS = 0.1
_COMMENT = re.compile(r"--[^\n]*")
_AFTER_RESTART = "-- After the restart of all processes."
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
    def waits_for_restart(self) -> bool:
        """Whether it removes what processes of the release before still use."""
        return self.sql.startswith(_AFTER_RESTART)

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


@dataclass(frozen=True)
class AppliedMigrations:
    """The names of the migrations that were applied, and of those that wait for a restart."""

    applied: tuple[str, ...]
    waiting: tuple[str, ...] = ()


async def migrate(url: str, lock_timeout_seconds: float) -> AppliedMigrations:
    """Applies missing migrations. Raises DatabaseUnavailable, MigrationLocked and SchemaMismatch.

    A migration that waits for a restart is left to a later run while processes of an older release may be
    connected.
    """
    with connecting():
        connection = await connect(url)
    with translated_errors():
        try:
            # For the session: an index that is built CONCURRENTLY can't run inside a transaction.
            await connection.execute(
                "select set_config('lock_timeout', $1, false)", f"{lock_timeout_seconds}s"
            )
            await _wait_for_lock(connection, lock_timeout_seconds)
            return await _apply_missing(connection)
        except asyncpg.LockNotAvailableError as error:
            raise MigrationLocked(f"uma tabela não ficou livre em {lock_timeout_seconds:g} s") from error
        finally:
            await connection.close()


async def is_current(connection: Any) -> bool:
    """Returns whether every migration of this version has been applied, but for those that wait."""
    if not await connection.fetchval("select to_regclass('schema_migrations') is not null"):
        return False
    applied = await connection.fetchval("select max(version) from schema_migrations")
    needed = max(migration.version for migration in all_migrations() if not migration.waits_for_restart)
    return bool(applied is not None and applied >= needed)


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


async def _apply_missing(connection: "asyncpg.Connection[Any]") -> AppliedMigrations:
    await connection.execute(
        "create table if not exists schema_migrations (version integer primary key, name text not null,"
        " checksum text not null, applied_at timestamptz not null default now())"
    )
    applied = dict(await connection.fetch("select version, checksum from schema_migrations"))
    is_new_database = not applied
    names, waiting = [], []
    for migration in all_migrations():
        name = f"{migration.version:04}_{migration.name}"
        if migration.version in applied:
            if applied[migration.version] != migration.checksum:
                raise SchemaMismatch(f"a migração {name} foi aplicada com outro texto")
        elif migration.waits_for_restart and not is_new_database and await _has_other_sessions(connection):
            waiting.append(name)
        else:
            await _apply(connection, migration)
            names.append(name)
    return AppliedMigrations(tuple(names), tuple(waiting))


async def _has_other_sessions(connection: "asyncpg.Connection[Any]") -> bool:
    """Returns whether a session of this database is not ours, or of a release that had no name yet."""
    return bool(
        await connection.fetchval(
            "select exists (select from pg_stat_activity where datname = current_database()"
            " and backend_type = 'client backend' and coalesce(application_name, '') not like 'carimbo%')"
        )
    )


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
