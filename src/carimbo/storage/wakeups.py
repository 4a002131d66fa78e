"""Hearing at once that something is due to leave the house; who does not hear it finds it a little later."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import asyncpg

from carimbo.storage.connection import connecting

OUTBOUND = "carimbo_outbound"
"""The channel that the triggers of 0012_webhooks.sql tell of rows on."""


async def listen(url: str, heard: Callable[[], None]) -> None:
    """Listen until the connection is lost, or we are cancelled."""
    with connecting():
        connection = await asyncpg.connect(url)
    lost = asyncio.Event()

    def hear(*_: Any) -> None:
        heard()

    try:
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener(OUTBOUND, hear)
        # What was told before we listened is not told again.
        heard()
        await lost.wait()
    finally:
        with suppress(OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
            await connection.close(timeout=5)
