from collections.abc import AsyncIterator

import pytest

from carimbo.outbound.allowed_hosts import AllowedHosts
from carimbo.outbound.guard import Guard
from carimbo.outbound.webhook_client import HttpWebhookClient
from carimbo.service.access import Gatekeeper
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.database import PoolOptions, open_database
from carimbo.storage.envelope import KeyRing, new_key
from integration.conftest import NewDatabase
from integration.courier.house import House, now
from integration.storage.document_rows import open_shop
from support import LOOPBACK


@pytest.fixture(scope="module")
async def open_house(new_migrated_database: NewDatabase) -> AsyncIterator[House]:
    guard = Guard(AllowedHosts.parse(LOOPBACK))
    async with (
        new_migrated_database() as url,
        open_database(url, KeyRing.parse(new_key("k1")), PoolOptions(size=20)) as database,
        HttpWebhookClient(guard, 20, now) as client,
    ):
        created = await create_subscription(await Gatekeeper.open(database), "Teste")
        yield House(url, database, await open_shop(database, created.subscription_id), client)


@pytest.fixture
async def house(open_house: House) -> House:
    """With nobody who listens, and nothing owed."""
    await open_house.fetch("truncate events, webhooks, deliveries, delivery_attempts")
    return open_house
