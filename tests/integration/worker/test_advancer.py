import asyncio
import itertools
import threading
from collections import Counter
from dataclasses import replace

import pytest

from carimbo.service.maintenance import conclude_probe
from carimbo.storage.database import Database, DatabaseUnavailable, PoolOptions, open_database
from carimbo.storage.work import Lease
from claimed_rows import advance_row
from integration.worker.worker_site import POLICY, Site, failing, milliseconds, outcomes, recording
from support import TIMEOUT_SECONDS


class TestFailingTask:
    async def test_a_failing_row_is_retried_with_growing_delays_and_then_parked(self, site: Site) -> None:
        task, tried = failing(ZeroDivisionError("by zero"))
        (key,) = await site.add(1)
        async with site.worker(site.advancer(task)):
            await site.until("exists (select from probes where parked_reason is not null)")
        row = await site.row_of(key)
        assert row["parked_reason"] == "ZeroDivisionError('by zero')"
        assert (row["next_action_at"], row["lease_until"], row["attempts"]) == (None, None, 3)
        first, second = (later - earlier for earlier, later in itertools.pairwise(tried))
        assert first >= 0.75 * 0.04
        assert second >= 0.75 * 0.08
        assert len(tried) == POLICY.attempts_before_parking

    async def test_a_parked_row_is_left_alone(self, site: Site) -> None:
        task, tried = failing(ZeroDivisionError("by zero"))
        (key,) = await site.add(1)
        async with site.worker(site.advancer(task)):
            await site.until("exists (select from probes where parked_reason is not null)")
            await site.add(1)
            await site.until("2 = (select count(*) from probes where parked_reason is not null)")
        assert len(tried) == 2 * POLICY.attempts_before_parking
        assert (await site.row_of(key))["lease_token"] == 3

    async def test_a_row_that_fails_twice_is_retried_until_it_succeeds(self, site: Site) -> None:
        task, tried = failing(ZeroDivisionError("by zero"), times=2)
        (key,) = await site.add(1)
        async with site.worker(site.advancer(task)):
            await site.until_all_answered()
        row = await site.row_of(key)
        assert (row["attempts"], row["parked_reason"]) == (0, None)
        assert len(tried) == 3

    async def test_a_failing_row_does_not_delay_others(self, site: Site) -> None:
        (poisoned,) = await site.add(1)

        async def task(database: Database, lease: Lease) -> None:
            if lease.key == poisoned:
                raise ZeroDivisionError("by zero")
            await conclude_probe(database, lease)

        async with site.worker(site.advancer(task)):
            await site.add(50)
            await site.until("50 = (select count(*) from probes where answered_at is not null)")
            await site.until("1 = (select count(*) from probes where parked_reason is not null)")

    async def test_a_row_that_kills_its_worker_every_time_is_parked(self, site: Site) -> None:
        """The task never returns to its row, as if its process had been killed."""
        task, tried = failing(asyncio.CancelledError())
        (key,) = await site.add(1)
        advancer = site.advancer(task, lease=milliseconds(100))
        async with site.worker(advancer):
            await site.until("exists (select from probes where parked_reason is not null)")
        row = await site.row_of(key)
        assert row["parked_reason"] == "o worker caiu ou falhou em todas as tentativas"
        assert len(tried) == POLICY.attempts_before_parking

    async def test_a_row_that_fails_after_its_conclusion_stays_concluded(self, site: Site) -> None:
        async def task(database: Database, lease: Lease) -> None:
            await conclude_probe(database, lease)
            raise ZeroDivisionError("too late to matter")

        (key,) = await site.add(1)
        await advance_row(site.advancer(task), key)
        row = await site.row_of(key)
        assert row["answered_at"] is not None
        assert (row["next_action_at"], row["parked_reason"]) == (None, None)

    async def test_a_row_that_is_not_released_is_retried_after_its_lease(self, site: Site) -> None:
        calls = itertools.count()

        async def task(database: Database, lease: Lease) -> None:
            if next(calls):
                await conclude_probe(database, lease)

        await site.add(1)
        advancer = site.advancer(task, lease=milliseconds(100))
        async with site.worker(advancer):
            await site.until_all_answered()

    async def test_a_lost_database_does_not_count_as_a_failure_of_the_row(self, site: Site) -> None:
        task, tried = failing(DatabaseUnavailable("gone"), times=1)
        (key,) = await site.add(1)
        async with site.worker(site.advancer(task)):
            await site.until_all_answered()
        assert (await site.row_of(key))["parked_reason"] is None
        assert len(tried) == 2


