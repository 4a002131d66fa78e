from collections.abc import AsyncIterator

import pytest

from carimbo.outbound.guard import WebhookGuard
from carimbo.outbound.target import AllowedHosts
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.service.access import Authenticator
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.database import PoolOptions, open_database
from carimbo.storage.envelope import KeyRing, new_key
from integration.conftest import NewDatabase
from integration.deliveries.outbox import Outbox, now
from integration.storage.document_rows import open_shop
from support import LOOPBACK


@pytest.fixture(scope="module")
async def open_outbox(new_migrated_database: NewDatabase) -> AsyncIterator[Outbox]:
    guard = WebhookGuard(AllowedHosts.parse(LOOPBACK))
    async with (
        new_migrated_database() as url,
        open_database(url, KeyRing.parse(new_key("k1")), PoolOptions(size=20)) as database,
        HttpWebhookClient(guard, 20, now) as client,
    ):
        created = await create_subscription(await Authenticator.open(database), "Teste")
        yield Outbox(url, database, await open_shop(database, created.subscription_id), client)


@pytest.fixture
async def outbox(open_outbox: Outbox) -> Outbox:
    """An outbox without webhooks and events."""
    await open_outbox.fetch("truncate events, webhooks, deliveries, delivery_attempts")
    return open_outbox
