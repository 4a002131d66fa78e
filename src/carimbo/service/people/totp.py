"""Codes of authenticator apps that change every 30 seconds (TOTP, RFC 6238)."""

import hmac
from datetime import datetime

import pyotp

TOTP_SECRET = "totp"  # noqa: S105 - the name of the secret
"""The name under which the secret of a person is sealed."""
_ISSUER = "Carimbo"
_TOLERANCE = 1
"""Steps by which the clock of a phone may be wrong."""


def new_totp_secret() -> str:
    """Returns a new secret of 160 bits, in the letters that apps take."""
    return pyotp.random_base32()


def totp_uri(secret: str, email: str) -> str:
    """Returns the address that an authenticator app reads from a QR code."""
    return pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=_ISSUER)


def matching_step(secret: str, code: str, now: datetime) -> int | None:
    """Returns the time step of a code near now, or None if the code is wrong. Blanks do not matter."""
    totp = pyotp.TOTP(secret)
    current = int(now.timestamp()) // totp.interval
    digits = "".join(code.split()).encode("utf-8", "surrogatepass")
    for step in range(current - _TOLERANCE, current + _TOLERANCE + 1):
        if hmac.compare_digest(totp.generate_otp(step).encode(), digits):
            return step
    return None
