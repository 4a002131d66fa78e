"""Deletion of old deliveries and of deleted webhooks."""

import asyncio
from uuid import UUID

import pytest

from carimbo.service.delivery.attempt import deliver
from carimbo.storage import sql
from carimbo.storage.delivery_queue import delete_old_deliveries, purge_deleted_webhooks
from carimbo.worker.chores import delete_old_history_forever
from integration.deliveries.outbox import DAY, NO_RETRIES, Outbox
from receiver import Receiver, Reply
from support import TIMEOUT_SECONDS

KEEP = 30 * DAY
LONG_AGO = "attempted_at = now() - interval '31 days', created_at = now() - interval '31 days'"


async def delete_old(outbox: Outbox) -> bool:
    async with outbox.database.connection() as connection:
        return await delete_old_deliveries(connection, KEEP)


async def purge_deleted(outbox: Outbox) -> bool:
    async with outbox.database.connection() as connection:
        return await purge_deleted_webhooks(connection)


async def delete_webhook(outbox: Outbox, webhook_id: UUID) -> None:
    async with outbox.database.tenant(outbox.subscription_id) as tenant:
        assert await tenant.webhooks.delete(webhook_id)


async def settled(outbox: Outbox, webhook_id: UUID) -> UUID:
    """Adds a delivery and settles it, and returns its id."""
    delivery_id = await outbox.add_event(webhook_id)
    await outbox.deliver(schedule=NO_RETRIES)
    return delivery_id


async def kept_ids(outbox: Outbox) -> set[UUID]:
    return {row["id"] for row in await outbox.rows()}


class TestOldDeliveries:
    @pytest.mark.parametrize("reply", [Reply(), Reply(500)], ids=["delivered", "failed"])
    async def test_old_settled_deliveries_are_deleted_with_their_attempts(
        self, outbox: Outbox, receiver: Receiver, reply: Reply
    ) -> None:
        receiver.default = reply
        webhook_id = await outbox.webhook(receiver.url)
        old, new = await settled(outbox, webhook_id), await settled(outbox, webhook_id)
        await outbox.change(old, LONG_AGO)
        assert await delete_old(outbox) is False
        assert await kept_ids(outbox) == {new}
        assert (await outbox.attempts(old), len(await outbox.attempts(new))) == ([], 1)
        assert len(await outbox.fetch("select from events")) == 2

    async def test_pending_deliveries_are_never_deleted(self, outbox: Outbox, receiver: Receiver) -> None:
        receiver.default = Reply(500)
        webhook_id = await outbox.webhook(receiver.url)
        tried = await outbox.add_event(webhook_id)
        await outbox.deliver()
        untried = await outbox.add_event(webhook_id)
        for delivery_id in (tried, untried):
            await outbox.change(delivery_id, "created_at = now() - interval '31 days'")
        await outbox.change(tried, LONG_AGO)
        await delete_old(outbox)
        assert await kept_ids(outbox) == {tried, untried}

    async def test_old_delivery_that_was_sent_again_is_kept(self, outbox: Outbox, receiver: Receiver) -> None:
        webhook_id = await outbox.webhook(receiver.url)
        delivery_id = await settled(outbox, webhook_id)
        await outbox.change(delivery_id, LONG_AGO)
        async with outbox.database.tenant(outbox.subscription_id) as tenant:
            await tenant.deliveries.redeliver(delivery_id)
        await delete_old(outbox)
        assert await outbox.deliver() == ["delivered"]
        await delete_old(outbox)
        assert len(await outbox.attempts(delivery_id)) == 2

    async def test_old_deliveries_are_deleted_in_batches(
        self, outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sql, "_BATCH_SIZE", 2)
        webhook_id = await outbox.webhook(receiver.url)
        for _ in range(3):
            await outbox.change(await settled(outbox, webhook_id), LONG_AGO)
        assert await delete_old(outbox) is True
        assert len(await kept_ids(outbox)) == 1
        assert await delete_old(outbox) is False
        assert await kept_ids(outbox) == set()


