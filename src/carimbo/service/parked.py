"""What was set aside for a person: an operator puts it there, looks at it, and takes it up again."""

from uuid import UUID

from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.service.kinds import kind_named
from carimbo.storage.backlog import ParkedWork, parked_work
from carimbo.storage.database import Database
from carimbo.storage.document_events import NewEvent
from carimbo.storage.holding import Held, hold_unsent
from carimbo.storage.jobs import enqueue
from carimbo.storage.work import WorkKind, take_parked, take_up_again

NOTHING_PARKED = "Não há nada posto de lado com este id."


async def hold_all(database: Database, reason: str) -> Held:
    """Set aside whatever would be issued from here on, of all subscriptions; what was sent is asked about.

    What a worker has in its hands is taken from it, and nothing of it has gone out: that is written first.
    """
    async with database.transaction() as connection:
        return await hold_unsent(connection, reason)


async def list_parked(database: Database, work_id: UUID | None = None) -> list[ParkedWork]:
    """Everything of this installation that was set aside, oldest first, or one thing of it."""
    async with database.connection() as connection:
        return await parked_work(connection, work_id)


async def resume_parked(database: Database, work_id: UUID | None = None) -> int:
    """Take up again what was set aside, where it stopped: one thing, or all of them; tells how many."""
    chosen = await list_parked(database, work_id)
    for parked in chosen:
        await (_resume_document if parked.key.kind is WorkKind.DOCUMENT else _resume)(database, parked)
    return len(chosen)


async def _resume_document(database: Database, parked: ParkedWork) -> None:
    async with database.tenant(parked.subscription_id) as tenant:
        if await take_parked(tenant.connection, parked.key) is None:
            # Somebody else was faster.
            return
        kind = kind_named(parked.type)
        await tenant.documents.queue(parked.id, parked.company_id, is_urgent=kind.is_urgent)
        happened = NewEvent(type=Happening.QUEUED, status=Status.PROCESSING)
        await tenant.document_events.add(parked.id, [happened])


async def _resume(database: Database, parked: ParkedWork) -> None:
    async with database.transaction() as connection:
        await take_up_again(connection, parked.key)
        await enqueue(connection, parked.key)
