"""Events of one document are delivered in order; events of others do not wait for them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from carimbo.service.delivery.retry import RetrySchedule
from carimbo.storage.connection import Connection
from carimbo.storage.delivery_attempts import (
    ConcludedDelivery,
    DeliveryOutcome,
    NewDeliveryAttempt,
    conclude_deliveries,
)
from integration.deliveries.outbox import HOUR, Outbox, now
from receiver import Receiver, Reply

HOURLY = RetrySchedule((HOUR,))
BROKEN = Reply(500)
DELIVERED = DeliveryOutcome(status="delivered", failures=0)
ATTEMPT = NewDeliveryAttempt(
    url="",
    request_headers={},
    request_body="",
    response_status=200,
    response_body="",
    error=None,
    started_at=now(),
    milliseconds=1,
)
# The counts of a connection, as of now.
ROWS_READ = """
    select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'deliveries'
"""


class TestPostponement:
    async def test_failure_postpones_later_events_of_the_document(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        await outbox.webhook(receiver.url)
        await outbox.document("authorized", "canceled")
        await outbox.document("rejected")
        assert await outbox.deliver(schedule=HOURLY) == ["pending"]
        failed, following, other = await outbox.rows()
        assert following["next_action_at"] == failed["next_action_at"] > failed["now"] + HOUR / 2
        assert other["next_action_at"] <= other["now"]

    async def test_failure_postpones_nothing_at_another_webhook(
        self, outbox: Outbox, receiver: Receiver, other_receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        broken, good = await outbox.webhook(receiver.url), await outbox.webhook(other_receiver.url)
        await outbox.document("authorized", "canceled")
        for _ in range(2):
            await outbox.deliver(schedule=HOURLY)
        pending = {row["webhook_id"] for row in await outbox.rows() if row["status"] == "pending"}
        assert (pending, len(other_receiver.calls)) == ({broken}, 2)
        assert (await outbox.read_webhook(good)).failing_since is None

    async def test_failure_postpones_events_that_are_added_while_it_waits(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        await outbox.webhook(receiver.url)
        document_id = await outbox.document("authorized")
        await outbox.deliver(schedule=HOURLY)
        await outbox.set_status(document_id, "canceled")
        failed, following = await outbox.rows()
        assert following["next_action_at"] == failed["next_action_at"]

    async def test_failure_postpones_nothing_of_another_document(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        receiver.default = BROKEN
        await outbox.webhook(receiver.url)
        await outbox.document("authorized")
        await outbox.deliver(schedule=HOURLY)
        await outbox.document("authorized")
        _, other = await outbox.rows()
        assert other["next_action_at"] <= other["now"]


class TestNextEvent:
    @pytest.mark.parametrize(
        ("reply", "status"), [(Reply(), "delivered"), (BROKEN, "failed")], ids=["success", "giving-up"]
    )
    async def test_next_event_is_due_at_once_when_the_first_is_settled(
        self, outbox: Outbox, receiver: Receiver, reply: Reply, status: str
    ) -> None:
        """Even if it was postponed for an hour before."""
        receiver.replies.extend([BROKEN, reply])
        await outbox.webhook(receiver.url)
        await outbox.document("authorized", "canceled")
        await outbox.deliver(schedule=HOURLY)
        first, _ = await outbox.rows()
        await outbox.change(first["id"], "next_action_at = now()")
        assert await outbox.deliver(schedule=HOURLY) == [status]
        _, following = await outbox.rows()
        assert following["next_action_at"] <= following["now"]
        assert await outbox.deliver() == ["delivered"]

    async def test_next_event_is_not_sent_before_the_first_even_if_it_is_due(
        self, outbox: Outbox, receiver: Receiver
    ) -> None:
        await outbox.webhook(receiver.url)
        await outbox.document("authorized", "canceled")
        first, following = await outbox.rows()
        await outbox.change(first["id"], "next_action_at = now() + interval '1 minute'")
        assert following["next_action_at"] <= following["now"]
        assert await outbox.deliver() == []

    async def test_next_event_is_not_claimed_together_with_the_first(self, outbox: Outbox) -> None:
        webhook_id = await outbox.webhook()
        await outbox.document("authorized", "canceled")
        first, _ = await outbox.rows()
        assert [delivery.id for delivery in await outbox.claim(quick={webhook_id})] == [first["id"]]
        assert await outbox.claim(busy={webhook_id: 1}, quick={webhook_id}) == []


class TestBacklog:
    """Statistics are usually of a time without pending deliveries: the planner expects to find none."""

    async def test_outcome_is_stored_without_reading_the_deliveries_of_other_documents(
        self, outbox: Outbox
    ) -> None:
        await self.add_backlog(outbox)
        (claimed,) = await outbox.claim()
        async with self.few_rows_read(outbox) as connection:
            assert await conclude_deliveries(connection, [ConcludedDelivery(claimed, ATTEMPT, DELIVERED)])

    async def test_event_is_added_without_reading_the_deliveries_of_other_documents(
        self, outbox: Outbox
    ) -> None:
        await self.add_backlog(outbox)
        document_id = await outbox.document()
        async with self.few_rows_read(outbox) as connection:
            await connection.execute("update documents set status = 'authorized' where id = $1", document_id)

    @staticmethod
    async def add_backlog(outbox: Outbox) -> None:
        webhook_id = await outbox.webhook()
        await outbox.add_events(webhook_id, 300)
        await outbox.fetch("update deliveries set status = 'delivered', next_action_at = null")
        await outbox.fetch("analyze deliveries")
        await outbox.add_events(webhook_id, 300)

    @staticmethod
    @asynccontextmanager
    async def few_rows_read(outbox: Outbox) -> AsyncIterator[Connection]:
        """Gives a connection on which only a few deliveries may be read."""
        async with outbox.database.transaction() as connection:
            # As in a table that is too large to be read as a whole.
            await connection.execute("set local enable_seqscan = off")
            before = await connection.fetchval(ROWS_READ)
            yield connection
            assert await connection.fetchval(ROWS_READ) - before < 10
