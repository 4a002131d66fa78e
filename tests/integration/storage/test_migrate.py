import asyncio
import re
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any, ClassVar, TypeAlias

import asyncpg
import pytest

from carimbo.storage.connection import DatabaseUnavailable, connect
from carimbo.storage.identifiers import new_id
from carimbo.storage.migrate import (
    AppliedMigrations,
    Migration,
    MigrationLocked,
    SchemaMismatch,
    all_migrations,
    is_current,
    migrate,
)
from carimbo.storage.probes import add_probe
from carimbo.storage.queue import WORK_CHANNEL, listen
from integration.conftest import NewDatabase
from support import TIMEOUT_SECONDS

Session: TypeAlias = "asyncpg.Connection[Any]"
LOCK_TIMEOUT = 60
NAMES = tuple(f"{migration.version:04}_{migration.name}" for migration in all_migrations())
PROBES_INDEXED = Migration(
    9999,
    "probes_indexed",
    "-- Built without blocking writers; an interrupted build is repeated.\n"
    "drop index concurrently if exists probes_again;\n"
    "create index concurrently probes_again on probes (id);\n",
)


@pytest.fixture
async def fresh_url(new_database: NewDatabase) -> AsyncIterator[str]:
    """A new, empty database."""
    async with new_database() as url:
        yield url


@pytest.fixture
async def fresh(fresh_url: str) -> AsyncIterator[Session]:
    connection = await asyncpg.connect(fresh_url)
    yield connection
    await connection.close()


@pytest.fixture
async def migrated_url(new_migrated_database: NewDatabase) -> AsyncIterator[str]:
    """A new database with every migration."""
    async with new_migrated_database() as url:
        yield url


@pytest.fixture
async def migrated(migrated_url: str) -> AsyncIterator[Session]:
    connection = await asyncpg.connect(migrated_url)
    yield connection
    await connection.close()


async def schema_of(connection: Session) -> list[Any]:
    """Returns every column and index."""
    columns = await connection.fetch(
        "select table_name, column_name, data_type, column_default, is_nullable"
        " from information_schema.columns where table_schema = 'public' order by 1, 2"
    )
    indexes = await connection.fetch("select indexdef from pg_indexes where schemaname = 'public' order by 1")
    return [tuple(row) for row in [*columns, *indexes]]


class TestMigrate:
    async def test_a_fresh_database_gets_every_migration_in_order(
        self, fresh_url: str, fresh: Session
    ) -> None:
        assert await migrate(fresh_url, LOCK_TIMEOUT) == AppliedMigrations(NAMES)
        applied = await fresh.fetch("select version, name, checksum from schema_migrations order by version")
        assert [tuple(row) for row in applied] == [(m.version, m.name, m.checksum) for m in all_migrations()]

    async def test_a_second_run_changes_nothing(self, migrated_url: str, migrated: Session) -> None:
        before = await schema_of(migrated), await migrated.fetch("select * from schema_migrations")
        assert await migrate(migrated_url, LOCK_TIMEOUT) == AppliedMigrations(())
        assert (await schema_of(migrated), await migrated.fetch("select * from schema_migrations")) == before

    async def test_of_several_simultaneous_runs_one_applies_and_all_succeed(self, fresh_url: str) -> None:
        runs = await asyncio.gather(*(migrate(fresh_url, LOCK_TIMEOUT) for _ in range(4)))
        assert sorted(run.applied for run in runs) == [(), (), (), NAMES]

    async def test_a_database_that_is_behind_gets_only_what_is_missing(
        self, migrated_url: str, migrated: Session
    ) -> None:
        await migrated.execute("drop table probes; delete from schema_migrations where name = 'probes'")
        assert (await migrate(migrated_url, LOCK_TIMEOUT)).applied == ("0003_probes",)

    async def test_a_migration_applied_with_other_text_is_refused(
        self, migrated_url: str, migrated: Session
    ) -> None:
        await migrated.execute("update schema_migrations set checksum = 'edited' where version = 2")
        with pytest.raises(SchemaMismatch, match="a migração 0002_companies foi aplicada com outro texto"):
            await migrate(migrated_url, LOCK_TIMEOUT)

    async def test_a_second_migration_keeps_the_rows(self, migrated_url: str, migrated: Session) -> None:
        async with migrated.transaction():
            await add_probe(migrated)
        await migrate(migrated_url, LOCK_TIMEOUT)
        assert await migrated.fetchval("select count(*) from probes") == 1

    async def test_a_migration_that_fails_leaves_nothing_half_done(
        self, fresh_url: str, fresh: Session
    ) -> None:
        await fresh.execute("create table certificates (in_the_way text)")
        with pytest.raises(asyncpg.DuplicateTableError):
            await migrate(fresh_url, LOCK_TIMEOUT)
        assert await fresh.fetchval("select max(version) from schema_migrations") == 1
        assert await fresh.fetchval("select to_regclass('companies')") is None
        await fresh.execute("drop table certificates")
        assert (await migrate(fresh_url, LOCK_TIMEOUT)).applied[0] == NAMES[1]

    async def test_an_unknown_server_is_unavailable(self) -> None:
        with pytest.raises(DatabaseUnavailable):
            await migrate("postgresql://postgres@/postgres?host=/nonexistent", LOCK_TIMEOUT)


