"""Tells in time of certificates that are about to end."""

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from carimbo.service.certificate_expiry import expiring, warn
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.worker.chores import HOURLY, repeat

_log = structlog.get_logger("carimbo.worker")


async def warn_forever(database: Database, clock: Callable[[], datetime], every: timedelta = HOURLY) -> None:
    """Look at every certificate until cancelled."""

    async def look() -> None:
        await warn_everywhere(database, clock())

    await repeat(look, "certificates", every)


async def warn_everywhere(database: Database, now: datetime) -> None:
    """Tell of every certificate of which it is time; one that fails does not keep the others from it."""
    for certificate in await expiring(database, now):
        company_id = str(certificate.company_id)
        try:
            if await warn(database, certificate, now):
                _log.info("certificate_expiring", company_id=company_id)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("certificate_not_warned_of", company_id=company_id, exc_info=error)
