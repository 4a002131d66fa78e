"""The task of each kind of work."""

from collections.abc import Awaitable, Callable, Mapping

from carimbo.service.contexts import WorkerContext
from carimbo.service.delivery.mailing import MailingContext, send_email
from carimbo.service.filing import advance as filing
from carimbo.service.filing.advance import ReadFiling
from carimbo.service.filing.in_progress import read_event, read_range
from carimbo.service.imports.advance import advance_import
from carimbo.service.issuing import advance as issuing
from carimbo.service.issuing.superseded import settle_superseded
from carimbo.service.maintenance import conclude_probe
from carimbo.service.receiving.in_progress import read_manifestation
from carimbo.service.receiving.reception import advance_reception
from carimbo.service.receiving.streams import advance_stream
from carimbo.service.sales.schedule import emit_due_sale
from carimbo.storage.database import Database
from carimbo.storage.work import Lease, WorkKind

Task = Callable[[Database, Lease], Awaitable[None]]
"""Advances a row as far as possible, and concludes or postpones it under its lease."""


def tasks_of(context: WorkerContext, mailing: MailingContext) -> Mapping[WorkKind, Task]:
    """Returns the task of every kind of work."""

    def in_context(advance: Callable[[WorkerContext, Lease], Awaitable[None]]) -> Task:
        return lambda _, lease: advance(context, lease)

    def filing_of(read: ReadFiling) -> Task:
        return lambda _, lease: filing.advance(context, lease, read)

    return {
        WorkKind.DOCUMENT: in_context(issuing.advance),
        WorkKind.EVENT: filing_of(read_event),
        WorkKind.INUTILIZATION: filing_of(read_range),
        WorkKind.MANIFESTATION: filing_of(read_manifestation),
        WorkKind.SUPERSEDED: in_context(settle_superseded),
        WorkKind.SALE: in_context(emit_due_sale),
        WorkKind.EMAIL: lambda _, lease: send_email(mailing, lease),
        WorkKind.STREAM: in_context(advance_stream),
        WorkKind.RECEPTION: in_context(advance_reception),
        WorkKind.IMPORT: in_context(advance_import),
        WorkKind.PROBE: conclude_probe,
    }
