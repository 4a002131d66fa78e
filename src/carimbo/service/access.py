"""Who is asking: credentials, their rotation, and how often a subscription may ask."""

import hashlib
import hmac
import math
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.fields import Body, Integer, Record
from carimbo.service.errors import Code, Refusal, not_found
from carimbo.service.shown import utc_text
from carimbo.storage.credentials import Credential, find_credential
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL
from carimbo.storage.rate_limits import take_turn
from carimbo.storage.subscriptions import Subscription

# A read of `lastUsedAt` needn't be exact: one write a minute is enough.
_TOUCH_EVERY = timedelta(minutes=1)
_PREVIEW_LENGTH = 4
_ENDED_EARLY = (
    "A senha de antes da troca anterior valeria até {until} e deixou de valer agora: só uma senha antiga"
    " vale por vez."
)


@dataclass(frozen=True)
class Gatekeeper:
    """Checks credentials and turns; holds the installation's pepper, so build it once."""

    database: Database
    pepper: bytes = field(repr=False)

    @classmethod
    async def open(cls, database: Database) -> "Gatekeeper":
        """Read the pepper, making it on the first start ever; it is sealed like any secret."""
        async with database.tenant(NIL) as installation:
            pepper = await installation.secrets.get_or_create(NIL, "api-pepper", secrets.token_bytes(32))
        return cls(database, pepper)

    def hash_secret(self, secret: str) -> bytes:
        """Hash for storage: secrets are random, so a keyed hash is enough and costs microseconds."""
        return hmac.digest(self.pepper, secret.encode(), hashlib.sha256)

    async def authenticate(self, api_key: str, api_secret: str) -> Subscription:
        """Find the subscription that these credentials belong to, or refuse."""
        subscription_id = _subscription_id(api_key)
        async with self.database.connection() as connection:
            found = await find_credential(connection, subscription_id)
            if found is None or not self._matches(found[0], api_secret):
                raise Refusal(Code.INVALID_API_CREDENTIALS)
            credential, subscription = found
            if _is_stale(credential.last_used_at):
                await Tenant(connection, subscription_id, self.database.key_ring).credentials.touch()
            return subscription

    def _matches(self, credential: Credential, api_secret: str) -> bool:
        given = self.hash_secret(api_secret)
        current = hmac.compare_digest(given, credential.secret_hash)
        previous = credential.previous_secret_hash
        overlapping = credential.previous_valid_until is not None and previous is not None
        return current or (overlapping and hmac.compare_digest(given, previous or b""))

    async def take_turn(self, subscription: Subscription) -> None:
        """Count one request against the plan's rate, or refuse with the seconds to wait."""
        per_minute = subscription.plan.requests_per_minute
        if per_minute is None:
            return
        async with self.database.connection() as connection:
            wait = await take_turn(connection, subscription.id, per_minute)
        if wait is not None:
            raise Refusal(Code.RATE_LIMIT_EXCEEDED, retryAfter=max(1, math.ceil(wait.total_seconds())))

    async def issue_credential(self, tenant: Tenant) -> str:
        """Give a new subscription its first secret; it is shown once."""
        secret = _new_secret()
        await tenant.credentials.add(self.hash_secret(secret), _preview(secret))
        return secret


class RotationRequest(Body):
    """How long the old secret goes on beside the new one."""

    overlap_hours: Annotated[Integer, Field(ge=1, le=72)] | None = Field(
        default=None,
        description="Horas em que a senha antiga ainda vale; sem o campo, ela deixa de valer já.",
    )


_PREVIOUS_SECRET: Any = Field(description="Até quando a senha anterior ainda vale; nulo se ela já não vale.")


class CredentialRecord(Record):
    """What may be shown of a credential."""

    api_key: UUID
    secret_preview: str = Field(examples=["...x7Qw"])
    created_at: datetime
    rotated_at: datetime | None
    previous_secret_valid_until: datetime | None = _PREVIOUS_SECRET
    last_used_at: datetime | None


class RotatedCredential(Record):
    """A new secret, shown this once."""

    api_key: UUID
    api_secret: str = Field(examples=["cs_..."])
    rotated_at: datetime
    previous_secret_valid_until: datetime | None = _PREVIOUS_SECRET
    warnings: list[str] = Field(
        description="Avisa se uma senha de uma troca anterior deixou de valer antes do prometido."
    )


async def read_credential(database: Database, subscription: Subscription) -> CredentialRecord:
    """Show the credential without its secret."""
    async with database.tenant(subscription.id) as tenant:
        credential = await tenant.credentials.get()
    if credential is None:
        raise Refusal(Code.NOT_FOUND)
    return CredentialRecord(
        api_key=credential.subscription_id,
        secret_preview=credential.secret_preview,
        created_at=credential.created_at,
        rotated_at=credential.rotated_at,
        previous_secret_valid_until=credential.previous_valid_until,
        last_used_at=credential.last_used_at,
    )


async def rotate_credential(
    gatekeeper: Gatekeeper, subscription_id: UUID, request: RotationRequest
) -> RotatedCredential:
    """Replace the secret; the old one stops at once unless an overlap is asked for.

    Only one old secret is valid: the overlap of an earlier rotation ends now, and the answer says so.
    """
    secret = _new_secret()
    async with gatekeeper.database.tenant(subscription_id) as tenant:
        current = await tenant.credentials.lock()
        rotated = await tenant.credentials.rotate(
            gatekeeper.hash_secret(secret), _preview(secret), timedelta(hours=request.overlap_hours or 0)
        )
    if current is None or rotated is None:
        raise not_found("Assinatura não encontrada.")
    ended = current.previous_valid_until
    return RotatedCredential.model_validate(
        {
            "api_key": subscription_id,
            "api_secret": secret,
            "rotated_at": rotated.rotated_at,
            "previous_secret_valid_until": rotated.previous_valid_until,
            "warnings": [_ENDED_EARLY.format(until=utc_text(ended))] if ended else [],
        }
    )


def _subscription_id(api_key: str) -> UUID:
    """The API key is the subscription's id; anything else is as wrong as an unknown one."""
    try:
        return UUID(api_key)
    except ValueError:
        raise Refusal(Code.INVALID_API_CREDENTIALS) from None


def _is_stale(last_used_at: datetime | None) -> bool:
    return last_used_at is None or datetime.now(UTC) - last_used_at > _TOUCH_EVERY


def _new_secret() -> str:
    return f"cs_{secrets.token_urlsafe(32)}"


def _preview(secret: str) -> str:
    return f"...{secret[-_PREVIEW_LENGTH:]}"
