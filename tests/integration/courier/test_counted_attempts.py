"""What is counted of attempts to deliver."""

import pytest

from carimbo.service.delivery.retry import RetrySchedule
from integration.courier.house import NO_RETRIES, RETRIES, House
from metric_samples import shown, until_risen
from receiver import Receiver, Reply


@pytest.mark.parametrize(
    ("status", "schedule", "outcome"),
    [(204, RETRIES, "delivered"), (500, RETRIES, "pending"), (500, NO_RETRIES, "failed")],
    ids=["taken", "to be tried again", "given up"],
)
async def test_each_counts_as_what_came_of_it(
    house: House, receiver: Receiver, status: int, schedule: RetrySchedule, outcome: str
) -> None:
    receiver.default = Reply(status)
    before = shown("deliveries_total", outcome=outcome)
    timed = shown("delivery_seconds_count")
    await house.tell(await house.webhook(receiver.url))
    async with house.courier(house.postman(schedule=schedule)):
        await until_risen("deliveries_total", before, outcome=outcome)
        await until_risen("delivery_seconds_count", timed)


async def test_what_a_person_tries_is_no_failure(house: House, receiver: Receiver) -> None:
    """Somebody who tests an address that does not answer yet alarms nobody."""
    receiver.default = Reply(500)
    before, failed = shown("deliveries_total", outcome="tested"), shown("deliveries_total", outcome="failed")
    await house.tell_test(await house.webhook(receiver.url))
    async with house.courier():
        await until_risen("deliveries_total", before, outcome="tested")
    assert shown("deliveries_total", outcome="failed") == failed
