"""Setting aside what nobody has sent yet, of all subscriptions, as it may have been issued elsewhere."""

from dataclasses import dataclass

from carimbo.fiscal.emission import EmissionType
from carimbo.storage.connection import Connection


@dataclass(frozen=True, kw_only=True)
class Held:
    """How much was set aside."""

    documents: int
    sales: int


# The usual limit is for statements that somebody waits for: this one must end, however many rows there are.
_PATIENCE_SECONDS = 3600.0
# Another token: whoever has the row writes no more, and a job of before does not stand for one of later.
_SET_ASIDE = "lease_token = lease_token + 1, lease_until = null, next_action_at = null, parked_reason = $1"
_WAITING_SALES = "next_action_at is not null"
_HOLD_SALES = f"update sales set {_SET_ASIDE} where {_WAITING_SALES} returning id"
_OPEN_DOCUMENTS = "status = 'processing' and parked_reason is null"
# What is on paper has its number and key for good, and has to be told in time.
_HOLD_DOCUMENTS = f"""
    update documents d set {_SET_ASIDE}
    where {_OPEN_DOCUMENTS} and not exists (
        select from emissions e where e.subscription_id = d.subscription_id and e.document_id = d.id
            and e.ordinal = d.emission and (e.state = 'sent' or e.emission_type = '{EmissionType.OFFLINE}')
    ) returning d.id
"""


async def hold_unsent(connection: Connection, reason: str) -> Held:
    """Set aside documents that are to be sent and sales that wait for their time; in one transaction.

    Sales come first, as whoever fires one has it before its documents. Rows are locked before they are looked
    at: a worker that is about to send holds a document and writes another row, which a statement that waited
    for it does not see, but the next one does.
    """
    await _lock(connection, "sales", _WAITING_SALES)
    sales = await _count(connection, _HOLD_SALES, reason)
    await _lock(connection, "documents", _OPEN_DOCUMENTS)
    documents = await _count(connection, _HOLD_DOCUMENTS, reason)
    return Held(documents=documents, sales=sales)


async def _lock(connection: Connection, table: str, which: str) -> None:
    """Always in the same order: two who lock the same rows in different ones would deadlock."""
    rows = f"select from {table} where {which} order by subscription_id, id for no key update"
    await _count(connection, rows)


async def _count(connection: Connection, statement: str, *arguments: object) -> int:
    counting = f"with held as ({statement}) select count(*) from held"
    count: int = await connection.fetchval(counting, *arguments, timeout=_PATIENCE_SECONDS)
    return count
