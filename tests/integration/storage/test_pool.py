import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager

import asyncpg
import pytest

from carimbo.settings import Settings
from carimbo.storage.database import Database, DatabaseUnavailable, PoolOptions, open_database
from carimbo.storage.pool import Pool
from support import HELD_UP, PATIENCE, until_it_holds

BACKEND = "select pg_backend_pid()"


@pytest.fixture
async def one(settings: Settings) -> AsyncIterator[Database]:
    """A database with a single connection."""
    async with opened(settings, PoolOptions(size=1)) as database:
        yield database


@pytest.fixture
async def hasty(settings: Settings) -> AsyncIterator[Database]:
    """The same, for who gives up soon."""
    async with opened(settings, PoolOptions(size=1, command_seconds=1)) as database:
        yield database


def opened(settings: Settings, options: PoolOptions) -> AbstractAsyncContextManager[Database]:
    return open_database(settings.database_url.get_secret_value(), settings.key_ring, options)


async def backend_of(database: Database) -> int:
    async with database.connection() as connection:
        backend: int = await connection.fetchval(BACKEND)
        return backend


async def until_tasks_wait() -> None:
    """Lets all tasks run until they wait; who waits for a place in a pool needs no answer of a server."""
    for _ in range(20):
        await asyncio.sleep(0)


class TestLending:
    async def test_what_came_back_is_lent_again(self, one: Database) -> None:
        assert await backend_of(one) == await backend_of(one)

    async def test_an_error_of_the_borrower_does_not_cost_the_connection(self, one: Database) -> None:
        before = await backend_of(one)
        with pytest.raises(asyncpg.UndefinedTableError):
            async with one.connection() as connection:
                await connection.fetch("select from nowhere")
        assert await backend_of(one) == before

    async def test_a_transaction_that_was_left_open_ends_with_its_connection(self, one: Database) -> None:
        async with one.connection() as connection:
            before = await connection.fetchval(BACKEND)
            await connection.execute("begin")
        assert await backend_of(one) != before

    async def test_a_borrower_who_is_cancelled_leaves_nobody_a_busy_connection(
        self, database: Database, one: Database
    ) -> None:
        before = await backend_of(one)

        async def sleep() -> None:
            async with one.connection() as connection:
                await connection.execute("select pg_sleep(30)", timeout=30)

        sleeping = asyncio.create_task(sleep())
        is_running = "exists (select from pg_stat_activity where query = 'select pg_sleep(30)')"
        async with database.connection() as connection:
            await until_it_holds(connection.fetch, is_running, PATIENCE)
        sleeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeping
        assert await backend_of(one) != before

    async def test_a_statement_that_takes_too_long_is_an_outage_and_frees_its_place(
        self, hasty: Database
    ) -> None:
        with pytest.raises(DatabaseUnavailable):
            async with hasty.connection() as connection:
                await connection.execute("select pg_sleep(30)")
        assert await backend_of(hasty)


class TestStatementThatIsGivenUp:
    """Who is told that a statement failed may repeat it: it must not be carried out after all."""

    LOCK = 4711
    INSERT = f"insert into given_up select pg_advisory_xact_lock({LOCK}) is null"

    @pytest.fixture
    async def holder(self, database: Database) -> AsyncIterator[Database]:
        """Somebody who keeps the statement waiting for as long as a test takes, and sees what is left."""
        async with database.connection() as connection:
            await connection.execute("create table given_up (is_there boolean)")
            await connection.execute("select pg_advisory_lock($1)", self.LOCK)
            try:
                yield database
            finally:
                await connection.execute("drop table given_up")

    async def test_after_its_time_is_not_carried_out(self, holder: Database, hasty: Database) -> None:
        for _ in range(3):
            with pytest.raises(DatabaseUnavailable):
                async with hasty.connection() as connection:
                    await connection.execute(self.INSERT)
        await backend_of(hasty)
        await self._require_nothing_left(holder)

    async def test_by_who_is_cancelled_is_not_carried_out(self, holder: Database, one: Database) -> None:
        async def insert() -> None:
            async with one.connection() as connection:
                await connection.execute(self.INSERT, timeout=30)

        inserting = asyncio.create_task(insert())
        async with holder.connection() as connection:
            await until_it_holds(connection.fetch, f"{HELD_UP} >= 1", PATIENCE)
        inserting.cancel()
        await asyncio.gather(inserting, return_exceptions=True)
        await backend_of(one)
        await self._require_nothing_left(holder)

    async def _require_nothing_left(self, holder: Database) -> None:
        query = "select count(*) from pg_stat_activity where query = $1 and state = 'active'"
        async with holder.connection() as connection:
            assert await connection.fetchval(query, self.INSERT) == 0
            assert await connection.fetchval("select count(*) from given_up") == 0


class TestWaiting:
    async def test_who_comes_when_all_are_lent_gets_the_one_that_comes_back(self, one: Database) -> None:
        async with one.connection() as connection:
            backend = await connection.fetchval(BACKEND)
            waiting = asyncio.create_task(backend_of(one))
            await until_tasks_wait()
            assert not waiting.done()
        assert await waiting == backend

    async def test_who_waits_for_himself_is_told(self, hasty: Database) -> None:
        async with hasty.connection():
            with pytest.raises(DatabaseUnavailable, match="todas as conexões deste processo"):
                await backend_of(hasty)
        assert await backend_of(hasty)

    async def test_a_waiter_who_is_cancelled_takes_no_place(self, one: Database) -> None:
        async with one.connection():
            waiting = asyncio.create_task(backend_of(one))
            await until_tasks_wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        assert await backend_of(one)

    async def test_a_place_that_comes_to_one_who_is_leaving_goes_to_the_next(self, one: Database) -> None:
        async with one.connection():
            leaving, staying = (asyncio.create_task(backend_of(one)) for _ in range(2))
            await until_tasks_wait()
        leaving.cancel()
        assert await staying
        with pytest.raises(asyncio.CancelledError):
            await leaving
        assert await backend_of(one)

    async def test_they_are_served_in_the_order_in_which_they_came(self, one: Database) -> None:
        served: list[int] = []

        async def be_served(number: int) -> None:
            async with one.connection():
                served.append(number)

        async with one.connection():
            waiting = [asyncio.create_task(be_served(number)) for number in range(5)]
            await until_tasks_wait()
        await asyncio.gather(*waiting)
        assert served == [0, 1, 2, 3, 4]

    async def test_a_connection_that_could_not_be_made_takes_no_place(self) -> None:
        async def fail() -> "asyncpg.Connection[asyncpg.Record]":
            raise OSError("nobody there")

        pool = Pool(fail, size=1, wait_seconds=1, close_seconds=1)
        for _ in range(3):
            with pytest.raises(OSError, match="nobody there"):
                await pool.take()


class TestClosing:
    async def test_closes_what_is_idle_and_later_what_was_lent(self, settings: Settings) -> None:
        url = settings.database_url.get_secret_value()
        async with open_database(url, settings.key_ring, PoolOptions(size=2)) as database:
            lent = database.connection()
            connection = await lent.__aenter__()
        assert not connection.is_closed()
        await lent.__aexit__(None, None, None)
        assert connection.is_closed()
