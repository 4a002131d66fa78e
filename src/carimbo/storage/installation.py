"""The whole installation, for its operator: subscriptions with their sizes, plans, and parked work."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from carimbo.storage.connection import Connection, Row
from carimbo.storage.keyset import KeysetPage, Position, keyset_page, newer_than
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
    {_FOUND}
"""
_BY_NAME = "order by s.name, s.id"
_PLANS = """
    select p.name as plan, p.monthly_documents, p.total_documents, p.requests_per_minute,
        count(s.id) as subscriptions
    from plans p left join subscriptions s on s.plan = p.name group by p.name order by p.name
"""
_ALL_PARKED = f"({PARKED_SQL}) as work where parked_reason is not null"
# Only some kinds of work have the type of a document as theirs; an event, for example, has a type of its own.
_NAMED_PARKED = """
    select w.*, s.name as subscription_name, coalesce(c.trade_name, c.legal_name) as company_name,
        case
            when w.kind in ('document', 'inutilization', 'reception', 'stream') then w.type
            when w.kind = 'event' then (
                select d.type from event_filings f
                join documents d on d.subscription_id = f.subscription_id and d.id = f.document_id
                where f.subscription_id = w.subscription_id and f.id = w.id
            )
            when w.kind = 'stray' then (
                select d.type from strays t
                join documents d on d.subscription_id = t.subscription_id and d.id = t.document_id
                where t.subscription_id = w.subscription_id and t.id = w.id
            )
            when w.kind = 'manifestation' then (
                select r.type from manifestations m
                join received_documents r on r.subscription_id = m.subscription_id and r.id = m.document_id
                where m.subscription_id = w.subscription_id and m.id = w.id
            )
        end as document_type
    from ({parked}) as w
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
    document_type: str | None
    """The type of the documents that it is about; None for a sale and an e-mail."""


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
        parked = f"select * from {_ALL_PARKED} order by queued_at, id offset $1 limit $2"
        rows = await self._connection.fetch(_NAMED_PARKED.format(parked=parked), offset, size)
        return [NamedParkedWork(**row) for row in rows]

    async def parked_after(self, after: Position | None, size: int) -> KeysetPage[NamedParkedWork]:
        """Returns the parked work after a place in the list, oldest first."""
        values: list[Any] = []
        beyond = newer_than(after, "queued_at, id", values)
        parked = f"select * from {_ALL_PARKED}{beyond} order by queued_at, id limit {size}"
        rows = await self._connection.fetch(_NAMED_PARKED.format(parked=parked), *values)
        works = [NamedParkedWork(**row) for row in rows]
        return keyset_page(works, size, lambda work: (work.queued_at, work.id))

    async def count_parked(self) -> int:
        """Returns how much work is parked."""
        total: int = await self._connection.fetchval(f"select count(*) from {_ALL_PARKED}")
        return total

    async def server_version(self) -> str:
        """Returns the version of the PostgreSQL server."""
        version: str = await self._connection.fetchval("select current_setting('server_version')")
        return version


def _sized_subscription(row: Row) -> SizedSubscription:
    return SizedSubscription(subscription_of(row), row["companies"], row["people"])
