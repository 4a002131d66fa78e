"""Opens the database of the settings; apart from `process.py`, because it loads all of storage."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from carimbo.settings import Settings
from carimbo.storage.database import Database, open_database


@asynccontextmanager
async def database_of(
    settings: Settings, name: str = "carimbo", connections: int | None = None
) -> AsyncIterator[Database]:
    """Opens the database of the settings, with at most the given number of connections of this name."""
    url, defaults = settings.database_url.get_secret_value(), settings.pool_options
    options = replace(defaults, name=name, size=min(defaults.size, connections or defaults.size))
    async with open_database(url, settings.key_ring, options) as database:
        yield database
