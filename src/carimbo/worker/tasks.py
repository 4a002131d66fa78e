"""The task of each kind of work."""

from collections.abc import Awaitable, Callable, Mapping

from carimbo.service.contexts import WorkerContext
from carimbo.service.delivery.mailing import MailingContext, send_email
from carimbo.service.filing import advance as filing
from carimbo.service.filing.in_progress import read_event, read_range
from carimbo.service.issuing import advance as issuing
from carimbo.service.issuing.superseded import settle_superseded
from carimbo.service.maintenance import conclude_probe
from carimbo.service.sales.schedule import emit_due_sale
from carimbo.storage.database import Database
from carimbo.storage.work import Lease, WorkKind

Task = Callable[[Database, Lease], Awaitable[None]]
"""Advances a row as far as possible, and concludes or postpones it under its lease."""


def tasks_of(context: WorkerContext, mailing: MailingContext) -> Mapping[WorkKind, Task]:
    """Returns the task of every kind of work."""

    async def issue(_: Database, lease: Lease) -> None:
        await issuing.advance(context, lease)

    async def file_event(_: Database, lease: Lease) -> None:
        await filing.advance(context, lease, read_event)

    async def inutilize(_: Database, lease: Lease) -> None:
        await filing.advance(context, lease, read_range)

    async def settle_attempt(_: Database, lease: Lease) -> None:
        await settle_superseded(context, lease)

    async def fire_sale(_: Database, lease: Lease) -> None:
        await emit_due_sale(context, lease)

    async def mail(_: Database, lease: Lease) -> None:
        await send_email(mailing, lease)

    return {
        WorkKind.DOCUMENT: issue,
        WorkKind.EVENT: file_event,
        WorkKind.INUTILIZATION: inutilize,
        WorkKind.SUPERSEDED: settle_attempt,
        WorkKind.SALE: fire_sale,
        WorkKind.EMAIL: mail,
        WorkKind.PROBE: conclude_probe,
    }
