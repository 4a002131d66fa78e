"""Subscriptions: plans, features, and the allowance of documents that a plan includes.

A document of the allowance is reserved when it is accepted and settled by its outcome.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Record
from carimbo.fiscal.environment import Environment
from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.registry import FEATURES
from carimbo.service.access import Authenticator
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.json_values import utc_text
from carimbo.storage.audit import AuditAction
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL, new_id
from carimbo.storage.issuing import AllowanceChange
from carimbo.storage.subscriptions import Plans, Subscription, SubscriptionPlan, Subscriptions

_DECEMBER = 12


@dataclass(frozen=True)
class Period:
    """The period in which a plan counts documents."""

    name: str
    limit: int | None
    resets_at: datetime | None

    def beyond_limit(self) -> "Period":
        """Returns the period without a limit, for a document that counts but can't be refused any more."""
        return replace(self, limit=None)


def month_of(now: datetime) -> str:
    """Returns the name of a calendar month."""
    return f"{now.astimezone(BRASILIA):%Y-%m}"


def period_of(plan: SubscriptionPlan, now: datetime) -> Period:
    """Returns the current period: the whole life of a trial plan, else the calendar month."""
    if plan.total_documents is not None:
        return Period("total", plan.total_documents, None)
    local = now.astimezone(BRASILIA)
    next_month = (local.year + 1, 1) if local.month == _DECEMBER else (local.year, local.month + 1)
    return Period(month_of(now), plan.monthly_documents, datetime(*next_month, 1, tzinfo=BRASILIA))


def counted_period(subscription: Subscription, environment: Environment, now: datetime) -> Period | None:
    """Returns the period in which a new document is reserved; None if the plan does not limit it."""
    plan = subscription.plan
    is_limited = plan.total_documents is not None or plan.monthly_documents is not None
    return period_of(plan, now) if is_limited and environment is Environment.PRODUCTION else None


async def reserve_documents(tenant: Tenant, periods: Sequence[Period]) -> None:
    """Reserves several documents of the allowance, or refuses them all."""
    for already, period in enumerate(periods):
        await reserve_document(tenant, period, already)


async def reserve_document(tenant: Tenant, period: Period, already: int = 0) -> None:
    """Reserves a document of the allowance, or refuses.

    `already` is the number of documents reserved in the same transaction, which a refusal gives back.
    """
    if await tenant.allowances.reserve(period.name, period.limit):
        return
    usage = await tenant.allowances.usage(period.name)
    raise Refusal(
        ErrorCode.DOCUMENT_LIMIT_REACHED,
        limit=period.limit,
        used=usage.used + usage.reserved - already,
        resetsAt=period.resets_at and utc_text(period.resets_at),
    )


def allowance_change_of(period: str | None, *, counts: bool, now: datetime) -> AllowanceChange:
    """Returns the effect of an outcome on the allowance: only documents authorized in production count."""
    if period:
        return AllowanceChange(period, used=int(counts), released=1)
    # A plan without a limit reserves nothing. Its use is counted anyway, because it may get a limit later.
    return AllowanceChange(month_of(now), used=1) if counts else AllowanceChange()


TRIAL = "trial"


@dataclass(frozen=True)
class NewCredentials:
    """A new subscription and its secret, which is shown only once."""

    subscription_id: UUID
    secret: str = field(repr=False)


class PlanRecord(Record):
    """The limits of a plan; null means no limit."""

    name: str = Field(examples=["trial"])
    monthly_documents: int | None
    total_documents: int | None = Field(description="Limite em toda a vida da assinatura (plano de teste).")
    requests_per_minute: int | None


class UsageRecord(Record):
    """The use of the allowance in the current period."""

    limit: int | None
    used: int
    reserved: int = Field(description="Documentos em processamento, já descontados do saldo.")
    resets_at: datetime | None


class SubscriptionRecord(Record):
    """A subscription with its plan, features and usage."""

    id: UUID
    name: str = Field(examples=["Minha loja"])
    plan: PlanRecord
    features: list[str] = Field(examples=[["nfceEmission"]])
    usage: UsageRecord
    created_at: datetime


async def create_subscription(
    authenticator: Authenticator, name: str, plan: str = TRIAL, features: Iterable[str] = FEATURES
) -> NewCredentials:
    """Creates a subscription and its credential."""
    subscription_id = new_id()
    async with authenticator.database.tenant(subscription_id) as tenant:
        await _require_plan(Plans(tenant.connection), plan)
        await Subscriptions(tenant.connection).add(subscription_id, name, plan, _known_features(features))
        secret = await authenticator.issue_credential(tenant)
        await _record_change(tenant, AuditAction.SUBSCRIPTION_CREATED, name, {"plan": plan})
    return NewCredentials(subscription_id, secret)


