"""Changing the secret that a webhook's events are signed with."""

from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.fields import Body, Integer, Record
from carimbo.service.delivery.signature import (
    PREVIOUS,
    SIGNING,
    PreviousSecret,
    new_secret,
    opened_previous,
    sealable_previous,
    shown_secret,
)
from carimbo.service.delivery.webhooks import unknown_webhook
from carimbo.storage.database import Database, Tenant


class SecretRotation(Body):
    """How long the old secret goes on signing beside the new one."""

    overlap_hours: Annotated[Integer, Field(ge=0, le=72)] = Field(
        default=24,
        description="Horas em que a chave antiga ainda assina, ao lado da nova; 0 descarta já as antigas.",
    )


class RotatedSecret(Record):
    """A new secret, shown this once."""

    id: UUID
    secret: str = Field(examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    previous_secret_valid_until: datetime | None


async def rotate_secret(
    database: Database, subscription_id: UUID, webhook_id: UUID, request: SecretRotation
) -> RotatedSecret:
    """Sign by a new secret, and for a while by those before too, so that a receiver can change in peace."""
    # By the machine's clock, which deliveries and their receivers go by.
    secret, now = new_secret(), datetime.now(UTC)
    until = now + timedelta(hours=request.overlap_hours) if request.overlap_hours else None
    async with database.tenant(subscription_id) as tenant:
        if await tenant.webhooks.lock(webhook_id) is None:
            raise unknown_webhook()
        await _keep_previous(tenant, webhook_id, until, now)
        await tenant.secrets.put(webhook_id, SIGNING, secret)
    return RotatedSecret(id=webhook_id, secret=shown_secret(secret), previous_secret_valid_until=until)


async def _keep_previous(tenant: Tenant, webhook_id: UUID, until: datetime | None, now: datetime) -> None:
    kept = await tenant.secrets.all(webhook_id)
    if until is None:
        await tenant.secrets.delete(webhook_id, PREVIOUS)
        return
    previous = [PreviousSecret(kept[SIGNING], until), *opened_previous(kept.get(PREVIOUS), now)]
    await tenant.secrets.put(webhook_id, PREVIOUS, sealable_previous(previous))
