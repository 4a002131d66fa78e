"""The signature of webhooks, as the Standard Webhooks specification has it."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

SIGNING, PREVIOUS = "signing", "signing.previous"
"""What the secret that signs is kept as, for each webhook, and those before it that still do."""
SECRET_BYTES = 32
_SECRET_PREFIX = "whsec_"  # noqa: S105 - what a secret begins with


def new_secret() -> bytes:
    """Make the secret of a webhook."""
    return secrets.token_bytes(SECRET_BYTES)


@dataclass(frozen=True)
class PreviousSecret:
    """A secret that was replaced, and until when it signs beside those that came after it."""

    secret: bytes = field(repr=False)
    until: datetime


def sealable_previous(previous: Iterable[PreviousSecret]) -> bytes:
    """Replaced secrets in the form that is sealed."""
    return json.dumps(
        [(base64.b64encode(one.secret).decode(), one.until.isoformat()) for one in previous]
    ).encode()


def opened_previous(content: bytes | None, now: datetime) -> list[PreviousSecret]:
    """Replaced secrets, from the form that is sealed, that still sign."""
    stored = [
        PreviousSecret(base64.b64decode(secret), datetime.fromisoformat(until))
        for secret, until in json.loads(content or b"[]")
    ]
    return [one for one in stored if one.until > now]


def signers(secrets: Mapping[str, bytes], now: datetime) -> tuple[bytes, ...]:
    """Every secret of a webhook that signs now, the newest first."""
    return (secrets[SIGNING], *(one.secret for one in opened_previous(secrets.get(PREVIOUS), now)))


def shown_secret(secret: bytes) -> str:
    """A secret in the form that receivers' libraries take."""
    return _SECRET_PREFIX + base64.b64encode(secret).decode()


def signed_headers(
    message_id: str, at: datetime, body: bytes, signers: Sequence[bytes]
) -> tuple[tuple[str, str], ...]:
    """What tells a receiver that a body is ours, and of now; one signature by each secret in force."""
    timestamp = str(int(at.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    signatures = " ".join(_signature(secret, signed) for secret in signers)
    return (
        ("webhook-id", message_id),
        ("webhook-timestamp", timestamp),
        ("webhook-signature", signatures),
    )


def _signature(secret: bytes, signed: bytes) -> str:
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
