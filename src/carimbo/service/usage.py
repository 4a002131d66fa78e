"""The use of a subscription: its plan, the documents of the last months, and those of this month by type."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.local_time import brasilia_day
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.exports.month import month_before
from carimbo.service.services import Services
from carimbo.service.subscriptions import SubscriptionRecord, read_subscription
from carimbo.storage.subscriptions import Subscription
from carimbo.storage.usage import TypeCount, documents_since

MONTHS = 12
"""How many months are shown, with the current one."""


@dataclass(frozen=True)
class MonthUse:
    """The documents that were authorized in production in a month, as the plan counts them."""

    month: date
    """Its first day."""
    documents: int


@dataclass(frozen=True, kw_only=True)
class TypeUse:
    """The documents of this month of a type, in production."""

    type: str
    authorized: int
    canceled: int
    rejected: int


@dataclass(frozen=True, kw_only=True)
class SubscriptionUse:
    """The plan of a subscription and what it has used."""

    subscription: SubscriptionRecord
    months: tuple[MonthUse, ...]
    """The last months, the oldest first; empty for a plan that counts its whole life."""
    types: tuple[TypeUse, ...]


async def read_usage(services: Services, subscription: Subscription, now: datetime) -> SubscriptionUse:
    """Returns the use of a subscription."""
    record = await read_subscription(services.database, subscription, now)
    months = [] if subscription.plan.total_documents is not None else _last_months(brasilia_day(now))
    # Days are counted by the database's clock.
    this_month = brasilia_day(now - services.issuing.builder.clock_offset).replace(day=1)
    async with services.database.autocommit(subscription.id) as tenant:
        used = await tenant.allowances.used_in([f"{month:%Y-%m}" for month in months])
        counts = await documents_since(tenant.connection, subscription.id, this_month, Environment.PRODUCTION)
    return SubscriptionUse(
        subscription=record,
        months=tuple(MonthUse(month, used.get(f"{month:%Y-%m}", 0)) for month in months),
        types=_by_type(counts),
    )


def _last_months(today: date) -> list[date]:
    """Returns the first days of the last months, the oldest first."""
    months = [today.replace(day=1)]
    while len(months) < MONTHS:
        months.insert(0, month_before(months[0]))
    return months


def _by_type(counts: Sequence[TypeCount]) -> tuple[TypeUse, ...]:
    by_status = {(count.type, count.status): count.documents for count in counts}
    types = {count.type for count in counts}
    return tuple(
        TypeUse(
            type=document_type.name,
            authorized=by_status.get((document_type.name, Status.AUTHORIZED), 0),
            canceled=by_status.get((document_type.name, Status.CANCELED), 0),
            rejected=by_status.get((document_type.name, Status.REJECTED), 0),
        )
        for document_type in DOCUMENT_TYPES
        if document_type.name in types
    )
