"""Sales that wait for their time, and the time that comes."""

from datetime import datetime
from typing import Any
from uuid import UUID

import support
from integration.sales.store import Store

FAR = "2999-01-15"


async def waiting(store: Store, *lines: str, **changes: Any) -> dict[str, Any]:
    """A sale whose guarantee ends some day."""
    return await store.sold(*lines, emitWhen="after_guarantee", **{"guaranteeDate": FAR, **changes})


async def come_due(store: Store, sale: dict[str, Any]) -> None:
    """Let the moment for which a sale waits have passed."""
    await support.come_due(store.floor.fetch, sale["id"])


async def fired(store: Store, sale: dict[str, Any]) -> dict[str, Any]:
    """Wait until a sale that was due has its outcomes."""
    await store.floor.until(
        f"not exists (select from documents where sale_id = '{UUID(sale['id'])}' and status = 'pending')"
    )
    return await store.sale_settled(sale)


async def times_queued(store: Store, sale: dict[str, Any]) -> dict[str, int]:
    """How often each document of a sale was sent on its way, by type."""
    histories = {document["type"]: await store.events(document) for document in sale["invoices"]}
    return {kind: [event["type"] for event in history].count("queued") for kind, history in histories.items()}


def moment(sale: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(sale["scheduledEmitAt"])
