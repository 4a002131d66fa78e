import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, suppress

import asyncpg
import pytest

from carimbo.settings import Settings
from carimbo.storage.database import Database, DatabaseUnavailable, PoolOptions, open_database
from carimbo.storage.pool import Pool
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, wait_until_true

BACKEND = "select pg_backend_pid()"


@pytest.fixture
async def single(settings: Settings) -> AsyncIterator[Database]:
    """A database with a single connection."""
    async with opened(settings, PoolOptions(size=1)) as database:
        yield database


@pytest.fixture
async def short_timeout(settings: Settings) -> AsyncIterator[Database]:
    """A database with a single connection and a short timeout."""
    async with opened(settings, PoolOptions(size=1, command_seconds=1)) as database:
        yield database


def opened(settings: Settings, options: PoolOptions) -> AbstractAsyncContextManager[Database]:
    return open_database(settings.database_url.get_secret_value(), settings.key_ring, options)


async def backend_of(database: Database) -> int:
    async with database.connection() as connection:
        backend: int = await connection.fetchval(BACKEND)
        return backend


async def until_tasks_wait() -> None:
    """Lets all tasks run until they wait. Waiting for the pool involves no answer of a server."""
    for _ in range(20):
        await asyncio.sleep(0)


class TestConnections:
    async def test_a_returned_connection_is_used_again(self, single: Database) -> None:
        assert await backend_of(single) == await backend_of(single)

    async def test_an_error_of_the_user_keeps_the_connection(self, single: Database) -> None:
        before = await backend_of(single)
        with pytest.raises(asyncpg.UndefinedTableError):
            async with single.connection() as connection:
                await connection.fetch("select from nowhere")
        assert await backend_of(single) == before

    async def test_a_connection_with_an_open_transaction_is_discarded(self, single: Database) -> None:
        async with single.connection() as connection:
            before = await connection.fetchval(BACKEND)
            await connection.execute("begin")
        assert await backend_of(single) != before

    async def test_the_connection_of_a_cancelled_task_is_discarded(
        self, database: Database, single: Database
    ) -> None:
        before = await backend_of(single)

        async def sleep() -> None:
            async with single.connection() as connection:
                await connection.execute("select pg_sleep(30)", timeout=30)

        sleeping = asyncio.create_task(sleep())
        is_running = "exists (select from pg_stat_activity where query = 'select pg_sleep(30)')"
        async with database.connection() as connection:
            await wait_until_true(connection.fetch, is_running, TIMEOUT_SECONDS)
        sleeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeping
        assert await backend_of(single) != before

    async def test_a_cancellation_during_a_lost_connection_ends_the_task(self, single: Database) -> None:
        # Otherwise a worker that survives lost connections would renew the lease of a document for ever.
        lost = asyncio.Event()

        async def lose_connection() -> None:
            with suppress(DatabaseUnavailable):
                async with single.transaction() as connection:
                    connection.terminate()
                    lost.set()
                    await asyncio.Event().wait()

        task = asyncio.create_task(lose_connection())
        await lost.wait()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    async def test_a_statement_that_times_out_is_an_outage_and_frees_its_slot(
        self, short_timeout: Database
    ) -> None:
        with pytest.raises(DatabaseUnavailable):
            async with short_timeout.connection() as connection:
                await connection.execute("select pg_sleep(30)")
        assert await backend_of(short_timeout)


