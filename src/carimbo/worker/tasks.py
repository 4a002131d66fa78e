"""Which use case does which kind of work."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from carimbo.service.issuing.advance import advance
from carimbo.service.issuing.case import Means
from carimbo.service.probes import answer
from carimbo.storage.database import Database
from carimbo.storage.work import Lease, WorkKind

# A task advances its row as far as it can, and concludes or postpones it under its lease. What it returns is
# for the queue: when to wake the row again, or None.
Task = Callable[[Database, Lease], Awaitable[timedelta | None]]


def tasks_of(means: Means) -> Mapping[WorkKind, Task]:
    """Every kind of work with what does it."""

    async def issue(_: Database, lease: Lease) -> timedelta | None:
        return await advance(means, lease)

    return {WorkKind.DOCUMENT: issue, WorkKind.PROBE: answer}
