"""How commands reach the database."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from carimbo.cli.console import NotMigrated
from carimbo.main.database import database_of
from carimbo.settings import Settings
from carimbo.storage.database import Database
from carimbo.storage.migrate import is_current

T = TypeVar("T")


def with_database(settings: Settings, use: Callable[[Database], Awaitable[T]]) -> T:
    """Run one use case on the database, once it is known to have this version's schema."""

    async def run() -> T:
        async with database_of(settings) as database:
            await _require_schema(database)
            return await use(database)

    return asyncio.run(run())


async def _require_schema(database: Database) -> None:
    async with database.connection() as connection:
        if not await is_current(connection):
            raise NotMigrated
