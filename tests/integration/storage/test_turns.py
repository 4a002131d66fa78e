import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.access import Gatekeeper
from carimbo.service.errors import Code, Refusal
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings
from carimbo.storage.database import Database, open_database
from carimbo.storage.subscriptions import Subscription, Subscriptions

PER_MINUTE = 12


@pytest.fixture
async def processes(
    settings: Settings, gatekeeper: Gatekeeper
) -> AsyncIterator[tuple[Gatekeeper, Gatekeeper]]:
    """Two API processes, as far as the database can tell: a pool each."""
    url = settings.database_url.get_secret_value()
    async with (
        open_database(url, settings.key_ring) as one,
        open_database(url, settings.key_ring) as other,
    ):
        yield Gatekeeper(one, gatekeeper.pepper), Gatekeeper(other, gatekeeper.pepper)


@pytest.fixture
async def subscription(gatekeeper: Gatekeeper) -> Subscription:
    return await subscribed(gatekeeper, PER_MINUTE)


async def subscribed(gatekeeper: Gatekeeper, per_minute: int | None) -> Subscription:
    created = await create_subscription(gatekeeper, "Teste")
    async with gatekeeper.database.transaction() as connection:
        found = await Subscriptions(connection).get(created.subscription_id)
    assert found is not None
    return replace(found, plan=replace(found.plan, requests_per_minute=per_minute))


async def wait_of(gatekeeper: Gatekeeper, subscription: Subscription) -> int | None:
    """Ask for a turn: None when it is given, else the seconds to wait."""
    try:
        await gatekeeper.take_turn(subscription)
    except Refusal as refusal:
        assert refusal.code is Code.RATE_LIMIT_EXCEEDED
        assert refusal.details is not None
        wait = refusal.details["retryAfter"]
        assert isinstance(wait, int)
        return wait
    return None


async def pass_time(database: Database, subscription_id: UUID, passed: timedelta) -> None:
    """Move the row into the past instead of waiting."""
    async with database.connection() as connection:
        await connection.execute(
            "update rate_limits set arrival_at = arrival_at - $2::interval where subscription_id = $1",
            subscription_id, passed,
        )  # fmt: skip


async def burst(processes: tuple[Gatekeeper, ...], subscription: Subscription, size: int) -> list[int | None]:
    return await asyncio.gather(
        *(wait_of(processes[number % len(processes)], subscription) for number in range(size))
    )


class TestTakeTurn:
    async def test_of_three_times_as_many_at_once_exactly_a_minute_s_worth_passes(
        self, processes: tuple[Gatekeeper, Gatekeeper], subscription: Subscription
    ) -> None:
        answers = await burst(processes, subscription, 3 * PER_MINUTE)
        assert answers.count(None) == PER_MINUTE

    async def test_a_refusal_tells_the_whole_seconds_to_wait(
        self, processes: tuple[Gatekeeper, Gatekeeper], subscription: Subscription
    ) -> None:
        answers = await burst(processes, subscription, 3 * PER_MINUTE)
        waits = [wait for wait in answers if wait is not None]
        assert all(1 <= wait <= 60 // PER_MINUTE for wait in waits)

    async def test_who_has_waited_that_long_gets_exactly_one_turn(
        self, processes: tuple[Gatekeeper, Gatekeeper], subscription: Subscription
    ) -> None:
        answers = await burst(processes, subscription, PER_MINUTE + 1)
        wait = next(wait for wait in answers if wait is not None)
        await pass_time(processes[0].database, subscription.id, timedelta(seconds=wait))
        assert (await burst(processes, subscription, 10)).count(None) == 1

    async def test_a_refused_request_costs_nothing(
        self, processes: tuple[Gatekeeper, Gatekeeper], subscription: Subscription
    ) -> None:
        await burst(processes, subscription, 5 * PER_MINUTE)
        await pass_time(processes[0].database, subscription.id, timedelta(seconds=60 / PER_MINUTE))
        assert await wait_of(processes[1], subscription) is None

    async def test_after_a_minute_s_rest_a_whole_minute_s_worth_passes_again_and_no_more(
        self, processes: tuple[Gatekeeper, Gatekeeper], subscription: Subscription
    ) -> None:
        await burst(processes, subscription, PER_MINUTE)
        await pass_time(processes[0].database, subscription.id, timedelta(hours=3))
        assert (await burst(processes, subscription, 3 * PER_MINUTE)).count(None) == PER_MINUTE

    @pytest.mark.parametrize("per_minute", [1, 7, 13])
    async def test_rates_that_do_not_divide_a_minute_are_exact_too(
        self, processes: tuple[Gatekeeper, Gatekeeper], gatekeeper: Gatekeeper, per_minute: int
    ) -> None:
        subscription = await subscribed(gatekeeper, per_minute)
        assert (await burst(processes, subscription, 3 * per_minute)).count(None) == per_minute

    async def test_subscriptions_do_not_take_each_other_s_turns(
        self, processes: tuple[Gatekeeper, Gatekeeper], gatekeeper: Gatekeeper, subscription: Subscription
    ) -> None:
        await burst(processes, subscription, 2 * PER_MINUTE)
        other = await subscribed(gatekeeper, PER_MINUTE)
        assert (await burst(processes, other, PER_MINUTE)).count(None) == PER_MINUTE

    async def test_a_plan_without_a_rate_never_waits(
        self, processes: tuple[Gatekeeper, Gatekeeper], gatekeeper: Gatekeeper
    ) -> None:
        unlimited = await subscribed(gatekeeper, None)
        assert await burst(processes, unlimited, 200) == [None] * 200

    async def test_a_plan_made_smaller_holds_at_once(
        self, processes: tuple[Gatekeeper, Gatekeeper], subscription: Subscription
    ) -> None:
        await burst(processes, subscription, PER_MINUTE)
        smaller = replace(subscription, plan=replace(subscription.plan, requests_per_minute=1))
        wait = await wait_of(processes[0], smaller)
        assert wait is not None
        assert 57 <= wait <= 60
