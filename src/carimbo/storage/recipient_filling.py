"""Fills the recipient columns of documents that are older than the columns (migration 0020)."""

from carimbo.storage.connection import Connection

_AT_ONCE = 500
# Rows that somebody holds are left out: to wait for them while others are held could end in a deadlock.
_FILL = """
    with held as (
        select subscription_id, id, recipient_in(request) as recipient from documents
        where (subscription_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))
        for no key update skip locked
    ), filled as (
        update documents d set recipient_tax_id = tax_id_of(recipient), recipient_name = recipient ->> 'name'
        from held
        where d.subscription_id = held.subscription_id and d.id = held.id and recipient is not null
            and d.recipient_tax_id is null and d.recipient_name is null
    )
    select count(*) from held
"""


async def fill_recipients(connection: Connection, at_once: int = _AT_ONCE) -> bool:
    """Fills the next documents, in the caller's transaction; returns whether there may be more to do.

    A worker that finds another one at it has nothing to do. A document that somebody holds is tried again
    with the next call.
    """
    place = await connection.fetchrow(
        "select after_subscription_id, after_document_id from recipient_filling for update skip locked"
    )
    if place is None:
        return False
    page = await connection.fetch(
        "select subscription_id, id from documents where (subscription_id, id) > ($1, $2)"
        " order by subscription_id, id limit $3",
        place["after_subscription_id"], place["after_document_id"], at_once,
    )  # fmt: skip
    if not page:
        await connection.execute("delete from recipient_filling")
        return False
    owners, ids = [row["subscription_id"] for row in page], [row["id"] for row in page]
    if await connection.fetchval(_FILL, owners, ids) == len(page):
        await connection.execute(
            "update recipient_filling set after_subscription_id = $1, after_document_id = $2",
            owners[-1], ids[-1],
        )  # fmt: skip
    return True
