"""Warns companies of received documents about which they must conclude soon."""

from datetime import datetime, timedelta

from carimbo.fiscal.receiving import MANIFEST_DUE, Receiving
from carimbo.service.document_types import RECEIVED_TYPES
from carimbo.service.receiving.record import received_record
from carimbo.storage.database import Database
from carimbo.storage.received import DueDocument, documents_to_conclude


async def documents_to_remind_of(database: Database, now: datetime) -> list[tuple[DueDocument, Receiving]]:
    """Returns the documents whose term ends soon, and whose companies were not warned yet."""
    due = []
    async with database.connection() as connection:
        for document_type in RECEIVED_TYPES:
            receiving = document_type.receiving
            if receiving is None or receiving.warned_days is None:
                continue
            within = timedelta(days=receiving.warned_days)
            rows = await documents_to_conclude(
                connection, receiving.service, now, within, receiving.unanswered
            )
            due += [(row, receiving) for row in rows]
    return due


async def publish_reminder(database: Database, due: DueDocument, receiving: Receiving) -> bool:
    """Publishes the warning of a document; returns False if another worker did it."""
    async with database.tenant(due.subscription_id) as tenant:
        await tenant.received.lock(due.company_id)
        row = await tenant.received.warn(due.id)
        if row is None:
            return False
        details = received_record(row).model_dump(mode="json", by_alias=True)
        await tenant.events.add(f"{receiving.event_prefix}.{MANIFEST_DUE}", due.company_id, details, row.id)
        return True
