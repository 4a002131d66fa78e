"""The request rate of each subscription, exact over all API processes (GCRA on one row)."""

from datetime import timedelta
from uuid import UUID

from carimbo.storage.connection import Connection


async def take_turn(connection: Connection, subscription_id: UUID, per_minute: int) -> timedelta | None:
    """Let one request through (None), or tell how long to wait.

    The row holds the theoretical arrival time of the next request. A whole minute's worth may come at once;
    after that, one every 60/per_minute seconds.
    """
    interval = timedelta(minutes=1) / per_minute
    let_through = await connection.fetchval(
        """
        insert into rate_limits as r (subscription_id, arrival_at)
        values ($1, clock_timestamp() + $2::interval)
        on conflict (subscription_id) do update
            set arrival_at = greatest(r.arrival_at, clock_timestamp()) + $2::interval
            where greatest(r.arrival_at, clock_timestamp()) + $2::interval
                <= clock_timestamp() + interval '1 minute'
        returning true
        """,
        subscription_id, interval,
    )  # fmt: skip
    if let_through:
        return None
    wait: timedelta = await connection.fetchval(
        "select arrival_at + $2::interval - clock_timestamp() - interval '1 minute' from rate_limits"
        " where subscription_id = $1",
        subscription_id, interval,
    )  # fmt: skip
    return wait
