"""Documents that were set aside for a person: an operator looks at them, and takes them up again."""

from uuid import UUID

from carimbo.fiscal.lifecycle import Happening, Status
from carimbo.service.documents import kind_named
from carimbo.storage.backlog import ParkedDocument, parked_documents
from carimbo.storage.database import Database
from carimbo.storage.document_events import NewEvent


async def list_parked(database: Database) -> list[ParkedDocument]:
    """Every document of this installation that was set aside, oldest first."""
    async with database.connection() as connection:
        return await parked_documents(connection)


async def resume_parked(database: Database, document_id: UUID) -> bool:
    """Take a document that was set aside up again, where it stopped; tells whether there was such a one."""
    for parked in await list_parked(database):
        if parked.id == document_id:
            await _resume(database, parked)
            return True
    return False


async def _resume(database: Database, parked: ParkedDocument) -> None:
    async with database.tenant(parked.subscription_id) as tenant:
        kind = kind_named(parked.type)
        await tenant.documents.queue(parked.id, parked.company_id, is_urgent=kind.is_urgent)
        happened = NewEvent(type=Happening.QUEUED, status=Status.PROCESSING)
        await tenant.document_events.add(parked.id, [happened])
