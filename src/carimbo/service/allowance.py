"""The document allowance of a plan: reserved when a document is accepted, settled by its outcome."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.local_time import BRASILIA
from carimbo.service.errors import Code, Refusal
from carimbo.service.shown import utc_text
from carimbo.storage.database import Tenant
from carimbo.storage.issuing import Settlement
from carimbo.storage.subscriptions import Plan, Subscription

_DECEMBER = 12


@dataclass(frozen=True)
class Period:
    """The stretch of time that a plan counts documents in."""

    name: str
    limit: int | None
    resets_at: datetime | None

    def beyond_limit(self) -> "Period":
        """The same for a document that nobody can refuse any more: it counts, however much is used."""
        return replace(self, limit=None)


def month_of(now: datetime) -> str:
    """The name of a calendar month."""
    return f"{now.astimezone(BRASILIA):%Y-%m}"


def period_of(plan: Plan, now: datetime) -> Period:
    """Tell which period is running: the whole life of a trial, else the calendar month."""
    if plan.total_documents is not None:
        return Period("total", plan.total_documents, None)
    local = now.astimezone(BRASILIA)
    next_month = (local.year + 1, 1) if local.month == _DECEMBER else (local.year, local.month + 1)
    return Period(month_of(now), plan.monthly_documents, datetime(*next_month, 1, tzinfo=BRASILIA))


def counted_period(subscription: Subscription, environment: Environment, now: datetime) -> Period | None:
    """Returns the period that a new document is reserved in; None when no plan limits it."""
    period = period_of(subscription.plan, now)
    counts = environment is Environment.PRODUCTION and period.limit is not None
    return period if counts else None


async def reserve_documents(tenant: Tenant, periods: Sequence[Period]) -> None:
    """Set documents of the allowance aside, all of them, or refuse."""
    for already, period in enumerate(periods):
        await reserve_document(tenant, period, already)


async def reserve_document(tenant: Tenant, period: Period, already: int = 0) -> None:
    """Set one document of the allowance aside, beside those that are given back with it, or refuse."""
    if await tenant.allowances.reserve(period.name, period.limit):
        return
    usage = await tenant.allowances.usage(period.name)
    raise Refusal(
        Code.DOCUMENT_LIMIT_REACHED,
        limit=period.limit,
        used=usage.used + usage.reserved - already,
        resetsAt=period.resets_at and utc_text(period.resets_at),
    )


def settlement_of(period: str | None, *, counts: bool, now: datetime) -> Settlement:
    """What an outcome does to the plan: only what was authorized in production counts."""
    if period:
        return Settlement(period, used=int(counts), released=1)
    # A plan without a limit reserves nothing; what it used counts from the day that it gets one.
    return Settlement(month_of(now), used=1) if counts else Settlement()
