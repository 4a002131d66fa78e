"""Requests that wait for a row that somebody else holds."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import asyncpg
import httpx2

from carimbo.storage.database import Database
from support import HELD_UP, PATIENCE, until_it_holds


async def held_up(
    database: Database, request: Coroutine[Any, Any, httpx2.Response]
) -> "asyncio.Task[httpx2.Response]":
    """Sends a request and returns once it waits for a lock."""

    async def fetch(query: str) -> list[asyncpg.Record]:
        async with database.connection() as connection:
            return await connection.fetch(query)

    waiting = asyncio.create_task(request)
    await until_it_holds(fetch, f"{HELD_UP} >= 1", PATIENCE)
    assert not waiting.done()
    return waiting
