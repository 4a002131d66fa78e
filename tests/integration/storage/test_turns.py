import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

import pytest

from carimbo.service.access import Authenticator
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.subscriptions import create_subscription
from carimbo.settings import Settings
from carimbo.storage.database import Database, open_database
from carimbo.storage.subscriptions import Subscription, Subscriptions

PER_MINUTE = 12


@pytest.fixture
async def processes(
    settings: Settings, authenticator: Authenticator
) -> AsyncIterator[tuple[Authenticator, Authenticator]]:
    """Two API processes, each with its own pool."""
    url = settings.database_url.get_secret_value()
    async with (
        open_database(url, settings.key_ring) as first,
        open_database(url, settings.key_ring) as second,
    ):
        yield Authenticator(first, authenticator.pepper), Authenticator(second, authenticator.pepper)


@pytest.fixture
async def subscription(authenticator: Authenticator) -> Subscription:
    return await subscribed(authenticator, PER_MINUTE)


async def subscribed(authenticator: Authenticator, per_minute: int | None) -> Subscription:
    created = await create_subscription(authenticator, "Teste")
    async with authenticator.database.transaction() as connection:
        subscription = await Subscriptions(connection).get(created.subscription_id)
    assert subscription is not None
    return replace(subscription, plan=replace(subscription.plan, requests_per_minute=per_minute))


async def wait_of(authenticator: Authenticator, subscription: Subscription) -> int | None:
    """Requests once. Returns None if that is allowed, else the seconds to wait."""
    try:
        await authenticator.check_rate_limit(subscription)
    except Refusal as refusal:
        assert refusal.code is ErrorCode.RATE_LIMIT_EXCEEDED
        assert refusal.details is not None
        wait = refusal.details["retryAfter"]
        assert isinstance(wait, int)
        return wait
    return None


async def pass_time(database: Database, subscription_id: UUID, passed: timedelta) -> None:
    """Moves the row into the past instead of waiting."""
    async with database.connection() as connection:
        await connection.execute(
            "update rate_limits set arrival_at = arrival_at - $2::interval where subscription_id = $1",
            subscription_id, passed,
        )  # fmt: skip


async def burst(
    processes: tuple[Authenticator, ...], subscription: Subscription, size: int
) -> list[int | None]:
    return await asyncio.gather(
        *(wait_of(processes[number % len(processes)], subscription) for number in range(size))
    )


class TestRateLimit:
    async def test_exactly_the_limit_of_simultaneous_requests_is_allowed(
        self, processes: tuple[Authenticator, Authenticator], subscription: Subscription
    ) -> None:
        answers = await burst(processes, subscription, 3 * PER_MINUTE)
        assert answers.count(None) == PER_MINUTE

    async def test_a_refusal_has_the_whole_seconds_to_wait(
        self, processes: tuple[Authenticator, Authenticator], subscription: Subscription
    ) -> None:
        answers = await burst(processes, subscription, 3 * PER_MINUTE)
        waits = [wait for wait in answers if wait is not None]
        assert all(1 <= wait <= 60 // PER_MINUTE for wait in waits)

    async def test_after_the_wait_exactly_one_request_is_allowed(
        self, processes: tuple[Authenticator, Authenticator], subscription: Subscription
    ) -> None:
        answers = await burst(processes, subscription, PER_MINUTE + 1)
        wait = next(wait for wait in answers if wait is not None)
        await pass_time(processes[0].database, subscription.id, timedelta(seconds=wait))
        assert (await burst(processes, subscription, 10)).count(None) == 1

    async def test_a_refused_request_costs_nothing(
        self, processes: tuple[Authenticator, Authenticator], subscription: Subscription
    ) -> None:
        await burst(processes, subscription, 5 * PER_MINUTE)
        await pass_time(processes[0].database, subscription.id, timedelta(seconds=60 / PER_MINUTE))
        assert await wait_of(processes[1], subscription) is None

    async def test_after_a_long_pause_exactly_the_limit_is_allowed_again(
        self, processes: tuple[Authenticator, Authenticator], subscription: Subscription
    ) -> None:
        await burst(processes, subscription, PER_MINUTE)
        await pass_time(processes[0].database, subscription.id, timedelta(hours=3))
        assert (await burst(processes, subscription, 3 * PER_MINUTE)).count(None) == PER_MINUTE

    @pytest.mark.parametrize("per_minute", [1, 7, 13])
    async def test_rates_that_do_not_divide_a_minute_are_exact_too(
        self, processes: tuple[Authenticator, Authenticator], authenticator: Authenticator, per_minute: int
    ) -> None:
        subscription = await subscribed(authenticator, per_minute)
        assert (await burst(processes, subscription, 3 * per_minute)).count(None) == per_minute

    async def test_subscriptions_do_not_share_their_limit(
        self,
        processes: tuple[Authenticator, Authenticator],
        authenticator: Authenticator,
        subscription: Subscription,
    ) -> None:
        await burst(processes, subscription, 2 * PER_MINUTE)
        other = await subscribed(authenticator, PER_MINUTE)
        assert (await burst(processes, other, PER_MINUTE)).count(None) == PER_MINUTE

    async def test_a_plan_without_a_rate_never_waits(
        self, processes: tuple[Authenticator, Authenticator], authenticator: Authenticator
    ) -> None:
        unlimited = await subscribed(authenticator, None)
        assert await burst(processes, unlimited, 200) == [None] * 200

    async def test_a_smaller_plan_applies_at_once(
        self, processes: tuple[Authenticator, Authenticator], subscription: Subscription
    ) -> None:
        await burst(processes, subscription, PER_MINUTE)
        smaller = replace(subscription, plan=replace(subscription.plan, requests_per_minute=1))
        wait = await wait_of(processes[0], smaller)
        assert wait is not None
        assert 57 <= wait <= 60
