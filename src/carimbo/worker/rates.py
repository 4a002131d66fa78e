"""Warns in the log, once a day, of rates of IBS and CBS that are missing."""

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from carimbo.fiscal.local_time import brasilia_day
from carimbo.fiscal.missing_rates import RATE_COLUMN, RATES_FILE, reported_missing_rates
from carimbo.worker.chores import repeat

_log = structlog.get_logger("carimbo.worker")
_DAILY = timedelta(days=1)


async def warn_of_rates_forever(clock: Callable[[], datetime], every: timedelta = _DAILY) -> None:
    """Looks for missing rates at the start and then daily, until cancelled."""

    async def look() -> None:
        warn_of_rates(clock())

    await repeat(look, "rates", every)


def warn_of_rates(now: datetime) -> None:
    """Writes a warning about each rate that is missing."""
    for missing in reported_missing_rates(brasilia_day(now)):
        _log.warning(
            "tax_rate_missing",
            tax=missing.tax.value,
            since=missing.since.isoformat(),
            file=RATES_FILE,
            column=RATE_COLUMN,
            hint="CARIMBO_TABLES_FOLDER, SIGHUP",
        )
