"""The end of certificates: how near it is, and who is told of it in time."""

from datetime import datetime, timedelta
from enum import StrEnum

from carimbo.service.delivery.event_names import CERTIFICATE_EXPIRING
from carimbo.service.shown import utc_text
from carimbo.storage.certificates import ExpiringCertificate, expiring_certificates
from carimbo.storage.database import Database

WARNED_DAYS = (60, 30, 15, 7, 1)
"""How many days before its end a certificate is warned of."""
_DAY = timedelta(days=1)


class CertificateState(StrEnum):
    """Whether a certificate can be used, and how near its end is."""

    VALID = "valid"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    NOT_ACCEPTED = "notAccepted"


def days_left(expires_at: datetime, now: datetime) -> int:
    """Days until a certificate ends, one that has begun counted as a whole; 0 once it has ended."""
    return max(0, -((now - expires_at) // _DAY))


def state_of(expires_at: datetime, now: datetime) -> CertificateState:
    """Tell how near a certificate's end is."""
    left = days_left(expires_at, now)
    if not left:
        return CertificateState.EXPIRED
    return CertificateState.EXPIRING if left <= max(WARNED_DAYS) else CertificateState.VALID


def warning_due(certificate: ExpiringCertificate, now: datetime) -> int | None:
    """The warning to be given now: the nearest to the end whose day has come, unless it was given."""
    left = days_left(certificate.expires_at, now)
    come = [days for days in WARNED_DAYS if 0 < left <= days]
    if not come or (certificate.warned_days is not None and certificate.warned_days <= min(come)):
        return None
    return min(come)


async def expiring(database: Database, now: datetime) -> list[ExpiringCertificate]:
    """Every certificate of which a warning is due."""
    async with database.connection() as connection:
        found = await expiring_certificates(connection, now, now + max(WARNED_DAYS) * _DAY)
    return [certificate for certificate in found if warning_due(certificate, now) is not None]


async def warn(database: Database, certificate: ExpiringCertificate, now: datetime) -> bool:
    """Tell of a certificate's end, once for each warning, whoever else is about to; tell whether it was."""
    days = warning_due(certificate, now)
    if days is None:
        return False
    async with database.tenant(certificate.subscription_id) as tenant:
        if not await tenant.certificates.warn(certificate.company_id, certificate.fingerprint, days):
            return False
        details = {
            "expiresAt": utc_text(certificate.expires_at),
            "daysLeft": days_left(certificate.expires_at, now),
        }
        await tenant.events.add(CERTIFICATE_EXPIRING, certificate.company_id, details)
    return True
