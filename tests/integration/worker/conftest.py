from collections.abc import AsyncIterator

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.database import PoolOptions, open_database
from carimbo.storage.envelope import KeyRing, new_key
from integration.conftest import NewDatabase
from integration.storage.document_rows import Shop, open_shop
from integration.worker.worker_site import Site


@pytest.fixture(scope="module")
async def clean_site(new_migrated_database: NewDatabase) -> AsyncIterator[Site]:
    async with (
        new_migrated_database() as url,
        open_database(url, KeyRing.parse(new_key("k1")), PoolOptions(size=20)) as database,
    ):
        async with database.connection() as connection:
            # The outcomes of the tasks of these tests, written in the concluding transaction.
            await connection.execute("create table outcomes (probe_id uuid not null, who text not null)")
        yield Site(url, database)


@pytest.fixture
async def site(clean_site: Site) -> Site:
    await clean_site.fetch("truncate probes, outcomes")
    return clean_site


@pytest.fixture
async def shop(site: Site) -> Shop:
    """The only company of the database."""
    await site.fetch("truncate companies cascade")
    authenticator = await Authenticator.open(site.database)
    return await open_shop(site.database, (await create_subscription(authenticator, "Teste")).subscription_id)
