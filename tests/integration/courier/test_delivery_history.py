"""What is forgotten of deliveries, and what never is."""

import asyncio
from uuid import UUID

import pytest

from carimbo.service.delivery.attempt import deliver
from carimbo.storage import forgetting
from carimbo.storage.delivering import forget_deleted_webhooks, forget_deliveries
from carimbo.worker.history import forget_forever
from integration.courier.house import DAY, NO_RETRIES, House
from receiver import Receiver, Reply
from support import PATIENCE

KEEP = 30 * DAY
LONG_AGO = "attempted_at = now() - interval '31 days', created_at = now() - interval '31 days'"


async def forget(house: House) -> bool:
    async with house.database.connection() as connection:
        return await forget_deliveries(connection, KEEP)


async def forget_deleted(house: House) -> bool:
    async with house.database.connection() as connection:
        return await forget_deleted_webhooks(connection)


async def delete(house: House, webhook_id: UUID) -> None:
    async with house.database.tenant(house.subscription_id) as tenant:
        assert await tenant.webhooks.delete(webhook_id)


async def settled(house: House, webhook_id: UUID) -> UUID:
    """A delivery that was attempted, and is not to be any more."""
    delivery_id = await house.tell(webhook_id)
    await house.deliver(schedule=NO_RETRIES)
    return delivery_id


async def kept(house: House) -> set[UUID]:
    return {row["id"] for row in await house.rows()}


class TestWhatIsForgotten:
    @pytest.mark.parametrize("reply", [Reply(), Reply(500)], ids=["delivered", "failed"])
    async def test_is_what_was_settled_long_ago_with_its_attempts(
        self, house: House, receiver: Receiver, reply: Reply
    ) -> None:
        receiver.default = reply
        webhook_id = await house.webhook(receiver.url)
        old, new = await settled(house, webhook_id), await settled(house, webhook_id)
        await house.change(old, LONG_AGO)
        assert await forget(house) is False
        assert await kept(house) == {new}
        assert (await house.attempts(old), len(await house.attempts(new))) == ([], 1)
        assert len(await house.fetch("select from events")) == 2

    async def test_is_never_what_is_still_owed(self, house: House, receiver: Receiver) -> None:
        receiver.default = Reply(500)
        webhook_id = await house.webhook(receiver.url)
        tried = await house.tell(webhook_id)
        await house.deliver()
        untried = await house.tell(webhook_id)
        for delivery_id in (tried, untried):
            await house.change(delivery_id, "created_at = now() - interval '31 days'")
        await house.change(tried, LONG_AGO)
        await forget(house)
        assert await kept(house) == {tried, untried}

    async def test_is_not_what_was_sent_again_lately(self, house: House, receiver: Receiver) -> None:
        webhook_id = await house.webhook(receiver.url)
        delivery_id = await settled(house, webhook_id)
        await house.change(delivery_id, LONG_AGO)
        async with house.database.tenant(house.subscription_id) as tenant:
            await tenant.deliveries.redeliver(delivery_id)
        await forget(house)
        assert await house.deliver() == ["delivered"]
        await forget(house)
        assert len(await house.attempts(delivery_id)) == 2

    async def test_goes_little_by_little(
        self, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(forgetting, "_AT_ONCE", 2)
        webhook_id = await house.webhook(receiver.url)
        for _ in range(3):
            await house.change(await settled(house, webhook_id), LONG_AGO)
        assert await forget(house) is True
        assert len(await kept(house)) == 1
        assert await forget(house) is False
        assert await kept(house) == set()


class TestADeletedWebhook:
    async def test_is_marked_and_told_nothing_more(self, house: House) -> None:
        webhook_id = await house.webhook()
        await house.tell(webhook_id)
        await delete(house, webhook_id)
        (row,) = await house.fetch("select is_active, deleted_at <= now() as is_deleted from webhooks")
        assert (row["is_active"], row["is_deleted"]) == (False, True)
        assert len(await kept(house)) == 1
        assert await house.claim() == []

    async def test_is_told_nothing_that_was_taken_before(self, house: House, receiver: Receiver) -> None:
        await house.tell(await house.webhook(receiver.url))
        (claimed,) = await house.claim()
        await delete(house, claimed.webhook_id)
        assert await deliver(house.postman(), claimed) is None
        assert receiver.calls == []

    async def test_is_forgotten_little_by_little_and_at_last_itself(
        self, house: House, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(forgetting, "_AT_ONCE", 2)
        gone, other = await house.webhook(), await house.webhook()
        for webhook_id in (gone, gone, gone, other):
            await house.tell(webhook_id)
        await delete(house, gone)
        webhooks = "select id from webhooks order by id"
        assert await forget_deleted(house) is True
        assert len(await kept(house)) == 2
        assert [row["id"] for row in await house.fetch(webhooks)] == [gone, other]
        assert await forget_deleted(house) is False
        assert [row["webhook_id"] for row in await house.rows()] == [other]
        assert [row["id"] for row in await house.fetch(webhooks)] == [other]

    async def test_goes_with_the_log_while_a_worker_runs(
        self, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(forgetting, "_AT_ONCE", 2)
        gone, webhook_id = await house.webhook(), await house.webhook(receiver.url)
        for _ in range(5):
            await house.change(await settled(house, webhook_id), LONG_AGO)
            await house.tell(gone)
        await delete(house, gone)
        task = asyncio.create_task(forget_forever(house.database, KEEP, KEEP))
        await house.until(f"not exists (select from webhooks where id = '{gone}')")
        task.cancel()
        assert await kept(house) == set()


class TestAStatusChange:
    """Beside the deletion of a webhook that listens to it."""

    async def test_neither_waits_nor_is_undone_when_it_comes_second(self, house: House) -> None:
        webhook_id, document_id = await house.webhook(), await house.document()
        async with house.database.tenant(house.subscription_id) as tenant, asyncio.timeout(PATIENCE):
            await tenant.webhooks.delete(webhook_id)
            await house.become(document_id, "authorized")
        await self.require_told(house, document_id)

    async def test_neither_holds_up_nor_is_undone_when_it_comes_first(self, house: House) -> None:
        webhook_id, document_id = await house.webhook(), await house.document()
        async with house.database.transaction() as connection, asyncio.timeout(PATIENCE):
            await connection.execute("update documents set status = 'authorized' where id = $1", document_id)
            await delete(house, webhook_id)
        await self.require_told(house, document_id)

    async def require_told(self, house: House, document_id: UUID) -> None:
        (document,) = await house.fetch("select status from documents where id = $1", document_id)
        (event,) = await house.fetch("select topic from events where document_id = $1", document_id)
        assert (document["status"], event["topic"]) == ("authorized", "nfe.authorized")
        assert await house.claim() == []
        await forget_deleted(house)
        assert await house.fetch("select from webhooks") == []
