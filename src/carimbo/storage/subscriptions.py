"""Subscriptions and the plans they are on."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from carimbo.storage.connection import Connection, Row


@dataclass(frozen=True)
class Plan:
    """What a subscription may spend; None is without limit."""

    name: str
    monthly_documents: int | None
    total_documents: int | None
    requests_per_minute: int | None


@dataclass(frozen=True)
class Subscription:
    """The operational hub of one customer: its plan and the features switched on."""

    id: UUID
    name: str
    plan: Plan
    features: frozenset[str]
    created_at: datetime


_SELECT = """
    select s.id, s.name, s.features, s.created_at,
           p.name as plan, p.monthly_documents, p.total_documents, p.requests_per_minute
    from subscriptions s join plans p on p.name = s.plan
"""


class Subscriptions:
    """Not scoped: only the operator's commands and authentication reach it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def add(self, subscription_id: UUID, name: str, plan: str, features: list[str]) -> None:
        """Store a subscription."""
        await self._connection.execute(
            "insert into subscriptions (id, name, plan, features) values ($1, $2, $3, $4)",
            subscription_id, name, plan, features,
        )  # fmt: skip

    async def get(self, subscription_id: UUID) -> Subscription | None:
        """A subscription with its plan."""
        row = await self._connection.fetchrow(_SELECT + "where s.id = $1", subscription_id)
        return row and subscription_of(row)

    async def all(self) -> list[Subscription]:
        """Every subscription, oldest first."""
        rows = await self._connection.fetch(_SELECT + "order by s.created_at, s.id")
        return [subscription_of(row) for row in rows]

    async def set_plan(self, subscription_id: UUID, plan: str) -> None:
        """Put it on a plan, which must exist."""
        await self._connection.execute(
            "update subscriptions set plan = $2 where id = $1", subscription_id, plan
        )

    async def set_features(self, subscription_id: UUID, features: list[str]) -> None:
        """Replace what it may do besides what all may."""
        await self._connection.execute(
            "update subscriptions set features = $2 where id = $1", subscription_id, features
        )


class Plans:
    """The operator's price list, so to speak: names and limits."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def put(self, plan: Plan) -> None:
        """Define a plan, or define it anew for all who are on it."""
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

    async def get(self, name: str) -> Plan | None:
        """The plan of a name."""
        row = await self._connection.fetchrow("select *, name as plan from plans where name = $1", name)
        return row and plan_of(row)

    async def all(self) -> list[Plan]:
        """Every plan, by its name."""
        rows = await self._connection.fetch("select *, name as plan from plans order by name")
        return [plan_of(row) for row in rows]


def plan_of(row: Row) -> Plan:
    """The plan in a row that names it `plan`, and may hold more."""
    return Plan(row["plan"], row["monthly_documents"], row["total_documents"], row["requests_per_minute"])


def subscription_of(row: Row) -> Subscription:
    """The subscription in a row that also has its plan."""
    return Subscription(
        id=row["id"],
        name=row["name"],
        plan=plan_of(row),
        features=frozenset(row["features"]),
        created_at=row["created_at"],
    )
