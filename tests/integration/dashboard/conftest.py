"""People with a role, who open pages of the dashboard."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi import FastAPI

from carimbo.service.people.roles import MemberRole
from carimbo.storage.database import Database
from integration.dashboard.panel import Panel, new_browser, new_panel
from support import Caller

NewPanel = Callable[..., Awaitable[Panel]]


@pytest.fixture
async def sign_in_as(app: FastAPI, database: Database) -> AsyncIterator[NewPanel]:
    """Signs in a new person: `await sign_in_as(subscription_id, MemberRole.VIEWER, company_ids)`."""
    async with AsyncExitStack() as stack:

        async def make(
            subscription_id: UUID | None, role: MemberRole | None = MemberRole.OWNER, *rest: Any, **more: Any
        ) -> Panel:
            panel = await new_panel(app, database, subscription_id, role, *rest, **more)
            await stack.enter_async_context(panel.http)
            return panel

        yield make


@pytest.fixture
async def panel(sign_in_as: NewPanel, caller: Caller) -> Panel:
    """The owner of the caller's subscription."""
    return await sign_in_as(caller.subscription_id)


@pytest.fixture
async def browser_without_session(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with new_browser(app) as http:
        yield http
