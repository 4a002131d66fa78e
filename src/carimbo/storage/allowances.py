"""How many documents a subscription has used of its plan, reserved before they are issued."""

from dataclasses import dataclass
from uuid import UUID

from carimbo.storage.connection import Connection


@dataclass(frozen=True)
class Usage:
    """Documents of one period: authorized ones, and those under way."""

    used: int
    reserved: int


class Allowances:
    """Counters of one subscription, one row a period."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def reserve(self, period: str, limit: int | None) -> bool:
        """Set one document aside, unless the limit is reached: check and reservation are one statement."""
        reserved = await self._connection.fetchval(
            """
            insert into allowances as a (subscription_id, period, reserved)
            select $1, $2, 1 where $3::integer is null or $3 > 0
            on conflict (subscription_id, period) do update set reserved = a.reserved + 1
                where $3::integer is null or a.used + a.reserved < $3
            returning true
            """,
            self._subscription_id, period, limit,
        )  # fmt: skip
        return bool(reserved)

    async def usage(self, period: str) -> Usage:
        """What was used of a period; nothing of one that nothing was written of."""
        row = await self._connection.fetchrow(
            "select used, reserved from allowances where subscription_id = $1 and period = $2",
            self._subscription_id, period,
        )  # fmt: skip
        return Usage(**row) if row else Usage(0, 0)
