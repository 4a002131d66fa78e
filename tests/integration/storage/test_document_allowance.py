import asyncio
from datetime import UTC, datetime
from uuid import UUID

import asyncpg
import pytest

from carimbo.fiscal.lifecycle import Status
from carimbo.service.access import Gatekeeper
from carimbo.service.allowance import Period, period_of, reserve_document, settlement_of
from carimbo.service.errors import Code, Refusal
from carimbo.service.subscriptions import create_subscription
from carimbo.storage.allowances import Usage
from carimbo.storage.database import Database
from carimbo.storage.issuing import Verdict
from carimbo.storage.subscriptions import Plan
from integration.storage.document_rows import AUTHORIZED, Shop

REJECTED = Verdict(status=Status.REJECTED)
NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
TRIAL = Plan("trial", monthly_documents=None, total_documents=10, requests_per_minute=None)
UNLIMITED = Plan("unlimited", monthly_documents=None, total_documents=None, requests_per_minute=None)


def monthly(limit: int | None) -> Plan:
    return Plan("monthly", monthly_documents=limit, total_documents=None, requests_per_minute=None)


async def reserve(
    database: Database, subscription_id: UUID, plan: Plan, now: datetime = NOW
) -> Period | Refusal:
    period = period_of(plan, now)
    try:
        async with database.tenant(subscription_id) as tenant:
            await reserve_document(tenant, period)
    except Refusal as refusal:
        return refusal
    return period


async def settle(shop: Shop, period: str | None, *, counts: bool, now: datetime = NOW) -> None:
    """Conclude a document that has such a reservation."""
    document = await shop.added(allowance_period=period)
    verdict = AUTHORIZED if counts else REJECTED
    await shop.settle(document, verdict, settlement_of(period, counts=counts, now=now))


async def usage(database: Database, subscription_id: UUID, period: str) -> Usage:
    async with database.tenant(subscription_id) as tenant:
        return await tenant.allowances.usage(period)


class TestReserve:
    async def test_of_a_hundred_at_once_a_trial_gets_exactly_ten(
        self, database: Database, subscription_id: UUID
    ) -> None:
        answers = await asyncio.gather(*(reserve(database, subscription_id, TRIAL) for _ in range(100)))
        assert sum(isinstance(answer, Period) for answer in answers) == 10
        assert await usage(database, subscription_id, "total") == Usage(used=0, reserved=10)

    async def test_a_refusal_tells_limit_use_and_renewal(
        self, database: Database, subscription_id: UUID
    ) -> None:
        assert isinstance(await reserve(database, subscription_id, monthly(1)), Period)
        refusal = await reserve(database, subscription_id, monthly(1))
        assert isinstance(refusal, Refusal)
        assert refusal.code is Code.DOCUMENT_LIMIT_REACHED
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
        self, database: Database, gatekeeper: Gatekeeper, subscription_id: UUID
    ) -> None:
        await reserve(database, subscription_id, monthly(1))
        other = (await create_subscription(gatekeeper, "Outra")).subscription_id
        assert isinstance(await reserve(database, other, monthly(1)), Period)


class TestSettle:
    async def test_a_document_that_does_not_count_is_given_back(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        await reserve(database, subscription_id, monthly(1))
        await settle(shop, "2026-11", counts=False)
        assert await usage(database, subscription_id, "2026-11") == Usage(0, 0)
        assert isinstance(await reserve(database, subscription_id, monthly(1)), Period)

    async def test_a_document_that_counts_is_spent(
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
    async def test_what_was_not_reserved_cannot_be_settled(
        self, database: Database, shop: Shop, subscription_id: UUID, counts: bool
    ) -> None:
        await reserve(database, subscription_id, TRIAL)
        await settle(shop, "total", counts=counts)
        with pytest.raises(asyncpg.CheckViolationError):
            await settle(shop, "total", counts=counts)

    async def test_what_needed_no_reservation_is_counted_in_the_month_that_it_ends_in(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        moments = ("2026-12-31T23:59:59-03:00", "2027-01-01T00:00:00-03:00", "2027-01-31T23:59:59-03:00")
        for moment in moments:
            now = datetime.fromisoformat(moment)
            await settle(shop, None, counts=True, now=now)
        assert await usage(database, subscription_id, "2026-12") == Usage(used=1, reserved=0)
        assert await usage(database, subscription_id, "2027-01") == Usage(used=2, reserved=0)

    async def test_what_needed_no_reservation_and_does_not_count_leaves_no_trace(
        self, database: Database, shop: Shop, subscription_id: UUID
    ) -> None:
        await settle(shop, None, counts=False)
        assert await usage(database, subscription_id, "2026-11") == Usage(0, 0)

    async def test_what_was_used_without_a_limit_fills_the_limit_that_comes(
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

    def test_a_total_has_one_period_for_ever(self) -> None:
        assert period_of(TRIAL, NOW) == Period("total", 10, None)
