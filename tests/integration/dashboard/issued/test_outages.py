"""Outages that the worker sees while it issues, as the pages show them."""

import pytest

from carimbo.service import outage_board
from integration.dashboard.issued.conftest import OpenWindow
from integration.dashboard.panel import text_of
from integration.issuing.shop import Shop


async def test_outage_of_a_service_without_contingency_is_shown_until_it_answers_again(
    shop: Shop, look_at: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage_board, "_FRESH_SECONDS", 0.0)
    panel = (await look_at(shop)).panel
    await shop.system.switch(failures=1)
    try:
        document = await shop.create("nfse")
        await shop.system.until("exists (select from outages where model = 'nfse')")
        home, authorities = await panel.page(panel.base), await panel.page(f"{panel.base}/autoridades")
        assert "Sefin Nacional (NFS-e)" in text_of(home)
        assert "Sefin Nacional (NFS-e) não atende NFS-e desde" in text_of(authorities)
    finally:
        await shop.system.switch(failures=0)
    assert (await shop.settled(document))["status"] == "authorized"
    await shop.system.until("not exists (select from outages where model = 'nfse')")
    assert "não atende" not in text_of(await panel.page(f"{panel.base}/autoridades"))
