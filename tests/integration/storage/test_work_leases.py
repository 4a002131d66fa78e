"""Leases of rows of work: only the holder of the lease can write."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from carimbo.storage import work
from carimbo.storage.connection import Connection
from carimbo.storage.database import Database
from carimbo.storage.probes import answer_probe
from carimbo.storage.work import Lease, LeaseLost
from integration.storage.probe_rows import MINUTE, NONE, change, claim, claimed, row_of

Release = Callable[[Connection, Lease], Awaitable[Any]]


class TestRenew:
    async def test_a_renewal_extends_the_lease(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.renew(connection, lease, timedelta(hours=3))
        row = await row_of(rows, lease.key)
        assert row["lease_until"] - row["now"] > timedelta(hours=2)

    async def test_a_lapsed_lease_that_nobody_took_is_renewed(self, rows: Database, lease: Lease) -> None:
        await change(rows, lease.key, "lease_until = now() - interval '1 hour'")
        async with rows.transaction() as connection:
            await work.renew(connection, lease, MINUTE)
        assert await claim(rows, lease.key) is None

    async def test_a_row_that_another_holds_is_not_renewed(self, rows: Database, lease: Lease) -> None:
        await claimed_by_another(rows, lease)
        with pytest.raises(LeaseLost):
            async with rows.transaction() as connection:
                await work.renew(connection, lease, MINUTE)

    async def test_a_renewal_that_waited_for_the_conclusion_does_not_take_the_row_again(
        self, rows: Database, lease: Lease
    ) -> None:
        async def renew() -> None:
            async with rows.transaction() as connection:
                await work.renew(connection, lease, MINUTE)

        async with rows.transaction() as connection:
            await work.conclude(connection, lease)
            renewal = asyncio.create_task(renew())
            await self._wait_until_blocked(rows)
        with pytest.raises(LeaseLost):
            await renewal
        assert (await row_of(rows, lease.key))["lease_until"] is None

    async def _wait_until_blocked(self, database: Database) -> None:
        waiting = "select exists (select from pg_locks where locktype = 'transactionid' and not granted)"
        async with asyncio.timeout(60), database.connection() as connection:
            while True:
                if await connection.fetchval(waiting):
                    return
                await asyncio.sleep(0.01)


class TestConclude:
    async def test_a_concluded_row_is_not_due_and_has_no_lease(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.conclude(connection, lease)
        row = await row_of(rows, lease.key)
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 0)

    async def test_writes_of_the_same_transaction_are_kept(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await answer_probe(connection, lease.key.id)
            await work.conclude(connection, lease)
        assert (await row_of(rows, lease.key))["answered_at"] is not None


class TestPostpone:
    async def test_the_row_is_due_after_the_delay(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            now = await work.postpone(connection, lease, timedelta(hours=2), progressed=False)
        row = await row_of(rows, lease.key)
        assert row["next_action_at"] == now + timedelta(hours=2)
        assert row["lease_until"] is None
        assert await claim(rows, lease.key) is None

    async def test_a_row_postponed_without_a_delay_can_be_claimed_at_once(
        self, rows: Database, lease: Lease
    ) -> None:
        async with rows.transaction() as connection:
            await work.postpone(connection, lease, NONE, progressed=False)
        assert await claim(rows, lease.key) == Lease(lease.key, token=2, attempts=2)

    async def test_progress_resets_the_count_of_attempts(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.postpone(connection, lease, NONE, progressed=True)
        assert await claim(rows, lease.key) == Lease(lease.key, token=2, attempts=1)


class TestPark:
    async def test_a_parked_row_has_its_reason_and_is_not_due(self, rows: Database, lease: Lease) -> None:
        async with rows.transaction() as connection:
            await work.park(connection, lease, "broken beyond repair")
        row = await row_of(rows, lease.key)
        assert row["parked_reason"] == "broken beyond repair"
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 1)
        assert await claim(rows, lease.key) is None


async def postpone(connection: Connection, lease: Lease) -> None:
    await work.postpone(connection, lease, NONE, progressed=True)


async def park(connection: Connection, lease: Lease) -> None:
    await work.park(connection, lease, "parked")


@pytest.mark.parametrize("release", [work.conclude, postpone, park])
class TestLeaseLost:
    async def test_a_worker_that_was_overtaken_writes_nothing(
        self, rows: Database, lease: Lease, release: Release
    ) -> None:
        await claimed_by_another(rows, lease)
        before = await row_of(rows, lease.key)
        with pytest.raises(LeaseLost, match=str(lease.key)):
            async with rows.transaction() as connection:
                await answer_probe(connection, lease.key.id)
                await release(connection, lease)
        after = await row_of(rows, lease.key)
        assert {**after, "now": None} == {**before, "now": None}
        assert after["answered_at"] is None

    async def test_the_worker_that_overtook_may_write(
        self, rows: Database, lease: Lease, release: Release
    ) -> None:
        second = await claimed_by_another(rows, lease)
        async with rows.transaction() as connection:
            await release(connection, second)
        assert (await row_of(rows, lease.key))["lease_until"] is None

    @pytest.mark.parametrize("first_release", [work.conclude, postpone, park])
    async def test_a_worker_that_released_its_lease_cannot_release_again(
        self, rows: Database, lease: Lease, first_release: Release, release: Release
    ) -> None:
        async with rows.transaction() as connection:
            await first_release(connection, lease)
        with pytest.raises(LeaseLost):
            async with rows.transaction() as connection:
                await release(connection, lease)

    async def test_the_lease_of_a_missing_row_is_lost(
        self, rows: Database, lease: Lease, release: Release
    ) -> None:
        async with rows.connection() as connection:
            await connection.execute("delete from probes where id = $1", lease.key.id)
        with pytest.raises(LeaseLost):
            async with rows.transaction() as connection:
                await release(connection, lease)


async def claimed_by_another(database: Database, lease: Lease) -> Lease:
    """Lets the lease expire, and claims the row as another worker."""
    await change(database, lease.key, "lease_until = now()")
    return await claimed(database, lease.key)
