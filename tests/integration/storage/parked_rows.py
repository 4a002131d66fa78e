"""Documents and other work that a worker or an operator has parked."""

from uuid import UUID

from carimbo.storage import work
from carimbo.storage.database import Database
from carimbo.storage.documents import Document
from carimbo.storage.work import TABLES, WorkKind
from integration.storage.document_rows import Shop

REASON = "Falhou 8 vezes"
_HOLD = "update documents set held_by_operator = $2, parked_reason = 'restaurado de um backup' where id = $1"


async def parked_document(shop: Shop, reason: str = REASON) -> Document:
    """Adds a document that a worker has parked."""
    document = await shop.added()
    lease = await shop.claimed(document)
    async with shop.database.transaction() as connection:
        await work.park(connection, lease, reason)
    return await shop.read(document.id)


async def held_document(shop: Shop, *, by_operator: bool | None = True) -> Document:
    """Adds a document that an operator holds; None is what an earlier release stored."""
    document = await parked_document(shop)
    async with shop.database.connection() as connection:
        await connection.execute(_HOLD, document.id, by_operator)
    return await shop.read(document.id)


async def park_row(database: Database, kind: WorkKind, work_id: UUID) -> None:
    """Parks a row of any kind, as a worker does after too many failures."""
    holder = ", held_by_operator = false" if kind in (WorkKind.DOCUMENT, WorkKind.SALE) else ""
    async with database.connection() as connection:
        await connection.execute(
            f"update {TABLES[kind]} set parked_reason = $2, next_action_at = null, lease_until = null{holder}"
            " where id = $1",
            work_id, REASON,
        )  # fmt: skip
