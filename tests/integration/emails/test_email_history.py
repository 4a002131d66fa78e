"""Old settled e-mails are deleted, and nothing else."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

from carimbo.worker.chores import delete_old_history_forever
from integration.emails.mailbox import listed, new_address, party_fields, request_email, until_settled
from integration.issuing.shop import Shop

KEPT = timedelta(days=90)


async def sent(shop: Shop, document: dict[str, Any], days_ago: int) -> str:
    """Sends an e-mail and moves its outcome into the past."""
    email = await request_email(shop, document, {"to": [new_address()]})
    await until_settled(shop, document)
    await shop.system.fetch(
        "update emails set settled_at = settled_at - $2::interval where id = $1",
        UUID(email["id"]), timedelta(days=days_ago),
    )  # fmt: skip
    return str(email["id"])


async def test_old_settled_emails_are_deleted_with_their_attempts(shop: Shop) -> None:
    document = await shop.issue("nfe", **party_fields("nfe", None))
    old, recent = [await sent(shop, document, days) for days in (91, 89)]
    async with shop.system.worker_stopped():
        waiting = (await request_email(shop, document, {"to": [new_address()]}))["id"]
        since = "update emails set created_at = now() - interval '1 year' where id = $1"
        await shop.system.fetch(since, UUID(waiting))
        deletion = asyncio.create_task(delete_old_history_forever(shop.system.database, KEPT, KEPT))
        await shop.system.until(f"not exists (select from emails where id = '{UUID(old)}')")
        deletion.cancel()
        assert {email["id"] for email in await listed(shop, document)} == {recent, waiting}
        attempts = await shop.system.fetch("select from email_attempts where email_id = $1", UUID(old))
        assert attempts == []
