"""What was set aside for a person: an operator looks at it, and takes it up again."""

from uuid import UUID

from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.service.kinds import kind_named
from carimbo.storage.backlog import ParkedWork, parked_work
from carimbo.storage.database import Database
from carimbo.storage.document_events import NewEvent
from carimbo.storage.jobs import enqueue
from carimbo.storage.work import WorkKind, take_up_again


async def list_parked(database: Database) -> list[ParkedWork]:
    """Everything of this installation that was set aside, oldest first."""
    async with database.connection() as connection:
        return await parked_work(connection)


async def resume_parked(database: Database, work_id: UUID | None = None) -> int:
    """Take up again what was set aside, where it stopped: one thing, or all of them; tells how many."""
    chosen = [parked for parked in await list_parked(database) if work_id in (None, parked.id)]
    for parked in chosen:
        await (_resume_document if parked.key.kind is WorkKind.DOCUMENT else _resume)(database, parked)
    return len(chosen)


async def _resume_document(database: Database, parked: ParkedWork) -> None:
    async with database.tenant(parked.subscription_id) as tenant:
        kind = kind_named(parked.type)
        await tenant.documents.queue(parked.id, parked.company_id, is_urgent=kind.is_urgent)
        happened = NewEvent(type=Happening.QUEUED, status=Status.PROCESSING)
        await tenant.document_events.add(parked.id, [happened])


async def _resume(database: Database, parked: ParkedWork) -> None:
    async with database.transaction() as connection:
        await take_up_again(connection, parked.key)
        await enqueue(connection, parked.key)
