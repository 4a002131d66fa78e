"""Subscriptions as the operator makes them and as their owners see them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.fields import Record
from carimbo.fiscal.registry import FEATURES
from carimbo.service.access import Gatekeeper
from carimbo.service.allowance import period_of
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.storage.database import Database
from carimbo.storage.identifiers import new_id
from carimbo.storage.subscriptions import Plan, Plans, Subscription, Subscriptions

TRIAL = "trial"


@dataclass(frozen=True)
class NewCredentials:
    """A subscription just made, with the secret that is shown only now."""

    subscription_id: UUID
    secret: str = field(repr=False)


class PlanRecord(Record):
    """The limits of a plan; null is without limit."""

    name: str = Field(examples=["trial"])
    monthly_documents: int | None
    total_documents: int | None = Field(description="Limite em toda a vida da assinatura (plano de teste).")
    requests_per_minute: int | None


class UsageRecord(Record):
    """What has been spent of the allowance in the current period."""

    limit: int | None
    used: int
    reserved: int = Field(description="Documentos em processamento, já descontados do saldo.")
    resets_at: datetime | None


class SubscriptionRecord(Record):
    """A subscription with its plan, features and use."""

    id: UUID
    name: str = Field(examples=["Minha loja"])
    plan: PlanRecord
    features: list[str] = Field(examples=[["nfceEmission"]])
    usage: UsageRecord
    created_at: datetime


async def create_subscription(
    gatekeeper: Gatekeeper, name: str, plan: str = TRIAL, features: Iterable[str] = FEATURES
) -> NewCredentials:
    """Make a subscription with its credential."""
    subscription_id = new_id()
    async with gatekeeper.database.tenant(subscription_id) as tenant:
        await _require_plan(Plans(tenant.connection), plan)
        await Subscriptions(tenant.connection).add(subscription_id, name, plan, _known_features(features))
        secret = await gatekeeper.issue_credential(tenant)
    return NewCredentials(subscription_id, secret)


async def read_subscription(
    database: Database, subscription: Subscription, now: datetime
) -> SubscriptionRecord:
    """Show a subscription's plan and what it has spent of it."""
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
    """Every subscription, oldest first."""
    async with database.transaction() as connection:
        return await Subscriptions(connection).all()


async def set_plan(database: Database, subscription_id: UUID, plan: str) -> None:
    """Put a subscription on another plan, at once."""
    async with database.transaction() as connection:
        await _require_plan(Plans(connection), plan)
        await _require_subscription(Subscriptions(connection), subscription_id)
        await Subscriptions(connection).set_plan(subscription_id, plan)


async def set_features(database: Database, subscription_id: UUID, features: Iterable[str]) -> None:
    """Switch on these features and no others."""
    async with database.transaction() as connection:
        await _require_subscription(Subscriptions(connection), subscription_id)
        await Subscriptions(connection).set_features(subscription_id, _known_features(features))


async def define_plan(database: Database, plan: Plan) -> None:
    """Make a plan, or change its limits for everybody on it."""
    async with database.transaction() as connection:
        await Plans(connection).put(plan)


async def list_plans(database: Database) -> list[Plan]:
    """Every plan, by its name."""
    async with database.transaction() as connection:
        return await Plans(connection).all()


async def _require_plan(plans: Plans, name: str) -> None:
    if await plans.get(name) is None:
        raise not_found(f"O plano {name!r} não existe.")


async def _require_subscription(subscriptions: Subscriptions, subscription_id: UUID) -> None:
    if await subscriptions.get(subscription_id) is None:
        raise not_found("Assinatura não encontrada.")


def _known_features(features: Iterable[str]) -> list[str]:
    wanted = sorted(set(features))
    unknown = [feature for feature in wanted if feature not in FEATURES]
    if unknown:
        raise Refusal(
            Code.NOT_FOUND,
            f"Recurso desconhecido: {', '.join(unknown)}. Conhecidos: {', '.join(FEATURES)}.",
        )
    return wanted
