"""Stores whose sales are issued by a worker and simulated authorities, and people who look at them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from lxml import html

from integration.dashboard.panel import Panel, new_panel
from integration.issuing.shop import Shop
from integration.sales.conftest import (
    ample_time_for_parameters,
    certificate,
    new_shop,
    new_store,
    shop,
    simulator,
    store,
    system,
    work,
)

__all__ = [
    "ample_time_for_parameters",
    "certificate",
    "new_shop",
    "new_store",
    "shop",
    "simulator",
    "store",
    "system",
    "work",
]


@dataclass(frozen=True)
class ShopWindow:
    """The pages of a company, as its owner sees them."""

    panel: Panel
    base: str

    async def page(self, rest: str) -> html.HtmlElement:
        return await self.panel.page(self.base + rest)

    async def answer(self, rest: str) -> Any:
        return await self.panel.http.get(self.base + rest)


OpenWindow = Callable[[Shop], Awaitable[ShopWindow]]


@pytest.fixture
async def look_at() -> AsyncIterator[OpenWindow]:
    """Signs in the owner of a shop."""
    async with AsyncExitStack() as stack:

        async def look(shop: Shop) -> ShopWindow:
            panel = await new_panel(shop.system.app, shop.system.database, shop.caller.subscription_id)
            await stack.enter_async_context(panel.http)
            return ShopWindow(panel, panel.company(shop.id))

        yield look
