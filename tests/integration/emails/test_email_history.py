"""What was settled long ago is forgotten, and nothing else."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID

from carimbo.worker.history import forget_forever
from integration.emails.mailbox import addressed, ask, listed, new_address, until_settled
from integration.issuing.shop import Shop

KEPT = timedelta(days=90)


async def sent(shop: Shop, document: dict[str, Any], days_ago: int) -> str:
    """An e-mail that was settled so long ago."""
    email = await ask(shop, document, {"to": [new_address()]})
    await until_settled(shop, document)
    await shop.floor.fetch(
        "update emails set settled_at = settled_at - $2::interval where id = $1",
        UUID(email["id"]), timedelta(days=days_ago),
    )  # fmt: skip
    return str(email["id"])


async def test_forgets_what_was_settled_long_ago_with_its_attempts(shop: Shop) -> None:
    document = await shop.issue("nfe", **addressed("nfe", None))
    old, recent = [await sent(shop, document, days) for days in (91, 89)]
    async with shop.floor.standstill():
        waiting = (await ask(shop, document, {"to": [new_address()]}))["id"]
        since = "update emails set created_at = now() - interval '1 year' where id = $1"
        await shop.floor.fetch(since, UUID(waiting))
        forgetting = asyncio.create_task(forget_forever(shop.floor.database, KEPT, KEPT))
        await shop.floor.until(f"not exists (select from emails where id = '{UUID(old)}')")
        forgetting.cancel()
        assert {email["id"] for email in await listed(shop, document)} == {recent, waiting}
        attempts = await shop.floor.fetch("select from email_attempts where email_id = $1", UUID(old))
        assert attempts == []