class TestSuspects:
    """Rows that failed to return twice may have killed their worker and its other work."""

    async def test_suspect_rows_are_processed_one_at_a_time(self, site: Site) -> None:
        await site.add(5)
        await site.fetch("update probes set attempts = 2")
        at_work, most = 0, 0

        async def task(database: Database, lease: Lease) -> None:
            nonlocal at_work, most
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0.01)
            await conclude_probe(database, lease)
            at_work -= 1

        async with site.worker(site.advancer(task)):
            await site.until_all_answered()
        assert most == 1

    async def test_other_rows_do_not_wait_for_suspect_rows(self, site: Site) -> None:
        suspects = set(await site.add(3))
        await site.fetch("update probes set attempts = 2")
        gate = asyncio.Event()

        async def task(database: Database, lease: Lease) -> None:
            if lease.key in suspects:
                await gate.wait()
            await conclude_probe(database, lease)

        async with site.worker(site.advancer(task)):
            await site.add(10)
            await site.until("10 = (select count(*) from probes where answered_at is not null)")
            gate.set()
            await site.until_all_answered()


class TestLease:
    async def test_a_long_task_keeps_its_lease(self, site: Site) -> None:
        started, finish = asyncio.Event(), asyncio.Event()

        async def last_long() -> None:
            started.set()
            await finish.wait()

        (key,) = await site.add(1)
        lease = milliseconds(900)
        first = asyncio.create_task(advance_row(site.advancer(recording("first", last_long), lease), key))
        await started.wait()
        before = (await site.row_of(key))["lease_until"]
        # The row is still held when its first lease has ended, because the lease was renewed.
        deadline = f"'{before + lease / 3}'::timestamptz"
        while not (await site.fetch(f"select clock_timestamp() > {deadline} as passed"))[0]["passed"]:
            assert await advance_row(site.advancer(recording("second"), lease), key) is None
            await asyncio.sleep(0.02)
        finish.set()
        await first
        assert [row["who"] for row in await site.fetch("select who from outcomes")] == ["first"]

    async def test_a_worker_that_froze_past_its_lease_cannot_overwrite(self, site: Site) -> None:
        (key,) = await site.add(1)
        lease = milliseconds(200)
        frozen, thaw = threading.Event(), threading.Event()

        async def freeze() -> None:
            frozen.set()
            # Stops the event loop of its thread, and with it the renewal of the lease.
            assert thaw.wait(TIMEOUT_SECONDS)

        async def in_another_thread() -> None:
            async with open_database(site.url, site.database.key_ring, PoolOptions(size=2)) as database:
                advancer = replace(site.advancer(recording("frozen", freeze), lease), database=database)
                assert await advance_row(advancer, key) is None

        thread = asyncio.create_task(asyncio.to_thread(asyncio.run, in_another_thread()))
        assert await asyncio.to_thread(frozen.wait, TIMEOUT_SECONDS)
        await site.until("exists (select from probes where lease_until < now())")
        await advance_row(site.advancer(recording("second"), lease), key)
        thaw.set()
        await thread
        assert [row["who"] for row in await site.fetch("select who from outcomes")] == ["second"]
        row = await site.row_of(key)
        assert (row["lease_token"], row["next_action_at"], row["parked_reason"]) == (2, None, None)

    @pytest.mark.parametrize("attempts_before_parking", [1, 5])
    async def test_a_worker_that_was_overtaken_cannot_postpone_or_park_by_failing(
        self, site: Site, attempts_before_parking: int
    ) -> None:
        (key,) = await site.add(1)

        async def overtaken(database: Database, lease: Lease) -> None:
            await site.fetch("update probes set lease_until = now()")
            await advance_row(site.advancer(recording("second")), key)
            raise ZeroDivisionError("after being overtaken")

        policy = replace(POLICY, attempts_before_parking=attempts_before_parking)
        await advance_row(replace(site.advancer(overtaken), policy=policy), key)
        row = await site.row_of(key)
        assert (row["next_action_at"], row["parked_reason"]) == (None, None)
        assert row["answered_at"] is not None

    async def test_a_row_held_by_another_worker_is_left_alone(self, site: Site) -> None:
        (key,) = await site.add(1)
        await site.fetch("update probes set lease_until = now() + interval '1 minute'")
        assert await advance_row(site.advancer(recording("second")), key) is None
        assert await outcomes(site) == Counter()
