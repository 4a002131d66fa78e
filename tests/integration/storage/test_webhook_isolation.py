"""No repository of webhooks shows or changes a row of another subscription."""

from dataclasses import replace

import asyncpg
import pytest

from carimbo.storage.deliveries import DeliveryFilter
from carimbo.storage.identifiers import new_id
from integration.storage.neighbours import TOPIC, WEBHOOK, Neighbours

ALL = DeliveryFilter()


class TestWebhooks:
    async def test_another_subscription_s_webhook_is_not_seen(self, neighbours: Neighbours) -> None:
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.webhooks.get(neighbours.webhook_id) is None
            assert await tenant.webhooks.lock(neighbours.webhook_id) is None
            assert await tenant.webhooks.page(0, 100) == []
            assert await tenant.webhooks.count() == 0

    async def test_another_subscription_s_webhook_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        webhook_id = neighbours.webhook_id
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            mine = replace(WEBHOOK, url="https://example.org/")
            assert await tenant.webhooks.write(webhook_id, mine) is None
            assert await tenant.webhooks.activate(webhook_id) is None
            assert await tenant.webhooks.deactivate(webhook_id) is None
            assert not await tenant.webhooks.delete(webhook_id)
        assert await neighbours.owner_rows() == before

    async def test_another_subscription_s_events_are_not_delivered(self, neighbours: Neighbours) -> None:
        webhook_id = new_id()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.webhooks.add(webhook_id, WEBHOOK, is_active=True)
        async with neighbours.database.tenant(neighbours.owner) as tenant:
            insert_event = "insert into events (subscription_id, topic) values ($1, 'nfe.authorized')"
            await tenant.connection.execute(insert_event, neighbours.owner)
            assert await tenant.deliveries.count(neighbours.webhook_id, ALL) == 2
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            assert await tenant.deliveries.count(webhook_id, ALL) == 0


class TestDeliveries:
    async def test_another_subscription_s_delivery_is_not_seen(self, neighbours: Neighbours) -> None:
        webhook_id, delivery_id = neighbours.webhook_id, neighbours.delivery_id
        for subscription_id, seen in ((neighbours.owner, 1), (neighbours.stranger, 0)):
            async with neighbours.database.tenant(subscription_id) as tenant:
                deliveries = tenant.deliveries
                delivery = await deliveries.get(webhook_id, delivery_id)
                assert (delivery is not None) is bool(seen)
                assert len(await deliveries.page(webhook_id, ALL, 0, 10)) == seen
                assert await deliveries.count(webhook_id, ALL) == seen
                assert len(await deliveries.latest([webhook_id])) == seen
                assert len(await deliveries.attempts(delivery_id)) == seen

    async def test_another_subscription_s_delivery_is_not_changed(self, neighbours: Neighbours) -> None:
        before = await neighbours.owner_rows()
        async with neighbours.database.tenant(neighbours.stranger) as tenant:
            await tenant.deliveries.redeliver(neighbours.delivery_id)
        assert await neighbours.owner_rows() == before

    async def test_nothing_can_be_delivered_to_another_subscription_s_webhook(
        self, neighbours: Neighbours
    ) -> None:
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            async with neighbours.database.tenant(neighbours.stranger) as tenant:
                await tenant.deliveries.add_test(neighbours.webhook_id, TOPIC, {})
