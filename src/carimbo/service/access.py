"""API credentials: authentication, rotation and the rate limit of a subscription."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from carimbo.fiscal.body.fields import Body, Integer, Record
from carimbo.service.errors import ErrorCode, Refusal, not_found
from carimbo.service.json_values import utc_text
from carimbo.service.throttling import require_admitted
from carimbo.storage.audit import AuditAction
from carimbo.storage.companies import CompanyRow
from carimbo.storage.credentials import CredentialRow, find_credential
from carimbo.storage.database import Database, Tenant
from carimbo.storage.identifiers import NIL
from carimbo.storage.rate_limits import Rate
from carimbo.storage.subscriptions import Subscription

# `lastUsedAt` needn't be exact: one write a minute is enough.
_TOUCH_EVERY = timedelta(minutes=1)
_PREVIEW_LENGTH = 4
_ENDED_EARLY = (
    "A senha de antes da troca anterior valeria até {until} e deixou de valer agora: só uma senha antiga"
    " vale por vez."
)


@dataclass(frozen=True)
class Caller:
    """The subscription that a request is made with, and the company that it names."""

    subscription: Subscription
    company: CompanyRow | None
    """May be a deleted one; None if the subscription has no such company, or the request names none."""


@dataclass(frozen=True)
class Authenticator:
    """Checks credentials and rate limits. Holds the installation's pepper, so build it once."""

    database: Database
    pepper: bytes = field(repr=False)

    @classmethod
    async def open(cls, database: Database) -> "Authenticator":
        """Reads the pepper, or creates it on the first start; it is encrypted like any secret."""
        async with database.tenant(NIL) as installation:
            pepper = await installation.secrets.get_or_create(NIL, "api-pepper", secrets.token_bytes(32))
        return cls(database, pepper)

    def hash_secret(self, secret: str) -> bytes:
        """Returns the hash to store. Secrets are random, so a keyed hash is enough and takes microseconds."""
        return hmac.digest(self.pepper, secret.encode(), hashlib.sha256)

    async def authenticate(self, api_key: str, api_secret: str, company_id: UUID | None = None) -> Caller:
        """Returns the owner of the credentials, with one of its companies, or raises a refusal."""
        try:
            # The API key is the subscription's id.
            subscription_id = UUID(api_key)
        except ValueError:
            raise Refusal(ErrorCode.INVALID_API_CREDENTIALS) from None
        async with self.database.connection() as connection:
            existing = await find_credential(connection, subscription_id, company_id)
            if existing is None or not self._matches(existing[0], api_secret):
                raise Refusal(ErrorCode.INVALID_API_CREDENTIALS)
            credential, subscription, company = existing
            last_used_at = credential.last_used_at
            if last_used_at is None or datetime.now(UTC) - last_used_at > _TOUCH_EVERY:
                await Tenant(connection, subscription_id, self.database.key_ring).credentials.touch()
            return Caller(subscription, company)

    def _matches(self, credential: CredentialRow, api_secret: str) -> bool:
        secret_hash = self.hash_secret(api_secret)
        current = hmac.compare_digest(secret_hash, credential.secret_hash)
        previous = credential.previous_secret_hash
        overlapping = credential.previous_valid_until is not None and previous is not None
        return current or (overlapping and hmac.compare_digest(secret_hash, previous or b""))

    async def check_rate_limit(self, subscription: Subscription) -> None:
        """Counts a request. Above the rate limit, raises a refusal with the seconds to wait."""
        per_minute = subscription.plan.requests_per_minute
        if per_minute is None:
            return
        await require_admitted(self.database, subscription.id, Rate.per_minute(per_minute))

    async def issue_credential(self, tenant: Tenant) -> str:
        """Creates and returns the first secret of a new subscription. It is shown only once."""
        secret = _new_secret()
        await tenant.credentials.add(self.hash_secret(secret), _preview(secret))
        return secret


class RotationRequest(Body):
    """How long the old secret stays valid after a rotation."""

    overlap_hours: Annotated[Integer, Field(ge=1, le=72)] | None = Field(
        default=None,
        description="Horas em que a senha antiga ainda vale; sem o campo, ela deixa de valer já.",
    )


_PREVIOUS_SECRET: Any = Field(description="Até quando a senha anterior ainda vale; nulo se ela já não vale.")


class CredentialRecord(Record):
    """A credential without its secret."""

    api_key: UUID
    secret_preview: str = Field(examples=["...x7Qw"])
    created_at: datetime
    rotated_at: datetime | None
    previous_secret_valid_until: datetime | None = _PREVIOUS_SECRET
    last_used_at: datetime | None


class RotatedCredential(Record):
    """A new secret, shown only once."""

    api_key: UUID
    api_secret: str = Field(examples=["cs_..."])
    rotated_at: datetime
    previous_secret_valid_until: datetime | None = _PREVIOUS_SECRET
    warnings: list[str] = Field(
        description="Avisa se uma senha de uma troca anterior deixou de valer antes do prometido."
    )


async def read_credential(database: Database, subscription: Subscription) -> CredentialRecord:
    """Returns the credential without its secret."""
    async with database.tenant(subscription.id) as tenant:
        credential = await tenant.credentials.get()
    if credential is None:
        raise Refusal(ErrorCode.NOT_FOUND)
    return CredentialRecord(
        api_key=credential.subscription_id,
        secret_preview=credential.secret_preview,
        created_at=credential.created_at,
        rotated_at=credential.rotated_at,
        previous_secret_valid_until=credential.previous_valid_until,
        last_used_at=credential.last_used_at,
    )


async def rotate_credential(
    authenticator: Authenticator, subscription_id: UUID, request: RotationRequest
) -> RotatedCredential:
    """Replaces the secret. The old one stops working at once unless the request asks for an overlap.

    Only one old secret is valid at a time: the overlap of an earlier rotation ends now, with a warning.
    """
    secret = _new_secret()
    async with authenticator.database.tenant(subscription_id) as tenant:
        current = await tenant.credentials.lock()
        rotated = await tenant.credentials.rotate(
            authenticator.hash_secret(secret), _preview(secret), timedelta(hours=request.overlap_hours or 0)
        )
        if current is None or rotated is None:
            raise not_found("Assinatura não encontrada.")
        details = {"overlapHours": request.overlap_hours or 0}
        await tenant.audit.add(AuditAction.CREDENTIAL_ROTATED, details=details)
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


def _new_secret() -> str:
    return f"cs_{secrets.token_urlsafe(32)}"


def _preview(secret: str) -> str:
    return f"...{secret[-_PREVIEW_LENGTH:]}"
