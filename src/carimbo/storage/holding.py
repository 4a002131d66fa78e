"""Setting aside what nobody has signed yet, of all subscriptions, as it may have been issued elsewhere."""

from dataclasses import dataclass

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
_HOLD_SALES = f"update sales set {_SET_ASIDE} where next_action_at is not null returning id"
# A worker that is about to sign holds the row and writes another one: what this statement waits for, only the
# next one sees.
_LOCK_DOCUMENTS = """
    select subscription_id, id from documents where status = 'processing' and parked_reason is null
    order by subscription_id, id for no key update
"""
_HOLD_DOCUMENTS = f"""
    update documents d set {_SET_ASIDE}
    where d.status = 'processing' and d.parked_reason is null and not exists (
        select from emissions e where e.subscription_id = d.subscription_id and e.document_id = d.id
            and e.ordinal = d.emission and e.state in ('signed', 'sent')
    ) returning d.id
"""


async def hold_unsigned(connection: Connection, reason: str) -> Held:
    """Set aside documents that are to be signed and sales that wait for their time; in one transaction.

    Sales come first, as whoever fires one has it before its documents.
    """
    sales = await _count(connection, _HOLD_SALES, reason)
    await _count(connection, _LOCK_DOCUMENTS)
    documents = await _count(connection, _HOLD_DOCUMENTS, reason)
    return Held(documents=documents, sales=sales)


async def _count(connection: Connection, statement: str, *arguments: object) -> int:
    counting = f"with held as ({statement}) select count(*) from held"
    count: int = await connection.fetchval(counting, *arguments, timeout=_PATIENCE_SECONDS)
    return count
