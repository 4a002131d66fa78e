"""Subscriptions, their plans, and what each has used of its plan: documents and requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection, Row


@dataclass(frozen=True)
class SubscriptionPlan:
    """The limits of a subscription; None is no limit."""

    name: str
    monthly_documents: int | None
    total_documents: int | None
    requests_per_minute: int | None


@dataclass(frozen=True)
class Subscription:
    """A customer of this installation: its plan and its features."""

    id: UUID
    name: str
    plan: SubscriptionPlan
    features: frozenset[str]
    created_at: datetime


_SELECT = """
    select s.id, s.name, s.features, s.created_at,
           p.name as plan, p.monthly_documents, p.total_documents, p.requests_per_minute
    from subscriptions s join plans p on p.name = s.plan
"""


class Subscriptions:
    """All subscriptions; only authentication and the operator's commands use it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, subscription_id: UUID, name: str, plan: str, features: list[str]) -> None:
        """Stores a subscription."""
        await self._connection.execute(
            "insert into subscriptions (id, name, plan, features) values ($1, $2, $3, $4)",
            subscription_id, name, plan, features,
        )  # fmt: skip

    async def get(self, subscription_id: UUID) -> Subscription | None:
        """Returns a subscription with its plan, or None."""
        row = await self._connection.fetchrow(_SELECT + "where s.id = $1", subscription_id)
        return row and subscription_of(row)

    async def all(self) -> list[Subscription]:
        """Returns every subscription, oldest first."""
        rows = await self._connection.fetch(_SELECT + "order by s.created_at, s.id")
        return [subscription_of(row) for row in rows]

    async def set_plan(self, subscription_id: UUID, plan: str) -> None:
        """Sets the plan of a subscription; the plan must exist."""
        await self._connection.execute(
            "update subscriptions set plan = $2 where id = $1", subscription_id, plan
        )

    async def set_features(self, subscription_id: UUID, features: list[str]) -> None:
        """Replaces the features of a subscription."""
        await self._connection.execute(
            "update subscriptions set features = $2 where id = $1", subscription_id, features
        )


class Plans:
    """The plans of this installation: names and limits."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, plan: SubscriptionPlan) -> None:
        """Stores a plan, or changes it for all its subscriptions."""
        await self._connection.execute(
            """
            insert into plans (name, monthly_documents, total_documents, requests_per_minute)
            values ($1, $2, $3, $4)
            on conflict (name) do update set
                monthly_documents = excluded.monthly_documents,
                total_documents = excluded.total_documents,
                requests_per_minute = excluded.requests_per_minute
            """,
            plan.name, plan.monthly_documents, plan.total_documents, plan.requests_per_minute,
        )  # fmt: skip

    async def add(self, plan: SubscriptionPlan) -> bool:
        """Stores a new plan; returns False if there is one with its name."""
        row = await self._connection.fetchrow(
            "insert into plans (name, monthly_documents, total_documents, requests_per_minute)"
            " values ($1, $2, $3, $4) on conflict (name) do nothing returning name",
            plan.name, plan.monthly_documents, plan.total_documents, plan.requests_per_minute,
        )  # fmt: skip
        return row is not None

    async def get(self, name: str) -> SubscriptionPlan | None:
        """Returns the plan with a name, or None."""
        row = await self._connection.fetchrow("select *, name as plan from plans where name = $1", name)
        return row and plan_of(row)

    async def all(self) -> list[SubscriptionPlan]:
        """Returns every plan, ordered by name."""
        rows = await self._connection.fetch("select *, name as plan from plans order by name")
        return [plan_of(row) for row in rows]


def plan_of(row: Row) -> SubscriptionPlan:
    """Returns the plan of a row, which has its name as `plan` and may have other columns."""
    return SubscriptionPlan(
        row["plan"], row["monthly_documents"], row["total_documents"], row["requests_per_minute"]
    )


def subscription_of(row: Row) -> Subscription:
    """Returns the subscription of a row that also has the columns of its plan."""
    return Subscription(
        id=row["id"],
        name=row["name"],
        plan=plan_of(row),
        features=frozenset(row["features"]),
        created_at=row["created_at"],
    )


@dataclass(frozen=True)
class Usage:
    """Counts of documents in one period: authorized ones, and reserved ones that are still processing."""

    used: int
    reserved: int


class Allowances:
    """Document counters of one subscription, one row for each period."""

    def __init__(self, connection: Connection, subscription_id: UUID) -> None:
        self._connection = connection
        self._subscription_id = subscription_id

    async def reserve(self, period: str, limit: int | None) -> bool:
        """Reserves one document, unless the limit is reached; returns whether it was reserved.

        Check and reservation are one statement, so that concurrent requests can't exceed the limit.
        """
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
        """Returns the usage of a period; zeros if there is no row."""
        row = await self._connection.fetchrow(
            "select used, reserved from allowances where subscription_id = $1 and period = $2",
            self._subscription_id, period,
        )  # fmt: skip
        return Usage(**row) if row else Usage(0, 0)

    async def used_in(self, periods: Sequence[str]) -> dict[str, int]:
        """Returns the documents used in each of some periods; one without a counter is left out."""
        rows = await self._connection.fetch(
            "select period, used from allowances where subscription_id = $1 and period = any($2)",
            self._subscription_id, periods,
        )  # fmt: skip
        return {row["period"]: row["used"] for row in rows}
