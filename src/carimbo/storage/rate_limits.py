"""Limits how often something happens, exactly over all processes."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from carimbo.storage.connection import Connection


@dataclass(frozen=True)
class Rate:
    """How often something may happen: so many times at once, and after that once in each interval."""

    at_once: int
    interval: timedelta

    @classmethod
    def per_minute(cls, count: int) -> "Rate":
        """Returns the rate whose whole minute may be used at once."""
        return cls(count, timedelta(minutes=1) / count)


async def admit(connection: Connection, key: UUID, rate: Rate) -> timedelta | None:
    """Counts one use of a key and returns None, or returns how long to wait.

    A key is a subscription, or a hash of what is limited. Its row has the theoretical arrival time of the
    next use (GCRA), so that a check is one statement on one row.
    """
    window = rate.interval * rate.at_once
    is_admitted = await connection.fetchval(
        """
        insert into rate_limits as r (subscription_id, arrival_at)
        values ($1, clock_timestamp() + $2::interval)
        on conflict (subscription_id) do update
            set arrival_at = greatest(r.arrival_at, clock_timestamp()) + $2::interval
            where greatest(r.arrival_at, clock_timestamp()) + $2::interval <= clock_timestamp() + $3::interval
        returning true
        """,
        key, rate.interval, window,
    )  # fmt: skip
    if is_admitted:
        return None
    wait: timedelta = await connection.fetchval(
        "select arrival_at + $2::interval - clock_timestamp() - $3::interval from rate_limits"
        " where subscription_id = $1",
        key, rate.interval, window,
    )  # fmt: skip
    return wait


async def forget(connection: Connection, key: UUID) -> None:
    """Forgets all uses of a key."""
    await connection.execute("delete from rate_limits where subscription_id = $1", key)


async def delete_old_rate_limits(connection: Connection) -> None:
    """Deletes the rows of keys that were last used long ago; a key without a row is not limited either."""
    await connection.execute("delete from rate_limits where arrival_at < now() - interval '1 hour'")
