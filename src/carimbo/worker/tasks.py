"""Which use case does which kind of work."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from carimbo.service.contexts import WorkerContext
from carimbo.service.delivery.mailing import MailRoom, send_email
from carimbo.service.filing import advance as filing
from carimbo.service.filing.event import read_event
from carimbo.service.filing.numbers import read_range
from carimbo.service.issuing import advance as issuing
from carimbo.service.issuing.stray import settle_stray
from carimbo.service.probes import answer
from carimbo.service.sales.schedule import fire
from carimbo.storage.database import Database
from carimbo.storage.work import Lease, WorkKind

# A task advances its row as far as it can, and concludes or postpones it under its lease. What it returns is
# for the queue: when to wake the row again, or None.
Task = Callable[[Database, Lease], Awaitable[timedelta | None]]


def tasks_of(means: WorkerContext, mail_room: MailRoom) -> Mapping[WorkKind, Task]:
    """Every kind of work with what does it."""

    async def issue(_: Database, lease: Lease) -> timedelta | None:
        return await issuing.advance(means, lease)

    async def tell_event(_: Database, lease: Lease) -> timedelta | None:
        return await filing.advance(means, lease, read_event)

    async def give_numbers_up(_: Database, lease: Lease) -> timedelta | None:
        return await filing.advance(means, lease, read_range)

    async def settle(_: Database, lease: Lease) -> timedelta | None:
        return await settle_stray(means, lease)

    async def fire_sale(_: Database, lease: Lease) -> None:
        await fire(means, lease)

    async def mail(_: Database, lease: Lease) -> timedelta | None:
        return await send_email(mail_room, lease)

    return {
        WorkKind.DOCUMENT: issue,
        WorkKind.EVENT: tell_event,
        WorkKind.INUTILIZATION: give_numbers_up,
        WorkKind.STRAY: settle,
        WorkKind.SALE: fire_sale,
        WorkKind.EMAIL: mail,
        WorkKind.PROBE: answer,
    }
