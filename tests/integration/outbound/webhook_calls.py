"""Webhook calls to receivers on loopback with any behaviour."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import AllowedHosts
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.service.ports import WebhookAnswer, WebhookCall
from receiver import Reply
from support import LOOPBACK

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@asynccontextmanager
async def client_of(
    allowed: str = LOOPBACK, seconds: float = 5, guard: WebhookGuard | None = None
) -> AsyncIterator[HttpWebhookClient]:
    used_guard = guard or WebhookGuard(AllowedHosts.parse(allowed))
    async with HttpWebhookClient(used_guard, seconds, lambda: NOW) as client:
        yield client


def call_to(url: str, body: bytes = b"{}", headers: Mapping[str, str] = {}) -> WebhookCall:
    return WebhookCall(url, tuple(headers.items()), body)


async def answer_of(url: str, seconds: float = 5) -> WebhookAnswer:
    async with client_of(seconds=seconds) as client:
        return await client.post(call_to(url))


def writing(text: bytes, pause: float = 0, times: int = 1) -> Reply:
    """Returns a reply of exactly these bytes, repeated, without any HTTP added."""

    async def write(writer: asyncio.StreamWriter) -> None:
        for _ in range(times):
            writer.write(text)
            await writer.drain()
            await asyncio.sleep(pause)

    return Reply(write=write)


def after(head: bytes, then: Callable[[asyncio.StreamWriter], Awaitable[None]]) -> Reply:
    async def write(writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        await then(writer)

    return Reply(write=write)
