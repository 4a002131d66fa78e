"""The whole installation, for its operator: subscriptions with their sizes, plans, and parked work."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from carimbo.storage.connection import Connection
from carimbo.storage.monitoring import PARKED_SQL, ParkedWork
from carimbo.storage.sql import search_condition
from carimbo.storage.subscriptions import Subscription, SubscriptionPlan, plan_of, subscription_of

_FOUND = f"""
    from (
        select *, searchable(name) || ' ' || searchable(id::text) as searched from subscriptions
    ) as s join plans p on p.name = s.plan where {search_condition("$1")}
"""
_SUBSCRIPTIONS = f"""
    select s.id, s.name, s.features, s.created_at,
        p.name as plan, p.monthly_documents, p.total_documents, p.requests_per_minute,
        (select count(*) from companies c where c.subscription_id = s.id and c.deleted_at is null)
            as companies,
        (select count(*) from memberships m where m.subscription_id = s.id and m.accepted_at is not null)
            as people
    {_FOUND} order by s.name, s.id offset $2 limit $3
"""
_PLANS = """
    select p.name as plan, p.monthly_documents, p.total_documents, p.requests_per_minute,
        count(s.id) as subscriptions
    from plans p left join subscriptions s on s.plan = p.name group by p.name order by p.name
"""
_ALL_PARKED = f"({PARKED_SQL}) as work where parked_reason is not null"
_PARKED = f"""
    select w.*, s.name as subscription_name, coalesce(c.trade_name, c.legal_name) as company_name
    from (select * from {_ALL_PARKED} order by queued_at, id offset $1 limit $2) as w
    left join subscriptions s on s.id = w.subscription_id
    left join companies c on c.subscription_id = w.subscription_id and c.id = w.company_id
    order by w.queued_at, w.id
"""


@dataclass(frozen=True)
class SizedSubscription:
    """A subscription, and how many companies and people it has."""

    subscription: Subscription
    companies: int
    people: int


@dataclass(frozen=True)
class UsedPlan:
    """A plan, and how many subscriptions have it."""

    plan: SubscriptionPlan
    subscriptions: int


@dataclass(frozen=True, kw_only=True)
class NamedParkedWork(ParkedWork):
    """Parked work with the names of its owners; None for work of the installation itself."""

    subscription_name: str | None
    company_name: str | None


class Installation:
    """Data of the whole installation, across subscriptions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def subscriptions(self, search: str | None, offset: int, size: int) -> list[SizedSubscription]:
        """Returns a page of the subscriptions that a search matches, by name."""
        rows = await self._connection.fetch(_SUBSCRIPTIONS, search, offset, size)
        return [SizedSubscription(subscription_of(row), row["companies"], row["people"]) for row in rows]

    async def count_subscriptions(self, search: str | None) -> int:
        """Returns how many subscriptions a search matches."""
        total: int = await self._connection.fetchval(f"select count(*) {_FOUND}", search)
        return total

    async def used_in(self, subscription_ids: Sequence[UUID], periods: Sequence[str]) -> dict[UUID, int]:
        """Returns the documents that subscriptions have used, each in the period at its place."""
        rows = await self._connection.fetch(
            "select subscription_id, used from unnest($1::uuid[], $2::text[]) as u (subscription_id, period)"
            " join allowances using (subscription_id, period)",
            subscription_ids, periods,
        )  # fmt: skip
        return {row["subscription_id"]: row["used"] for row in rows}

    async def plans(self) -> list[UsedPlan]:
        """Returns every plan, by name."""
        return [UsedPlan(plan_of(row), row["subscriptions"]) for row in await self._connection.fetch(_PLANS)]

    async def parked(self, offset: int, size: int) -> list[NamedParkedWork]:
        """Returns a page of the parked work, oldest first."""
        return [NamedParkedWork(**row) for row in await self._connection.fetch(_PARKED, offset, size)]

    async def count_parked(self) -> int:
        """Returns how much work is parked."""
        total: int = await self._connection.fetchval(f"select count(*) from {_ALL_PARKED}")
        return total

    async def server_version(self) -> str:
        """Returns the version of the PostgreSQL server."""
        version: str = await self._connection.fetchval("select current_setting('server_version')")
        return version
