import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from carimbo.settings import Settings
from carimbo.storage.database import Database, DatabaseUnavailable, PoolOptions, open_database
from support import TIMEOUT_SECONDS


@pytest.fixture
async def own_pool(settings: Settings) -> AsyncIterator[Database]:
    url = settings.database_url.get_secret_value()
    async with open_database(url, settings.key_ring, PoolOptions(size=2)) as opened:
        yield opened


async def cut(database: Database, lost: Any, backend: int) -> None:
    """Ends a connection on the server, as a restart does, and waits until the client notices."""
    async with database.connection() as connection:
        await connection.execute("select pg_terminate_backend($1, 10000)", backend)
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while not lost.is_closed():  # noqa: ASYNC110 - the driver has no event for it
            await asyncio.sleep(0.01)


class TestLostConnection:
    async def test_a_statement_on_a_lost_connection_raises_database_unavailable(
        self, database: Database, own_pool: Database
    ) -> None:
        with pytest.raises(DatabaseUnavailable):
            async with own_pool.transaction() as connection:
                await cut(database, connection, await connection.fetchval("select pg_backend_pid()"))
                await connection.fetchval("select 1")

    async def test_a_running_statement_raises_database_unavailable(
        self, database: Database, own_pool: Database
    ) -> None:
        async with own_pool.connection() as connection:
            backend = await connection.fetchval("select pg_backend_pid()")

        async def sleep_on() -> None:
            async with own_pool.connection() as connection:
                await connection.execute("select pg_sleep(30)")

        sleeping = asyncio.create_task(sleep_on())
        async with database.connection() as watcher, asyncio.timeout(TIMEOUT_SECONDS):
            while True:
                query = "select query from pg_stat_activity where pid = $1 and state = 'active'"
                if "pg_sleep" in (await watcher.fetchval(query, backend) or ""):
                    break
                await asyncio.sleep(0.01)
        await cut(database, connection, backend)
        with pytest.raises(DatabaseUnavailable):
            await sleeping

    async def test_the_pool_replaces_a_lost_connection(self, database: Database, own_pool: Database) -> None:
        async with own_pool.connection() as connection:
            backend = await connection.fetchval("select pg_backend_pid()")
        await cut(database, connection, backend)
        for _ in range(3):
            async with own_pool.transaction() as connection:
                assert await connection.fetchval("select 1") == 1


class TestOpenDatabase:
    @pytest.mark.parametrize("url", ["postgresql://postgres@/x?host=/nonexistent", "mysql://x", "nonsense"])
    async def test_a_missing_server_is_unavailable(self, settings: Settings, url: str) -> None:
        with pytest.raises(DatabaseUnavailable):
            async with open_database(url, settings.key_ring):
                pass

    async def test_a_missing_database_is_unavailable(self, settings: Settings) -> None:
        url = urlsplit(settings.database_url.get_secret_value())._replace(path="/no_such_database")
        with pytest.raises(DatabaseUnavailable):
            async with open_database(urlunsplit(url), settings.key_ring):
                pass


class TestWrongQueries:
    @pytest.mark.parametrize(
        ("query", "arguments", "error"),
        [
            ("select from no_such_table", [], asyncpg.UndefinedTableError),
            ("select $1::integer", ["not a number"], asyncpg.DataError),
            ("select 1 / 0", [], asyncpg.DivisionByZeroError),
        ],
    )
    async def test_a_wrong_query_is_not_an_outage(
        self, database: Database, query: str, arguments: list[str], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            async with database.transaction() as connection:
                await connection.fetch(query, *arguments)
