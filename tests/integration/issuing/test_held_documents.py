"""Documents of goods that are not held or dismissed: on paper, or with an attempt of unknown fate."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from carimbo.service import outage_board
from carimbo.service.dismissal import dismiss
from carimbo.service.errors import Refusal
from carimbo.service.parked import hold_all
from integration.issuing.actions import parking_reasons
from integration.issuing.floor import Floor
from integration.issuing.scripted import LOST, OUT, playing
from integration.issuing.shop import Shop
from integration.issuing.till import till_of

REASON = "restaurado de um backup"
MINUTE = timedelta(minutes=1)


async def refused(shop: Shop, document: dict[str, Any]) -> Refusal:
    """Try to dismiss a document, in vain."""
    with pytest.raises(Refusal) as raised:
        await dismiss(shop.floor.database, UUID(document["id"]), "Em papel", datetime.now(UTC), MINUTE)
    return raised.value


async def test_what_is_on_paper_is_not_held(floor: Floor, shop: Shop) -> None:
    till = await till_of(shop)
    async with floor.standstill():
        document = await till.hand_over(till.paper(7))
        await hold_all(floor.database, REASON)
        assert await parking_reasons(shop, document) == []
    assert (await shop.settled(document))["status"] == "authorized"


async def test_what_has_an_attempt_of_unknown_fate_is_not_dismissed(
    floor: Floor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should that turn out authorised we cancel it: the sale would be left without any document."""
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
    async with playing(floor, shop, LOST, OUT) as play:
        document = await shop.create()
        await play.perform(document, steps=1)
        await play.go_into_contingency()
        await play.hasten(document)
        await play.perform(document, steps=1)
        await hold_all(floor.database, REASON)
        assert [signed.access_key[34] for signed in play.script.sent] == ["1", "6"]
        assert await parking_reasons(shop, document) == [REASON]
        assert "A autoridade pode ter este documento" in (await refused(shop, document)).message
    await floor.fetch("delete from outages")
