"""NF-e and NFC-e that can not be held or dismissed: printed, or with an attempt whose result is unknown."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service import outage_board
from carimbo.service.errors import Refusal
from carimbo.service.maintenance import dismiss_document, park_unsent_work
from integration.issuing.actions import parking_reasons
from integration.issuing.point_of_sale import point_of_sale_of
from integration.issuing.scripted import LOST, OUT, scripted_authorities
from integration.issuing.shop import Shop
from integration.issuing.system import System

REASON = "restaurado de um backup"
MINUTE = timedelta(minutes=1)


async def refused(shop: Shop, document: dict[str, Any]) -> Refusal:
    """Returns the refusal of a request to dismiss a document."""
    with pytest.raises(Refusal) as raised:
        await dismiss_document(
            shop.system.database, UUID(document["id"]), "Em papel", datetime.now(UTC), MINUTE
        )
    return raised.value


async def test_printed_receipt_is_not_held(system: System, shop: Shop) -> None:
    point_of_sale = await point_of_sale_of(shop)
    async with system.worker_stopped():
        document = await point_of_sale.submit(point_of_sale.paper(7))
        await park_unsent_work(system.database, REASON)
        assert await parking_reasons(shop, document) == []
    assert (await shop.settled(document))["status"] == "authorized"


async def test_document_with_an_attempt_of_unknown_result_is_not_dismissed(
    system: System, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If that attempt turns out authorized, we cancel it: the sale would have no document."""
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
    async with scripted_authorities(system, shop, LOST, OUT) as worker:
        document = await shop.create()
        await worker.advance(document, steps=1)
        await worker.go_into_contingency()
        await worker.end_pause(document)
        await worker.advance(document, steps=1)
        await park_unsent_work(system.database, REASON)
        assert [signed.access_key[34] for signed in worker.script.sent] == ["1", "6"]
        assert await parking_reasons(shop, document) == [REASON]
        assert "A autoridade pode ter este documento" in (await refused(shop, document)).message
    await system.fetch("delete from outages")
