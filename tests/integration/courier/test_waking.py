"""When a courier looks for what is due: when it is told to, when there is room, and now and then."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from carimbo.storage.connection import DatabaseUnavailable
from carimbo.storage.delivering import ClaimedDelivery, claim_deliveries
from carimbo.worker import courier
from integration.courier.house import House
from receiver import Receiver, Reply
from support import PATIENCE

LISTENING = (
    "exists (select from pg_stat_activity where datname = current_database() and query like 'LISTEN%')"
)
SOON = timedelta(seconds=0.05)


async def hear_nothing(_url: str, _heard: Callable[[], None]) -> None:
    await asyncio.Event().wait()


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set while the courier sleeps: when it last looked, it found nothing to deliver."""
    asleep = asyncio.Event()

    async def claim(connection: Any, busy: Mapping[UUID, int], *arguments: Any) -> list[ClaimedDelivery]:
        claimed = await claim_deliveries(connection, busy, *arguments)
        (asleep.clear if claimed else asleep.set)()
        return claimed

    monkeypatch.setattr(courier, "claim_deliveries", claim)
    return asleep


class TestACourierThatSleeps:
    async def test_is_woken_by_the_database_at_once(
        self, house: House, receiver: Receiver, asleep: asyncio.Event
    ) -> None:
        webhook_id = await house.webhook(receiver.url)
        async with house.courier():
            await house.until(LISTENING)
            for count in (1, 2, 3):
                await asyncio.wait_for(asleep.wait(), PATIENCE)
                await house.tell(webhook_id)
                await receiver.until(count, PATIENCE)

    async def test_is_woken_by_a_document_s_change_and_by_a_test(
        self, house: House, receiver: Receiver, asleep: asyncio.Event
    ) -> None:
        webhook_id = await house.webhook(receiver.url)
        document_id = await house.document()
        async with house.courier():
            await house.until(LISTENING)
            await asyncio.wait_for(asleep.wait(), PATIENCE)
            await house.become(document_id, "authorized")
            await receiver.until(1, PATIENCE)
            await asyncio.wait_for(asleep.wait(), PATIENCE)
            await house.tell_test(webhook_id)
            await receiver.until(2, PATIENCE)

    async def test_wakes_when_a_place_is_free(self, house: House, receiver: Receiver) -> None:
        """What waited has told of itself long ago."""
        webhook_id = await house.webhook(receiver.url)
        for _ in range(6):
            await house.tell(webhook_id)
        async with house.courier(each=1, most=1):
            await receiver.until(6, PATIENCE)

    async def test_wakes_when_what_was_before_of_a_document_is_through(
        self, house: House, receiver: Receiver
    ) -> None:
        await house.webhook(receiver.url)
        await house.document("rejected", "processing", "authorized", "canceled")
        async with house.courier():
            await receiver.until(3, PATIENCE)

    async def test_looks_by_itself_now_and_then(
        self, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, asleep: asyncio.Event
    ) -> None:
        """Nothing is lost with a word that nobody hears, and what is due later tells of itself to nobody."""
        monkeypatch.setattr(courier, "listen", hear_nothing)
        webhook_id = await house.webhook(receiver.url)
        async with house.courier(poll=SOON):
            for count in (1, 2):
                await asyncio.wait_for(asleep.wait(), PATIENCE)
                await house.tell(webhook_id)
                await receiver.until(count, PATIENCE)

    async def test_listens_again_when_its_connection_was_lost(
        self, house: House, receiver: Receiver, asleep: asyncio.Event
    ) -> None:
        webhook_id = await house.webhook(receiver.url)
        async with house.courier():
            await house.until(LISTENING)
            await house.fetch(
                "select pg_terminate_backend(pid, 5000) from pg_stat_activity where query like 'LISTEN%'"
                " and datname = current_database()"
            )
            await house.until(LISTENING)
            await asyncio.wait_for(asleep.wait(), PATIENCE)
            await house.tell(webhook_id)
            await receiver.until(1, PATIENCE)


class TestACourierThatFails:
    @pytest.mark.parametrize(
        "error",
        [DatabaseUnavailable("gone"), asyncpg.UndefinedTableError("not migrated"), KeyError("a bug")],
        ids=["lost", "refused", "bug"],
    )
    async def test_to_take_what_is_due_tries_again(
        self, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        errors = [error, error]

        async def claim_at_last(
            connection: Any, busy: Mapping[UUID, int], *arguments: Any
        ) -> list[ClaimedDelivery]:
            if errors:
                raise errors.pop()
            return await claim_deliveries(connection, busy, *arguments)

        monkeypatch.setattr(courier, "claim_deliveries", claim_at_last)
        await house.tell(await house.webhook(receiver.url))
        async with house.courier(poll=SOON):
            await receiver.until(1, PATIENCE)
        assert errors == []

    async def test_to_listen_goes_on_looking(
        self, house: House, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, asleep: asyncio.Event
    ) -> None:
        async def fail(_url: str, _heard: Callable[[], None]) -> None:
            raise asyncpg.InternalServerError("whatever PostgreSQL may say")

        monkeypatch.setattr(courier, "listen", fail)
        webhook_id = await house.webhook(receiver.url)
        async with house.courier(poll=SOON):
            await asyncio.wait_for(asleep.wait(), PATIENCE)
            await house.tell(webhook_id)
            await receiver.until(1, PATIENCE)


class TestACourierThatIsStopped:
    async def test_finishes_what_is_under_way(self, house: House, receiver: Receiver) -> None:
        receiver.default = Reply(delay=0.2)
        delivery_id = await house.tell(await house.webhook(receiver.url))
        async with house.courier(grace=timedelta(seconds=PATIENCE)):
            await receiver.until(1, PATIENCE)
        assert (await house.row_of(delivery_id))["status"] == "delivered"

    async def test_lets_go_of_what_does_not_end(self, house: House, receiver: Receiver) -> None:
        receiver.default = Reply(hangs=True)
        delivery_id = await house.tell(await house.webhook(receiver.url))
        async with house.courier(grace=timedelta(seconds=0.05)):
            await receiver.until(1, PATIENCE)
        row = await house.row_of(delivery_id)
        assert (row["status"], row["lease_until"]) == ("pending", None)
        assert [one.id for one in await house.claim()] == [delivery_id]
