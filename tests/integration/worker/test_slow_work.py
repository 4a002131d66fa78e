"""Slow work, as with an authority that hangs, delays nobody and is not lost."""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from carimbo.service.maintenance import conclude_probe
from carimbo.storage.database import Database, DatabaseUnavailable
from carimbo.storage.work import Lease, postpone
from carimbo.worker import advance
from integration.worker.worker_site import (
    NEVER,
    POLICY,
    QUICK,
    Site,
    milliseconds,
    outcomes,
    recording,
    until_the_end,
)
from support import TIMEOUT_SECONDS

SOON = milliseconds(30)
TWO_SLOTS = replace(QUICK, batch_size=1, concurrency=2)


class Gate:
    """Blocks slow work until it is opened."""

    def __init__(self) -> None:
        self.waiting = 0
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def passed(self) -> None:
        self.waiting += 1
        self.reached.set()
        await self.open.wait()


@pytest.fixture
def gate() -> Gate:
    return Gate()


class TestSlot:
    async def test_the_slot_of_slow_work_is_given_to_waiting_work(self, site: Site, gate: Gate) -> None:
        slow = set(await site.add(3))

        async def task(database: Database, lease: Lease) -> None:
            if lease.key in slow:
                await gate.passed()
            await conclude_probe(database, lease)

        async with site.worker(site.advancer(task, slow_after=SOON), TWO_SLOTS):
            await site.until("3 = (select count(*) from probes where lease_token > 0)")
            await site.add(20)
            await site.until("20 = (select count(*) from probes where answered_at is not null)")
            assert gate.waiting == 3
            gate.open.set()
            await site.until_all_answered()

    async def test_slow_work_keeps_its_slot_when_too_many_were_moved_aside(
        self, site: Site, gate: Gate, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(advance, "_MAX_ASIDE", 1)
        first, second = await site.add(2)
        advancer = site.advancer(recording("worker", gate.passed), slow_after=SOON)
        assert await advancer.advance(first) is None
        held = asyncio.create_task(advancer.advance(second))
        async with asyncio.timeout(TIMEOUT_SECONDS):
            while gate.waiting < 2:  # noqa: ASYNC110 - waiting has no event
                await asyncio.sleep(0.01)
        # Long enough for `slow_after` to pass; the wait must time out on any machine.
        _, pending = await asyncio.wait({held}, timeout=3 * SOON.total_seconds())
        assert pending
        gate.open.set()
        await held
        await advancer.finish()
        assert await outcomes(site) == Counter({first.id: 1, second.id: 1})


class TestRow:
    async def test_slow_work_keeps_its_lease(self, site: Site, gate: Gate) -> None:
        (key,) = await site.add(1)
        lease = milliseconds(3000)
        advancer = site.advancer(recording("first", gate.passed), lease, slow_after=SOON)
        await advancer.advance(key)
        before = (await site.row_of(key))["lease_until"]
        await site.until(f"exists (select from probes where lease_until > '{before}')")
        assert await site.advancer(recording("second"), lease).advance(key) is None
        gate.open.set()
        await advancer.finish()
        assert [row["who"] for row in await site.fetch("select who from outcomes")] == ["first"]

    async def test_slow_work_that_failed_is_retried(self, site: Site, gate: Gate) -> None:
        (key,) = await site.add(1)

        async def task(database: Database, lease: Lease) -> None:
            if lease.attempts == 1:
                await gate.passed()
                raise ZeroDivisionError("after a long while")
            await conclude_probe(database, lease)

        with capture_logs() as logs:
            async with site.worker(site.advancer(task, slow_after=SOON)):
                await site.until("not exists (select from pgqueuer)")
                gate.open.set()
                await site.until_all_answered()
        assert (await site.row_of(key))["lease_token"] == 2
        (failed,) = [line for line in logs if line["event"] == "work_failed"]
        assert failed["work"] == str(key)

    async def test_slow_work_that_is_postponed_is_continued_later(self, site: Site, gate: Gate) -> None:
        """Even though the queue has no job for it any more."""
        (key,) = await site.add(1)

        async def task(database: Database, lease: Lease) -> timedelta | None:
            if lease.attempts > 1:
                await conclude_probe(database, lease)
                return None
            await gate.passed()
            async with database.transaction() as connection:
                await postpone(connection, lease, SOON, progressed=False)
            return SOON

        async with site.worker(site.advancer(task, slow_after=SOON)):
            await site.until("not exists (select from pgqueuer)")
            gate.open.set()
            await site.until_all_answered()
        assert (await site.row_of(key))["lease_token"] == 2

    async def test_slow_work_is_retried_by_the_sweeper_after_a_database_loss(
        self, site: Site, gate: Gate
    ) -> None:
        (key,) = await site.add(1)

        async def task(database: Database, lease: Lease) -> None:
            await gate.passed()
            if lease.token == 1:
                raise DatabaseUnavailable("gone")
            await conclude_probe(database, lease)

        advancer = site.advancer(task, milliseconds(100), slow_after=SOON)
        with capture_logs() as logs:
            async with site.worker(advancer, sweep_every=milliseconds(50)):
                await site.until("not exists (select from pgqueuer)")
                gate.open.set()
                await site.until_all_answered()
        (failed,) = [line for line in logs if line["event"] == "slow_work_failed"]
        assert failed["work"] == str(key)
        assert (await site.row_of(key))["parked_reason"] is None


class TestEnd:
    async def test_a_stopping_worker_waits_for_slow_work(self, site: Site, gate: Gate) -> None:
        (key,) = await site.add(1)
        stopping = asyncio.Event()
        advancer = site.advancer(recording("worker", gate.passed), slow_after=SOON)
        async with site.worker(advancer, chores=[until_the_end(stopping)]) as running:
            await site.until("not exists (select from pgqueuer)")
            running.stop.set()
            await asyncio.wait_for(stopping.wait(), TIMEOUT_SECONDS)
            assert not running.worker.done()
            gate.open.set()
            await asyncio.wait_for(running.worker, TIMEOUT_SECONDS)
        assert await outcomes(site) == Counter({key.id: 1})

    async def test_a_worker_without_slow_work_finishes_at_once(self, site: Site) -> None:
        await asyncio.wait_for(site.advancer(slow_after=SOON).finish(), TIMEOUT_SECONDS)

    async def test_a_cancelled_worker_abandons_its_work(self, site: Site, gate: Gate) -> None:
        (key,) = await site.add(1)
        held = asyncio.create_task(site.advancer(recording("worker", gate.passed)).advance(key))
        await asyncio.wait_for(gate.reached.wait(), TIMEOUT_SECONDS)
        held.cancel()
        with pytest.raises(asyncio.CancelledError):
            await held
        gate.open.set()
        await asyncio.sleep(0)
        assert await outcomes(site) == Counter()
        assert (await site.row_of(key))["next_action_at"] is not None

    @pytest.mark.parametrize("slow_after", [NEVER, SOON], ids=["in its place", "aside"])
    async def test_stopped_workers_do_not_count_as_attempts(
        self, site: Site, gate: Gate, slow_after: timedelta
    ) -> None:
        (key,) = await site.add(1)
        await site.fetch("update probes set attempts = 1")
        for _ in range(POLICY.attempts_before_parking + 1):
            advancer = site.advancer(recording("worker", gate.passed), slow_after=slow_after)
            advancing = asyncio.create_task(advancer.advance(key))
            await asyncio.wait_for(gate.reached.wait(), TIMEOUT_SECONDS)
            gate.reached.clear()
            waited = TIMEOUT_SECONDS if slow_after == SOON else SOON.total_seconds()
            await asyncio.wait({advancing}, timeout=waited)
            assert advancing.done() == (slow_after == SOON)
            advancing.cancel()
            await asyncio.wait({advancing})
            await advancer.give_back()
            row = await site.row_of(key)
            assert (row["attempts"], row["lease_until"], row["parked_reason"]) == (1, None, None)
        assert gate.waiting == POLICY.attempts_before_parking + 1
