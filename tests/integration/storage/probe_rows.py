"""Probes, the simplest rows of work."""

from datetime import timedelta
from typing import Any

from carimbo.storage.database import Database
from carimbo.storage.work import Lease, WorkKey
from claimed_rows import claim_row

MINUTE = timedelta(minutes=1)
NONE = timedelta(0)


async def claimed(database: Database, key: WorkKey, duration: timedelta = MINUTE) -> Lease:
    lease = await claim(database, key, duration)
    assert lease is not None
    return lease


async def claim(database: Database, key: WorkKey, duration: timedelta = MINUTE) -> Lease | None:
    async with database.transaction() as connection:
        return await claim_row(connection, key, duration)


async def row_of(database: Database, key: WorkKey) -> dict[str, Any]:
    async with database.connection() as connection:
        row = await connection.fetchrow("select *, now() from probes where id = $1", key.id)
    assert row is not None
    return dict(row)


async def change(database: Database, key: WorkKey, changes: str) -> None:
    async with database.connection() as connection:
        await connection.execute(f"update probes set {changes} where id = $1", key.id)
