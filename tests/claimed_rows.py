"""Claims one chosen row, which a worker never does: it claims what is due first."""

import time
from datetime import timedelta

from carimbo.storage.connection import Connection
from carimbo.storage.work import Lease, LeaseDeadline, WorkKey
from carimbo.worker.advance import Advancer

DURATION = timedelta(minutes=1)


async def claim_row(connection: Connection, key: WorkKey, duration: timedelta = DURATION) -> Lease | None:
    """Claims a row if it is due and nobody holds it."""
    asked_at = time.monotonic()
    row = await connection.fetchrow(
        f"update {key.table} set lease_token = lease_token + 1, lease_until = now() + $3::interval,"
        " attempts = attempts + 1 where subscription_id = $1 and id = $2 and next_action_at <= now()"
        " and (lease_until is null or lease_until <= now()) returning lease_token, attempts",
        key.subscription_id, key.id, duration,
    )  # fmt: skip
    return row and Lease(
        key, row["lease_token"], row["attempts"], LeaseDeadline(asked_at + duration.total_seconds())
    )


async def advance_row(advancer: Advancer, key: WorkKey) -> timedelta | None:
    """Claims a row and runs its task; returns in what time the row is due again, or None if it is not."""
    async with advancer.database.connection() as connection:
        lease = await claim_row(connection, key, advancer.lease)
    if lease is not None:
        await advancer.work(lease)
    async with advancer.database.connection() as connection:
        again_in: timedelta | None = await connection.fetchval(
            f"select next_action_at - now() from {key.table} where subscription_id = $1 and id = $2"
            " and lease_until is null",
            key.subscription_id, key.id,
        )  # fmt: skip
    return again_in
