"""Requests that wait for a locked row."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import asyncpg
import httpx2

from carimbo.storage.database import Database
from support import BLOCKED_SESSIONS, TIMEOUT_SECONDS, wait_until_true


async def held_up(
    database: Database, request: Coroutine[Any, Any, httpx2.Response]
) -> "asyncio.Task[httpx2.Response]":
    """Sends a request and returns once it waits for a lock."""

    async def fetch(query: str) -> list[asyncpg.Record]:
        async with database.connection() as connection:
            return await connection.fetch(query)

    waiting = asyncio.create_task(request)
    await wait_until_true(fetch, f"{BLOCKED_SESSIONS} >= 1", TIMEOUT_SECONDS)
    assert not waiting.done()
    return waiting