class TestLock:
    async def test_a_lock_that_is_never_released_raises_an_error(
        self, fresh_url: str, fresh: Session
    ) -> None:
        await self._hold(fresh)
        with pytest.raises(MigrationLocked, match=re.escape("a vez não chegou em 0.3 s")):
            await asyncio.wait_for(migrate(fresh_url, 0.3), timeout=60)
        assert await fresh.fetchval("select to_regclass('schema_migrations')") is None

    async def test_a_run_continues_as_soon_as_the_lock_is_free(self, fresh_url: str, fresh: Session) -> None:
        await self._hold(fresh)
        migration = asyncio.create_task(migrate(fresh_url, LOCK_TIMEOUT))
        await self._wait_until_blocked(fresh)
        await fresh.execute("select pg_advisory_unlock_all()")
        assert (await asyncio.wait_for(migration, timeout=60)).applied == NAMES

    async def test_a_locked_table_raises_an_error(self, migrated_url: str, migrated: Session) -> None:
        async with migrated.transaction():
            await migrated.execute("lock table schema_migrations in access exclusive mode")
            with pytest.raises(MigrationLocked, match=re.escape("uma tabela não ficou livre em 0.3 s")):
                await asyncio.wait_for(migrate(migrated_url, 0.3), timeout=60)

    async def test_the_lock_is_released_afterwards(self, fresh_url: str, fresh: Session) -> None:
        await migrate(fresh_url, LOCK_TIMEOUT)
        held = await fresh.fetchval(
            "select count(*) from pg_locks where locktype = 'advisory'"
            " and database = (select oid from pg_database where datname = current_database())"
        )
        assert held == 0

    async def _hold(self, connection: Session) -> None:
        # The number spells "cari"; a version with another number would not be locked out.
        await connection.execute("select pg_advisory_lock($1)", int.from_bytes(b"cari"))

    async def _wait_until_blocked(self, connection: Session) -> None:
        async with asyncio.timeout(60):
            waiting = (
                "select exists (select from pg_stat_activity where datname = current_database()"
                " and pid <> pg_backend_pid() and query like '%pg_try_advisory_lock%')"
            )
            while True:
                if await connection.fetchval(waiting):
                    return
                await asyncio.sleep(0.01)


class TestConcurrently:
    """A migration that must not block writers can't run in a transaction."""

    @pytest.fixture(autouse=True)
    def indexed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        migrations = (*all_migrations(), PROBES_INDEXED)
        monkeypatch.setattr("carimbo.storage.migrate.all_migrations", lambda: migrations)

    async def test_an_index_is_built_concurrently(self, migrated_url: str, migrated: Session) -> None:
        assert (await migrate(migrated_url, LOCK_TIMEOUT)).applied == ("9999_probes_indexed",)
        assert await self._is_valid(migrated)
        assert (await migrate(migrated_url, LOCK_TIMEOUT)).applied == ()

    async def test_waiting_runs_do_not_block_a_concurrent_index(self, migrated_url: str) -> None:
        runs = await asyncio.gather(*(migrate(migrated_url, LOCK_TIMEOUT) for _ in range(4)))
        assert sorted(run.applied for run in runs) == [(), (), (), ("9999_probes_indexed",)]

    async def test_an_interrupted_index_is_built_again(self, migrated_url: str, migrated: Session) -> None:
        await migrate(migrated_url, LOCK_TIMEOUT)
        await migrated.execute("drop index probes_again; delete from schema_migrations where version = 9999")
        writer = await asyncpg.connect(migrated_url)
        async with writer.transaction():
            await add_probe(writer)
            with pytest.raises(MigrationLocked):
                await migrate(migrated_url, 0.3)
            assert not await self._is_valid(migrated)
        await writer.close()
        assert (await migrate(migrated_url, LOCK_TIMEOUT)).applied == ("9999_probes_indexed",)
        assert await self._is_valid(migrated)

    async def _is_valid(self, connection: Session) -> bool:
        valid: bool = await connection.fetchval(
            "select indisvalid from pg_index where indexrelid = 'probes_again'::regclass"
        )
        return valid


