"""Probes: proof that the queue reaches a worker and that its answer reaches the database."""

import asyncio
import time

from carimbo.storage.database import Database
from carimbo.storage.probes import add_probe, answer_probe, answered_at
from carimbo.storage.work import Lease, conclude

_LOOK_EVERY_SECONDS = 0.05


async def answer(database: Database, lease: Lease) -> None:
    """Answer a probe: the work and its conclusion in one transaction."""
    async with database.transaction() as connection:
        await answer_probe(connection, lease.key.id)
        await conclude(connection, lease)


async def probe_queue(database: Database, patience_seconds: float) -> float | None:
    """Send a probe through the queue; the seconds until a worker answered, or None if none did."""
    started = time.monotonic()
    async with database.transaction() as connection:
        key = await add_probe(connection)
    while time.monotonic() - started < patience_seconds:
        async with database.connection() as connection:
            if await answered_at(connection, key.id) is not None:
                return time.monotonic() - started
        await asyncio.sleep(_LOOK_EVERY_SECONDS)
    return None
