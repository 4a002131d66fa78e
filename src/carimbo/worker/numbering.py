"""Gives up the numbers that nobody used, before their term ends, for the companies that want it so."""

from datetime import timedelta
from uuid import UUID

import structlog

from carimbo.service.errors import Refusal
from carimbo.service.filing.desk import Desk
from carimbo.service.gaps import is_voiding_day
from carimbo.service.numbering import inutilize_due_gaps
from carimbo.storage.database import DatabaseUnavailable
from carimbo.storage.numbering import automatic_companies
from carimbo.worker.chores import HOURLY, repeat

_log = structlog.get_logger("carimbo.worker")


async def inutilize_forever(desk: Desk, every: timedelta = HOURLY) -> None:
    """Look at every company until cancelled, in the days for it.

    Workers that look at once file nothing twice: who files a range holds its series.
    """

    async def look() -> None:
        if is_voiding_day(desk.counter.workshop.clock()):
            await inutilize_everywhere(desk)

    await repeat(look, "inutilization", every)


async def inutilize_everywhere(desk: Desk) -> None:
    """Give up what is due of every company that wants it; one that can't does not keep the others from it."""
    async with desk.counter.database.connection() as connection:
        companies = await automatic_companies(connection)
    for subscription_id, company_id in companies:
        try:
            await _inutilize_of(desk, subscription_id, company_id)
        except Refusal as refusal:
            _log.warning("gaps_not_inutilized", company_id=str(company_id), code=refusal.code.name)
        except DatabaseUnavailable:
            raise
        except Exception as error:
            _log.error("gaps_not_inutilized", company_id=str(company_id), exc_info=error)


async def _inutilize_of(desk: Desk, subscription_id: UUID, company_id: UUID) -> None:
    async with desk.counter.database.autocommit(subscription_id) as tenant:
        company = await tenant.companies.get(company_id)
    if company is None:
        return
    filed = await inutilize_due_gaps(desk, subscription_id, company)
    if filed:
        _log.info("gaps_inutilized", company_id=str(company_id), ranges=len(filed))