class TestRollingRestart:
    """Processes of the release before work on the new schema until they are restarted."""

    # The parts of PgQueuer's table that the release before writes to, and its statement for a new probe.
    OLD_QUEUE: ClassVar = """
        create type pgqueuer_status as enum ('queued', 'picked');
        create table pgqueuer (
            id bigserial primary key, priority integer not null, status pgqueuer_status not null,
            entrypoint text not null, dedupe_key text, payload bytea, execute_after timestamptz not null
        );
        create unique index pgqueuer_unique_dedupe_key on pgqueuer (dedupe_key)
            where status in ('queued', 'picked') and dedupe_key is not null;
        create index documents_due on documents (next_action_at) where next_action_at is not null;
        create function wake_worker() returns void language sql as 'select';
        delete from schema_migrations where version = 35;
    """
    OLD_PROBE: ClassVar = """
        with added as (
            insert into probes (subscription_id, id, next_action_at) values (gen_random_uuid(), $1, now())
            returning *
        )
        insert into pgqueuer (status, entrypoint, priority, payload, dedupe_key, execute_after)
        select 'queued', 'probe', 0, convert_to(id::text, 'UTF8'), id::text, now() from added
        on conflict (dedupe_key) where status in ('queued', 'picked') and dedupe_key is not null do nothing
    """

    @pytest.fixture
    async def older(self, migrated: Session) -> Session:
        """A session of the release before, on the schema with its tables."""
        await migrated.execute(self.OLD_QUEUE)
        return migrated

    async def test_what_older_processes_use_stays_while_they_are_connected(
        self, migrated_url: str, older: Session
    ) -> None:
        assert await migrate(migrated_url, LOCK_TIMEOUT) == AppliedMigrations((), ("0035_without_pgqueuer",))
        await older.execute(self.OLD_PROBE, new_id())
        assert await is_current(older)

    async def test_what_nobody_uses_any_more_goes(self, migrated_url: str, older: Session) -> None:
        await older.execute(self.OLD_PROBE, new_id())
        await older.close()
        newer = await connect(migrated_url)
        assert await migrate(migrated_url, LOCK_TIMEOUT) == AppliedMigrations(("0035_without_pgqueuer",))
        assert await newer.fetchval("select to_regclass('pgqueuer')") is None
        assert await newer.fetchval("select count(*) from probes") == 1
        await newer.close()

    async def test_rows_of_older_processes_wake_newer_workers(
        self, migrated_url: str, older: Session
    ) -> None:
        woken, listening = asyncio.Queue[str](), asyncio.Event()
        listener = asyncio.create_task(listen(migrated_url, WORK_CHANNEL, woken.put_nowait, listening.set))
        await asyncio.wait_for(listening.wait(), TIMEOUT_SECONDS)
        await older.execute(self.OLD_PROBE, new_id())
        assert await asyncio.wait_for(woken.get(), TIMEOUT_SECONDS) == "probe"
        listener.cancel()


class TestIsCurrent:
    async def test_an_empty_database_is_not_current(self, fresh: Session) -> None:
        assert not await is_current(fresh)

    async def test_a_migrated_database_is_current(self, migrated: Session) -> None:
        assert await is_current(migrated)

    async def test_a_database_without_the_newest_migration_is_not_current(self, migrated: Session) -> None:
        newest = max(migration.version for migration in all_migrations() if not migration.waits_for_restart)
        await migrated.execute("delete from schema_migrations where version >= $1", newest)
        assert not await is_current(migrated)

    async def test_a_database_without_any_migration_is_not_current(self, migrated: Session) -> None:
        await migrated.execute("delete from schema_migrations")
        assert not await is_current(migrated)

    async def test_a_database_of_a_newer_version_is_current(self, migrated: Session) -> None:
        await migrated.execute("insert into schema_migrations values (9999, 'from_the_future', '')")
        assert await is_current(migrated)


class TestKnownMigrations:
    def test_migration_numbers_have_no_gaps_and_no_duplicates(self) -> None:
        versions = [migration.version for migration in all_migrations()]
        assert versions == list(range(1, len(versions) + 1))

    def test_every_file_of_the_folder_is_a_migration(self) -> None:
        folder = files("carimbo.storage") / "migrations"
        assert sorted(file.name for file in folder.iterdir()) == [f"{name}.sql" for name in NAMES]


class TestSchema:
    async def test_keys_of_tenant_tables_begin_with_the_tenant(self, migrated: Session) -> None:
        """So the schema can be distributed or partitioned by tenant without change."""
        rows = await migrated.fetch(
            """
            select i.indexrelid::regclass::text as name, a.attname as first_column
            from pg_index i
            join pg_attribute tenant on tenant.attrelid = i.indrelid and tenant.attname = 'subscription_id'
            join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
            where i.indisunique
            """
        )
        assert "companies_by_tax_id" in {row["name"] for row in rows}
        assert [row["name"] for row in rows if row["first_column"] != "subscription_id"] == []

    async def test_every_table_has_a_primary_key(self, migrated: Session) -> None:
        without = await migrated.fetch(
            """
            select relname from pg_class c where relkind = 'r' and relnamespace = 'public'::regnamespace
                and not exists (select from pg_index where indrelid = c.oid and indisprimary)
            """
        )
        assert without == []
