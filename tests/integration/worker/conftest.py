from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import asyncpg
import pytest

from carimbo.storage.database import PoolOptions, open_database
from carimbo.storage.envelope import KeyRing, new_key
from carimbo.storage.migrate import migrate
from integration.worker.worker_site import Site


@pytest.fixture(scope="module")
async def clean_site(postgres_url: str) -> AsyncIterator[Site]:
    name = f"worker_{uuid4().hex}"
    url = urlunsplit(urlsplit(postgres_url)._replace(path=f"/{name}"))
    server = await asyncpg.connect(postgres_url)
    await server.execute(f"create database {name}")
    await migrate(url, lock_timeout_seconds=20)
    async with open_database(url, KeyRing.parse(new_key("k1")), PoolOptions(size=20)) as database:
        async with database.connection() as connection:
            # What tasks of these tests did, written in the transaction that concludes.
            await connection.execute("create table outcomes (probe_id uuid not null, who text not null)")
        yield Site(url, database)
    await server.execute(f"drop database {name} with (force)")
    await server.close()


@pytest.fixture
async def site(clean_site: Site) -> Site:
    await clean_site.fetch("truncate probes, outcomes, pgqueuer, pgqueuer_log")
    return clean_site
