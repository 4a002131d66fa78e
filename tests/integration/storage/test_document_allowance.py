import asyncio
from datetime import UTC, datetime
from uuid import UUID

import asyncpg
import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.service.access import Authenticator
from carimbo.service.errors import ErrorCode, Refusal
from carimbo.service.subscriptions import (
    Period,
    allowance_change_of,
    create_subscription,
    period_of,
    reserve_document,
)
from carimbo.storage.database import Database
from carimbo.storage.issuing import Verdict
from carimbo.storage.subscriptions import SubscriptionPlan, Usage
from integration.storage.document_rows import AUTHORIZED, Shop

REJECTED = Verdict(status=Status.REJECTED)
NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
TRIAL = SubscriptionPlan("trial", monthly_documents=None, total_documents=10, requests_per_minute=None)
UNLIMITED = SubscriptionPlan(
    "unlimited", monthly_documents=None, total_documents=None, requests_per_minute=None
)


def monthly(limit: int | None) -> SubscriptionPlan:
    return SubscriptionPlan(
        "monthly", monthly_documents=limit, total_documents=None, requests_per_minute=None
    )


async def reserve(
    database: Database, subscription_id: UUID, plan: SubscriptionPlan, now: datetime = NOW
) -> Period | Refusal:
    period = period_of(plan, now)
    try:
        async with database.tenant(subscription_id) as tenant:
            await reserve_document(tenant, period)
    except Refusal as refusal:
        return refusal
    return period


async def settle(shop: Shop, period: str | None, *, counts: bool, now: datetime = NOW) -> None:
    """Concludes a document with a reservation in the given period."""
    document = await shop.added(allowance_period=period)
    verdict = AUTHORIZED if counts else REJECTED
    await shop.settle(document, verdict, allowance_change_of(period, counts=counts, now=now))


async def usage(database: Database, subscription_id: UUID, period: str) -> Usage:
    async with database.tenant(subscription_id) as tenant:
        return await tenant.allowances.usage(period)


class TestReserve:
    async def test_a_trial_gets_exactly_ten_of_a_hundred_simultaneous_documents(
        self, database: Database, subscription_id: UUID
    ) -> None:
        answers = await asyncio.gather(*(reserve(database, subscription_id, TRIAL) for _ in range(100)))
        assert sum(isinstance(answer, Period) for answer in answers) == 10
        assert await usage(database, subscription_id, "total") == Usage(used=0, reserved=10)

    async def test_a_refusal_has_limit_use_and_renewal(
        self, database: Database, subscription_id: UUID
    ) -> None:
        assert isinstance(await reserve(database, subscription_id, monthly(1)), Period)
        refusal = await reserve(database, subscription_id, monthly(1))
        assert isinstance(refusal, Refusal)
        assert refusal.code is ErrorCode.DOCUMENT_LIMIT_REACHED
        assert refusal.details == {"limit": 1, "used": 1, "resetsAt": "2026-12-01T03:00:00Z"}

    async def test_a_trial_never_resets(self, database: Database, subscription_id: UUID) -> None:
        for _ in range(10):
            await reserve(database, subscription_id, TRIAL)
        refusal = await reserve(database, subscription_id, TRIAL, NOW.replace(year=2036))
        assert isinstance(refusal, Refusal)
        assert refusal.details == {"limit": 10, "used": 10, "resetsAt": None}

    async def test_a_limit_of_zero_refuses_the_first_document(
        self, database: Database, subscription_id: UUID
    ) -> None:
        refusal = await reserve(database, subscription_id, monthly(0))
        assert isinstance(refusal, Refusal)
        assert refusal.details is not None
        assert (refusal.details["limit"], refusal.details["used"]) == (0, 0)

    async def test_a_limit_lowered_to_zero_refuses_the_next_document(
        self, database: Database, subscription_id: UUID
    ) -> None:
        await reserve(database, subscription_id, monthly(5))
        assert isinstance(await reserve(database, subscription_id, monthly(0)), Refusal)
        assert await usage(database, subscription_id, "2026-11") == Usage(used=0, reserved=1)

    async def test_a_period_without_limit_never_refuses(
        self, database: Database, subscription_id: UUID
    ) -> None:
        for _ in range(12):
            assert isinstance(await reserve(database, subscription_id, UNLIMITED), Period)
        assert await usage(database, subscription_id, "2026-11") == Usage(used=0, reserved=12)

    async def test_a_new_month_starts_from_zero(self, database: Database, subscription_id: UUID) -> None:
        await reserve(database, subscription_id, monthly(1))
        december = await reserve(database, subscription_id, monthly(1), NOW.replace(month=12))
        assert isinstance(december, Period)
        assert december.name == "2026-12"

    async def test_a_transaction_that_fails_reserves_nothing(
        self, database: Database, subscription_id: UUID
    ) -> None:
        with pytest.raises(LookupError):
            async with database.tenant(subscription_id) as tenant:
                await reserve_document(tenant, period_of(TRIAL, NOW))
                raise LookupError("the document could not be stored")
        assert await usage(database, subscription_id, "total") == Usage(0, 0)

    async def test_subscriptions_do_not_spend_each_other_s_allowance(
        self, database: Database, authenticator: Authenticator, subscription_id: UUID
    ) -> None:
        await reserve(database, subscription_id, monthly(1))
        other = (await create_subscription(authenticator, "Outra")).subscription_id
        assert isinstance(await reserve(database, other, monthly(1)), Period)