async def read_subscription(
    database: Database, subscription: Subscription, now: datetime
) -> SubscriptionRecord:
    """Returns a subscription with its plan and usage."""
    period = period_of(subscription.plan, now)
    async with database.tenant(subscription.id) as tenant:
        usage = await tenant.allowances.usage(period.name)
    return SubscriptionRecord(
        id=subscription.id,
        name=subscription.name,
        plan=PlanRecord.model_validate(subscription.plan),
        features=sorted(subscription.features),
        usage=UsageRecord(
            limit=period.limit,
            used=usage.used,
            reserved=usage.reserved,
            resets_at=period.resets_at and period.resets_at.astimezone(UTC),
        ),
        created_at=subscription.created_at,
    )


async def list_subscriptions(database: Database) -> list[Subscription]:
    """Returns all subscriptions, oldest first."""
    async with database.transaction() as connection:
        return await Subscriptions(connection).all()


async def set_plan(database: Database, subscription_id: UUID, plan: str) -> None:
    """Changes the plan of a subscription, effective immediately."""
    async with database.tenant(subscription_id) as tenant:
        await _require_plan(Plans(tenant.connection), plan)
        subscription = await _require_subscription(tenant)
        await Subscriptions(tenant.connection).set_plan(subscription_id, plan)
        details = {"previous": subscription.plan.name, "plan": plan}
        await _record_change(tenant, AuditAction.SUBSCRIPTION_PLAN_CHANGED, subscription.name, details)


async def set_features(database: Database, subscription_id: UUID, features: Iterable[str]) -> None:
    """Enables these features and disables all others."""
    async with database.tenant(subscription_id) as tenant:
        subscription = await _require_subscription(tenant)
        enabled = _known_features(features)
        await Subscriptions(tenant.connection).set_features(subscription_id, enabled)
        details = {"previous": sorted(subscription.features), "features": enabled}
        await _record_change(tenant, AuditAction.SUBSCRIPTION_FEATURES_CHANGED, subscription.name, details)


async def define_plan(database: Database, plan: SubscriptionPlan) -> None:
    """Creates a plan, or changes its limits for all its subscriptions."""
    async with database.tenant(NIL) as installation:
        await Plans(installation.connection).put(plan)
        await _record_plan(installation, plan)


async def create_plan(database: Database, plan: SubscriptionPlan) -> None:
    """Creates a plan; refuses a name that another plan has."""
    async with database.tenant(NIL) as installation:
        if not await Plans(installation.connection).add(plan):
            sentence = "Já existe um plano com este nome."
            raise Refusal(ErrorCode.DUPLICATE_RESOURCE, sentence, field="name", existingId=plan.name)
        await _record_plan(installation, plan)


async def change_plan(database: Database, plan: SubscriptionPlan) -> None:
    """Changes the limits of an existing plan for all its subscriptions."""
    async with database.tenant(NIL) as installation:
        plans = Plans(installation.connection)
        await _require_plan(plans, plan.name)
        await plans.put(plan)
        await _record_plan(installation, plan)


async def list_plans(database: Database) -> list[SubscriptionPlan]:
    """Returns all plans, sorted by name."""
    async with database.transaction() as connection:
        return await Plans(connection).all()


async def _require_plan(plans: Plans, name: str) -> None:
    if await plans.get(name) is None:
        raise not_found(f"O plano {name!r} não existe.")


async def _require_subscription(tenant: Tenant) -> Subscription:
    subscription = await Subscriptions(tenant.connection).get(tenant.subscription_id)
    if subscription is None:
        raise not_found("Assinatura não encontrada.")
    return subscription


async def _record_change(tenant: Tenant, action: AuditAction, name: str, details: Mapping[str, Any]) -> None:
    """Stores a change of a subscription for its owners, and for the operator of the installation."""
    for audit in (tenant.audit, tenant.installation_audit):
        await audit.add(action, subject_id=tenant.subscription_id, subject_name=name, details=details)


async def _record_plan(installation: Tenant, plan: SubscriptionPlan) -> None:
    await installation.audit.add(
        AuditAction.PLAN_DEFINED, subject_id=plan.name, subject_name=plan.name, details=vars(plan)
    )


def _known_features(features: Iterable[str]) -> list[str]:
    names = sorted(set(features))
    unknown = [feature for feature in names if feature not in FEATURES]
    if unknown:
        raise Refusal(
            ErrorCode.NOT_FOUND,
            f"Recurso desconhecido: {', '.join(unknown)}. Conhecidos: {', '.join(FEATURES)}.",
        )
    return names