class TestDeletedWebhook:
    async def test_deleted_webhook_is_marked_and_gets_no_deliveries(self, outbox: Outbox) -> None:
        webhook_id = await outbox.webhook()
        await outbox.add_event(webhook_id)
        await delete_webhook(outbox, webhook_id)
        (row,) = await outbox.fetch("select is_active, deleted_at <= now() as is_deleted from webhooks")
        assert (row["is_active"], row["is_deleted"]) == (False, True)
        assert len(await kept_ids(outbox)) == 1
        assert await outbox.claim() == []

    async def test_claimed_delivery_to_a_deleted_webhook_is_not_sent(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        await outbox.add_event(await outbox.webhook(receiver.url))
        (claimed,) = await outbox.claim()
        await delete_webhook(outbox, claimed.webhook_id)
        assert await deliver(outbox.delivery_sender(), claimed) is None
        assert receiver.calls == []

    async def test_deleted_webhook_is_purged_in_batches_and_removed_last(
        self, outbox: Outbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sql, "_BATCH_SIZE", 2)
        gone, other = await outbox.webhook(), await outbox.webhook()
        for webhook_id in (gone, gone, gone, other):
            await outbox.add_event(webhook_id)
        await delete_webhook(outbox, gone)
        webhooks = "select id from webhooks order by id"
        assert await purge_deleted(outbox) is True
        assert len(await kept_ids(outbox)) == 2
        assert [row["id"] for row in await outbox.fetch(webhooks)] == [gone, other]
        assert await purge_deleted(outbox) is False
        assert [row["webhook_id"] for row in await outbox.rows()] == [other]
        assert [row["id"] for row in await outbox.fetch(webhooks)] == [other]

    async def test_worker_deletes_old_deliveries_and_purges_deleted_webhooks(
        self, outbox: Outbox, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sql, "_BATCH_SIZE", 2)
        gone, webhook_id = await outbox.webhook(), await outbox.webhook(receiver.url)
        for _ in range(5):
            await outbox.change(await settled(outbox, webhook_id), LONG_AGO)
            await outbox.add_event(gone)
        await delete_webhook(outbox, gone)
        task = asyncio.create_task(delete_old_history_forever(outbox.database, KEEP, KEEP))
        await outbox.until(f"not exists (select from webhooks where id = '{gone}')")
        task.cancel()
        assert await kept_ids(outbox) == set()


class TestStatusChange:
    """A status change concurrent with the deletion of a webhook that subscribes to it."""

    async def test_status_change_after_a_webhooks_deletion_neither_waits_nor_fails(
        self, outbox: Outbox
    ) -> None:
        webhook_id, document_id = await outbox.webhook(), await outbox.document()
        async with outbox.database.tenant(outbox.subscription_id) as tenant, asyncio.timeout(TIMEOUT_SECONDS):
            await tenant.webhooks.delete(webhook_id)
            await outbox.set_status(document_id, "authorized")
        await self.assert_recorded(outbox, document_id)

    async def test_status_change_before_a_webhooks_deletion_neither_blocks_nor_fails(
        self, outbox: Outbox
    ) -> None:
        webhook_id, document_id = await outbox.webhook(), await outbox.document()
        async with outbox.database.transaction() as connection, asyncio.timeout(TIMEOUT_SECONDS):
            await connection.execute("update documents set status = 'authorized' where id = $1", document_id)
            await delete_webhook(outbox, webhook_id)
        await self.assert_recorded(outbox, document_id)

    async def assert_recorded(self, outbox: Outbox, document_id: UUID) -> None:
        (document,) = await outbox.fetch("select status from documents where id = $1", document_id)
        (event,) = await outbox.fetch("select topic from events where document_id = $1", document_id)
        assert (document["status"], event["topic"]) == ("authorized", "nfe.authorized")
        assert await outbox.claim() == []
        await purge_deleted(outbox)
        assert await outbox.fetch("select from webhooks") == []