class TestSettle:
    async def test_the_reservation_of_a_document_that_does_not_count_is_released(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        await reserve(database, subscription_id, monthly(1))
        await settle(shop, "2026-11", counts=False)
        assert await usage(database, subscription_id, "2026-11") == Usage(0, 0)
        assert isinstance(await reserve(database, subscription_id, monthly(1)), Period)

    async def test_a_document_that_counts_uses_its_reservation(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        await reserve(database, subscription_id, monthly(1))
        await settle(shop, "2026-11", counts=True)
        assert await usage(database, subscription_id, "2026-11") == Usage(used=1, reserved=0)
        assert isinstance(await reserve(database, subscription_id, monthly(1)), Refusal)

    async def test_used_and_reserved_documents_fill_the_limit_together(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        for counts in (True, False, True):
            await reserve(database, subscription_id, monthly(3))
            await settle(shop, "2026-11", counts=counts)
        answers = await asyncio.gather(*(reserve(database, subscription_id, monthly(3)) for _ in range(5)))
        assert sum(isinstance(answer, Period) for answer in answers) == 1
        assert await usage(database, subscription_id, "2026-11") == Usage(used=2, reserved=1)

    @pytest.mark.parametrize("counts", [True, False])
    async def test_a_missing_reservation_cannot_be_settled(
        self, database: Database, shop: Shop, subscription_id: UUID, counts: bool
    ) -> None:
        await reserve(database, subscription_id, TRIAL)
        await settle(shop, "total", counts=counts)
        with pytest.raises(asyncpg.CheckViolationError):
            await settle(shop, "total", counts=counts)

    async def test_a_document_without_reservation_counts_in_the_month_of_its_conclusion(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        moments = ("2026-12-31T23:59:59-03:00", "2027-01-01T00:00:00-03:00", "2027-01-31T23:59:59-03:00")
        for moment in moments:
            now = datetime.fromisoformat(moment)
            await settle(shop, None, counts=True, now=now)
        assert await usage(database, subscription_id, "2026-12") == Usage(used=1, reserved=0)
        assert await usage(database, subscription_id, "2027-01") == Usage(used=2, reserved=0)

    async def test_a_document_without_reservation_that_does_not_count_is_not_recorded(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        await settle(shop, None, counts=False)
        assert await usage(database, subscription_id, "2026-11") == Usage(0, 0)

    async def test_documents_used_without_a_limit_count_towards_a_later_limit(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        await asyncio.gather(*(settle(shop, None, counts=True) for _ in range(20)))
        assert isinstance(await reserve(database, subscription_id, monthly(20)), Refusal)
        assert isinstance(await reserve(database, subscription_id, monthly(21)), Period)


class TestPeriod:
    @pytest.mark.parametrize(
        ("instant", "name", "resets_at"),
        [
            ("2026-12-31T23:59:59-03:00", "2026-12", "2027-01-01T00:00:00-03:00"),
            ("2027-01-01T00:00:00-03:00", "2027-01", "2027-02-01T00:00:00-03:00"),
            ("2027-01-01T02:59:59+00:00", "2026-12", "2027-01-01T00:00:00-03:00"),
            ("2027-01-01T03:00:00+00:00", "2027-01", "2027-02-01T00:00:00-03:00"),
            ("2026-02-28T23:59:59-03:00", "2026-02", "2026-03-01T00:00:00-03:00"),
            ("2028-02-29T12:00:00-03:00", "2028-02", "2028-03-01T00:00:00-03:00"),
        ],
    )
    def test_a_month_begins_and_ends_at_midnight_in_brasilia(
        self, instant: str, name: str, resets_at: str
    ) -> None:
        period = period_of(monthly(5), datetime.fromisoformat(instant))
        assert (period.name, period.limit) == (name, 5)
        assert period.resets_at is not None
        assert period.resets_at.isoformat() == resets_at

    async def test_documents_either_side_of_midnight_fall_into_their_own_month(
        self, database: Database, subscription_id: UUID
    ) -> None:
        for instant in ("2026-12-31T23:59:59-03:00", "2027-01-01T00:00:00-03:00"):
            answer = await reserve(database, subscription_id, monthly(1), datetime.fromisoformat(instant))
            assert isinstance(answer, Period)
        for period in ("2026-12", "2027-01"):
            assert await usage(database, subscription_id, period) == Usage(used=0, reserved=1)

    def test_a_total_limit_has_a_single_period(self) -> None:
        assert period_of(TRIAL, NOW) == Period("total", 10, None)
