"""The whole installation, for its operator: subscriptions with their sizes, and plans."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, Row
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, newer_than
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
    {_FOUND}
"""
_BY_NAME = "order by s.name, s.id"
_PLANS = """
    select p.name as plan, p.monthly_documents, p.total_documents, p.requests_per_minute,
        count(s.id) as subscriptions
    from plans p left join subscriptions s on s.plan = p.name group by p.name order by p.name
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


class Installation:
    """Data of the whole installation, across subscriptions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def subscriptions(self, search: str | None, offset: int, size: int) -> list[SizedSubscription]:
        """Returns a page of the subscriptions that a search matches, by name."""
        rows = await self._connection.fetch(
            f"{_SUBSCRIPTIONS} {_BY_NAME} offset $2 limit $3", search, offset, size
        )
        return [_sized_subscription(row) for row in rows]

    async def subscriptions_after(
        self, search: str | None, after: Position | None, size: int
    ) -> KeysetPage[SizedSubscription]:
        """Returns the subscriptions of a search after a place in the list by name."""
        values: list[Any] = [search]
        beyond = newer_than(after, "s.name, s.id", values)
        rows = await self._connection.fetch(f"{_SUBSCRIPTIONS}{beyond} {_BY_NAME} limit {size}", *values)
        subscriptions = [_sized_subscription(row) for row in rows]
        return keyset_page(subscriptions, size, lambda row: (row.subscription.name, row.subscription.id))

    async def count_subscriptions(self, search: str | None) -> int:
        """Returns how many subscriptions a search matches."""
        total: int = await self._connection.fetchval(f"select count(*) {_FOUND}", search)
        return total

    async def subscription(self, subscription_id: UUID) -> SizedSubscription | None:
        """Returns a subscription with its sizes, or None."""
        row = await self._connection.fetchrow(f"{_SUBSCRIPTIONS} and s.id = $2", None, subscription_id)
        return row and _sized_subscription(row)

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

    async def server_version(self) -> str:
        """Returns the version of the PostgreSQL server."""
        version: str = await self._connection.fetchval("select current_setting('server_version')")
        return version


def _sized_subscription(row: Row) -> SizedSubscription:
    return SizedSubscription(subscription_of(row), row["companies"], row["people"])