class TestAbandonedStatement:
    """A statement that was reported as failed may be repeated, so it must not be executed after all."""

    LOCK = 4711
    INSERT = f"insert into abandoned select pg_advisory_xact_lock({LOCK}) is null"

    @pytest.fixture
    async def holder(self, database: Database) -> AsyncIterator[Database]:
        """Blocks the statement for the length of a test, and reads what is left."""
        async with database.connection() as connection:
            await connection.execute("create table abandoned (is_there boolean)")
            await connection.execute("select pg_advisory_lock($1)", self.LOCK)
            try:
                yield database
            finally:
                await connection.execute("drop table abandoned")

    async def test_a_statement_that_timed_out_is_not_executed(
        self, holder: Database, short_timeout: Database
    ) -> None:
        for _ in range(3):
            with pytest.raises(DatabaseUnavailable):
                async with short_timeout.connection() as connection:
                    await connection.execute(self.INSERT)
        await backend_of(short_timeout)
        await self._require_nothing_left(holder)

    async def test_a_statement_of_a_cancelled_task_is_not_executed(
        self, holder: Database, single: Database
    ) -> None:
        async def insert() -> None:
            async with single.connection() as connection:
                await connection.execute(self.INSERT, timeout=30)

        inserting = asyncio.create_task(insert())
        async with holder.connection() as connection:
            await wait_until_true(connection.fetch, f"{BLOCKED_SESSIONS} >= 1", TIMEOUT_SECONDS)
        inserting.cancel()
        await asyncio.gather(inserting, return_exceptions=True)
        await backend_of(single)
        await self._require_nothing_left(holder)

    async def _require_nothing_left(self, holder: Database) -> None:
        query = "select count(*) from pg_stat_activity where query = $1 and state = 'active'"
        async with holder.connection() as connection:
            assert await connection.fetchval(query, self.INSERT) == 0
            assert await connection.fetchval("select count(*) from abandoned") == 0


class TestWaiting:
    async def test_a_waiting_task_gets_the_returned_connection(self, single: Database) -> None:
        async with single.connection() as connection:
            backend = await connection.fetchval(BACKEND)
            waiting = asyncio.create_task(backend_of(single))
            await until_tasks_wait()
            assert not waiting.done()
        assert await waiting == backend

    async def test_a_task_that_waits_for_its_own_connection_gets_an_error(
        self, short_timeout: Database
    ) -> None:
        async with short_timeout.connection():
            with pytest.raises(DatabaseUnavailable, match="todas as conexões deste processo"):
                await backend_of(short_timeout)
        assert await backend_of(short_timeout)

    async def test_a_waiting_task_that_is_cancelled_takes_no_slot(self, single: Database) -> None:
        async with single.connection():
            waiting = asyncio.create_task(backend_of(single))
            await until_tasks_wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert await backend_of(single)

    async def test_a_connection_offered_to_a_cancelled_task_goes_to_the_next(self, single: Database) -> None:
        async with single.connection():
            leaving, staying = (asyncio.create_task(backend_of(single)) for _ in range(2))
            await until_tasks_wait()
        leaving.cancel()
        assert await staying
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert await backend_of(single)

    async def test_waiting_tasks_are_served_in_order(self, single: Database) -> None:
        served: list[int] = []

        async def be_served(number: int) -> None:
            async with single.connection():
                served.append(number)

        async with single.connection():
            waiting = [asyncio.create_task(be_served(number)) for number in range(5)]
            await until_tasks_wait()
        await asyncio.gather(*waiting)
        assert served == [0, 1, 2, 3, 4]

    async def test_a_connection_that_could_not_be_opened_takes_no_slot(self) -> None:
        async def fail() -> "asyncpg.Connection[asyncpg.Record]":
            raise OSError("nobody there")

        pool = Pool(fail, size=1, wait_seconds=1, close_seconds=1)
        for _ in range(3):
            with pytest.raises(OSError, match="nobody there"):
                await pool.take()


class TestClosing:
    async def test_closing_closes_idle_connections_at_once_and_used_ones_later(
        self, settings: Settings
    ) -> None:
        url = settings.database_url.get_secret_value()
        async with open_database(url, settings.key_ring, PoolOptions(size=2)) as database:
            borrowed = database.connection()
            connection = await borrowed.__aenter__()
        assert not connection.is_closed()
        await borrowed.__aexit__(None, None, None)
        assert connection.is_closed()
