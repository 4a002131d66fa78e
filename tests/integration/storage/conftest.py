from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.database import Database, PoolOptions, open_database
from carimbo.storage.envelope import KeyRing, new_key
from carimbo.storage.probes import add_probe
from carimbo.storage.work import Lease, WorkKey
from integration.conftest import NewDatabase
from integration.storage.document_rows import Shop, open_shop
from integration.storage.neighbours import Neighbours, create_neighbours
from integration.storage.probe_rows import claimed


@pytest.fixture(scope="module")
async def rows_url(new_migrated_database: NewDatabase) -> AsyncIterator[str]:
    """The URL of a separate database for each test file."""
    async with new_migrated_database() as url:
        yield url


@pytest.fixture(scope="module")
async def rows_database(rows_url: str) -> AsyncIterator[Database]:
    async with open_database(rows_url, KeyRing.parse(new_key("k1")), PoolOptions(size=20)) as opened:
        yield opened


@pytest.fixture
async def rows(rows_database: Database) -> Database:
    """The file's database, without any work in it."""
    async with rows_database.connection() as connection:
        await connection.execute("truncate probes")
    return rows_database


@pytest.fixture
async def key(rows: Database) -> WorkKey:
    """A row of work that is due."""
    async with rows.transaction() as connection:
        return await add_probe(connection)


@pytest.fixture
async def lease(rows: Database, key: WorkKey) -> Lease:
    return await claimed(rows, key)


@pytest.fixture
async def subscription_id(authenticator: Authenticator) -> UUID:
    return (await create_subscription(authenticator, "Teste")).subscription_id


@pytest.fixture
async def shop(database: Database, subscription_id: UUID) -> Shop:
    return await open_shop(database, subscription_id)


@pytest.fixture
async def other_shop(database: Database, subscription_id: UUID) -> Shop:
    """Another company of the same subscription."""
    return await open_shop(database, subscription_id, "12ABC34501DE35")


@pytest.fixture
async def neighbours(database: Database, authenticator: Authenticator) -> Neighbours:
    return await create_neighbours(database, authenticator)
