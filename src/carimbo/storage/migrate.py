"""Brings the database to this version's schema; safe to run twice and from several processes at once."""

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

from carimbo.storage.connection import connecting, unavailable_is_told

# Any number will do, as long as every version of carimbo uses the same: it names the lock of migrations.
_ADVISORY_LOCK = 0x63617269
_SECONDS_BETWEEN_LOOKS = 0.1
_COMMENT = re.compile(r"--[^\n]*")
_CONCURRENTLY = re.compile(r"\bindex\s+concurrently\b", re.IGNORECASE)


class SchemaMismatch(Exception):
    """The database was migrated by files that differ from ours."""


class MigrationLocked(Exception):
    """Somebody held a lock for too long; it can be run again.

    What runs in a transaction is not half applied. An index that was being built CONCURRENTLY stays behind
    invalid until the next run, which begins its file anew.
    """


@dataclass(frozen=True)
class Migration:
    """One numbered SQL file."""

    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()

    @property
    def outside_transactions(self) -> tuple[str, ...]:
        """The statements of a file with INDEX CONCURRENTLY, which PostgreSQL takes one by one; else none.

        Cut short, such a file is run again from its beginning, so it has to undo what it may have begun.
        """
        bare = _COMMENT.sub("", self.sql)
        if not _CONCURRENTLY.search(bare):
            return ()
        return tuple(statement for one in bare.split(";") if (statement := one.strip()))


@cache
def known_migrations() -> tuple[Migration, ...]:
    """Read our migrations in order."""
    folder = files("carimbo.storage") / "migrations"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql"))
    return tuple(_read(name, (folder / name).read_text(encoding="utf-8")) for name in names)


def _read(file_name: str, sql: str) -> Migration:
    number, _, name = file_name.removesuffix(".sql").partition("_")
    return Migration(int(number), name, sql)


async def migrate(url: str, lock_timeout_seconds: float) -> list[str]:
    """Apply what is missing, then bring the queue's own schema up; return the names applied."""
    with connecting():
        connection = await asyncpg.connect(url)
    with unavailable_is_told():
        try:
            # Session-level: the queue's upgrade can't run inside a transaction.
            await connection.execute(
                "select set_config('lock_timeout', $1, false)", f"{lock_timeout_seconds}s"
            )
            await _take_turn(connection, lock_timeout_seconds)
            applied = await _apply_missing(connection)
            await _install_queue(connection)
            return applied
        except asyncpg.LockNotAvailableError as error:
            raise MigrationLocked(f"uma tabela não ficou livre em {lock_timeout_seconds:g} s") from error
        finally:
            await connection.close()


async def is_current(connection: Any) -> bool:
    """Tell whether every migration of this version has been applied, and the queue, which comes last."""
    there = "select to_regclass('schema_migrations') is not null and to_regclass('pgqueuer') is not null"
    if not await connection.fetchval(there):
        return False
    applied = await connection.fetchval("select max(version) from schema_migrations")
    return bool(applied is not None and applied >= known_migrations()[-1].version)


async def _take_turn(connection: "asyncpg.Connection[Any]", patience_seconds: float) -> None:
    """Wait until nobody else migrates, by asking again and again.

    Who waits inside a statement holds a snapshot, and an index that is built CONCURRENTLY waits for all of
    these: the two would wait for each other.
    """
    try:
        async with asyncio.timeout(patience_seconds):
            while True:
                if await connection.fetchval("select pg_try_advisory_lock($1)", _ADVISORY_LOCK):
                    return
                await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
    except TimeoutError as error:
        raise MigrationLocked(f"a vez não chegou em {patience_seconds:g} s") from error


async def _apply_missing(connection: "asyncpg.Connection[Any]") -> list[str]:
    await connection.execute(
        "create table if not exists schema_migrations (version integer primary key, name text not null,"
        " checksum text not null, applied_at timestamptz not null default now())"
    )
    applied = dict(await connection.fetch("select version, checksum from schema_migrations"))
    names = []
    for migration in known_migrations():
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
    # Losing the whole queue loses nothing (see storage/work.py): it needs no write-ahead log.
    unlogged = QueryBuilderEnvironment(DBSettings(durability=Durability.volatile))
    queries = Queries(AsyncpgDriver(connection), unlogged)
    if await queries.schema_is_installed():
        await queries.upgrade()
    else:
        await queries.install()
    # Nothing but a catalogue look-up where it is so already.
    await queries.alter_durability()
