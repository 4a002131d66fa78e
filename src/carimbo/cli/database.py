"""Runs a command's use case on the database. Not part of `console.py`: many commands need no database."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from carimbo.cli.console import NotMigrated
from carimbo.main.database import database_of
from carimbo.settings import Settings
from carimbo.storage.actors import OPERATOR_AT_TERMINAL
from carimbo.storage.database import Database
from carimbo.storage.migrate import is_current

T = TypeVar("T")


def with_database(settings: Settings, use: Callable[[Database], Awaitable[T]]) -> T:
    """Runs a use case for the operator and returns its result.

    Raises NotMigrated if the schema is not this version's.
    """

    async def run() -> T:
        async with database_of(settings) as database:
            async with database.connection() as connection:
                if not await is_current(connection):
                    raise NotMigrated
            return await use(database.acting_as(OPERATOR_AT_TERMINAL))

    return asyncio.run(run())
