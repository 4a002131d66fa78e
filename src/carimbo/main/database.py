"""The database of a process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from carimbo.settings import Settings
from carimbo.storage.database import Database, open_database


@asynccontextmanager
async def database_of(settings: Settings, connections: int | None = None) -> AsyncIterator[Database]:
    """Open the database that the settings name, with as many connections as they say, or fewer."""
    url, usual = settings.database_url.get_secret_value(), settings.pool_options
    options = replace(usual, size=min(usual.size, connections or usual.size))
    async with open_database(url, settings.key_ring, options) as database:
        yield database
