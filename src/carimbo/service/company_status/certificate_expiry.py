"""The expiry of certificates: days left, states, and warnings sent as events."""

from datetime import datetime, timedelta
from enum import StrEnum

from carimbo.service.delivery.event_names import CERTIFICATE_EXPIRING
from carimbo.service.json_values import utc_text
from carimbo.storage.certificates import ExpiringCertificate, expiring_certificates
from carimbo.storage.database import Database

WARNED_DAYS = (60, 30, 15, 7, 1)
"""How many days before expiry warnings are sent."""
_DAY = timedelta(days=1)


class CertificateState(StrEnum):
    """Whether a certificate can be used, and whether it expires soon."""

    VALID = "valid"
    EXPIRING = "expiring"
    EXPIRED = "expired"
    NOT_ACCEPTED = "notAccepted"


def days_left(expires_at: datetime, now: datetime) -> int:
    """Returns the days until a certificate expires, rounded up; 0 after that."""
    return max(0, -((now - expires_at) // _DAY))


def certificate_state(expires_at: datetime, now: datetime) -> CertificateState:
    """Returns the state of a certificate by its expiry."""
    left = days_left(expires_at, now)
    if not left:
        return CertificateState.EXPIRED
    return CertificateState.EXPIRING if left <= max(WARNED_DAYS) else CertificateState.VALID


def warning_due(certificate: ExpiringCertificate, now: datetime) -> int | None:
    """Returns the warning that is due now, in days before expiry; None if it was already sent."""
    left = days_left(certificate.expires_at, now)
    due = [days for days in WARNED_DAYS if 0 < left <= days]
    if not due or (certificate.warned_days is not None and certificate.warned_days <= min(due)):
        return None
    return min(due)


async def certificates_to_warn_about(database: Database, now: datetime) -> list[ExpiringCertificate]:
    """Returns all certificates for which a warning is due."""
    async with database.connection() as connection:
        certificates = await expiring_certificates(connection, now, now + max(WARNED_DAYS) * _DAY)
    return [certificate for certificate in certificates if warning_due(certificate, now) is not None]


async def publish_expiry_warning(database: Database, certificate: ExpiringCertificate, now: datetime) -> bool:
    """Publishes the due warning of a certificate; returns whether this call did it.

    Each warning is published once, even if several workers try.
    """
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
