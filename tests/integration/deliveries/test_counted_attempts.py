"""The metrics of delivery attempts."""

import pytest

from carimbo.service.delivery.retry import RetrySchedule
from integration.deliveries.outbox import NO_RETRIES, RETRIES, Outbox
from metric_samples import shown, until_risen
from receiver import Receiver, Reply


@pytest.mark.parametrize(
    ("status", "schedule", "outcome"),
    [(204, RETRIES, "delivered"), (500, RETRIES, "pending"), (500, NO_RETRIES, "failed")],
    ids=["taken", "to be tried again", "given up"],
)
async def test_each_attempt_is_counted_by_its_outcome(
    outbox: Outbox, receiver: Receiver, status: int, schedule: RetrySchedule, outcome: str
) -> None:
    receiver.default = Reply(status)
    before = shown("deliveries_total", outcome=outcome)
    timed = shown("delivery_seconds_count")
    await outbox.add_event(await outbox.webhook(receiver.url))
    async with outbox.delivery_worker(outbox.delivery_sender(schedule=schedule)):
        await until_risen("deliveries_total", before, outcome=outcome)
        await until_risen("delivery_seconds_count", timed)


async def test_failed_test_delivery_is_not_counted_as_a_failure(outbox: Outbox, receiver: Receiver) -> None:
    """A test of an address that does not answer yet must not raise an alarm."""
    receiver.default = Reply(500)
    before, failed = shown("deliveries_total", outcome="tested"), shown("deliveries_total", outcome="failed")
    await outbox.add_test(await outbox.webhook(receiver.url))
    async with outbox.delivery_worker():
        await until_risen("deliveries_total", before, outcome="tested")
    assert shown("deliveries_total", outcome="failed") == failed
