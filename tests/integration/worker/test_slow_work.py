"""Slow work, as with an authority that hangs, delays nobody and is not lost."""

import asyncio
from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest

from carimbo.service.maintenance import conclude_probe
from carimbo.storage.database import Database
from carimbo.storage.work import Lease, WorkKey, WorkKind
from carimbo.worker import advance
from claimed_rows import claim_row
from integration.worker.worker_site import (
    POLICY,
    SLOTS,
    Site,
    milliseconds,
    outcomes,
    recording,
    until_the_end,
)
from support import TIMEOUT_SECONDS

SOON = milliseconds(30)
SLOW = replace(SLOTS, slow_after=SOON)
TWO_SLOTS = replace(SLOW, batch=1, total=2)


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


def leases_of(kind: WorkKind, count: int) -> list[Lease]:
    """Returns leases that were claimed just now."""
    return [Lease(WorkKey(kind, UUID(int=0), UUID(int=number)), 1, 1) for number in range(count)]


class TestSlots:
    def test_one_kind_leaves_a_fifth_of_the_slots_to_the_others(self) -> None:
        documents = leases_of(WorkKind.DOCUMENT, 14)
        assert SLOTS.free(WorkKind.DOCUMENT, documents) == 2
        assert SLOTS.free(WorkKind.EVENT, documents) == 6
        assert SLOTS.free(WorkKind.EVENT, [*documents, *leases_of(WorkKind.SALE, 6)]) == 0

    def test_slow_work_has_no_slot(self) -> None:
        slow = [replace(lease, claimed_at=0.0) for lease in leases_of(WorkKind.DOCUMENT, 100)]
        assert SLOW.free(WorkKind.DOCUMENT, slow) == 16

    def test_slow_work_keeps_its_slots_when_there_is_too_much(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(advance, "_MAX_SLOW", 5)
        slow = [replace(lease, claimed_at=0.0) for lease in leases_of(WorkKind.DOCUMENT, 15)]
        assert SLOW.free(WorkKind.EVENT, slow) == 10

    async def test_the_slot_of_slow_work_is_given_to_waiting_work(self, site: Site, gate: Gate) -> None:
        slow = set(await site.add(3))

        async def task(database: Database, lease: Lease) -> None:
            if lease.key in slow:
                await gate.passed()
            await conclude_probe(database, lease)

        async with site.worker(site.advancer(task, slots=TWO_SLOTS)):
            await site.until("3 = (select count(*) from probes where lease_token > 0)")
            await site.add(20)
            await site.until("20 = (select count(*) from probes where answered_at is not null)")
            assert gate.waiting == 3
            gate.open.set()
            await site.until_all_answered()


class TestEnd:
    async def test_a_stopping_worker_waits_for_slow_work(self, site: Site, gate: Gate) -> None:
        (key,) = await site.add(1)
        stopping = asyncio.Event()
        advancer = site.advancer(recording("worker", gate.passed), slots=SLOW)
        async with site.worker(advancer, chores=[until_the_end(stopping)]) as worker:
            await asyncio.wait_for(gate.reached.wait(), TIMEOUT_SECONDS)
            worker.cancel()
            await asyncio.wait_for(stopping.wait(), TIMEOUT_SECONDS)
            assert not worker.done()
            gate.open.set()
            await asyncio.wait({worker}, timeout=TIMEOUT_SECONDS)
        assert await outcomes(site) == Counter({key.id: 1})

    async def test_a_second_cancellation_gives_the_work_back_at_once(self, site: Site, gate: Gate) -> None:
        (key,) = await site.add(1)
        stopping = asyncio.Event()
        advancer = site.advancer(recording("worker", gate.passed))
        async with site.worker(advancer, chores=[until_the_end(stopping)]) as worker:
            await asyncio.wait_for(gate.reached.wait(), TIMEOUT_SECONDS)
            worker.cancel()
            await asyncio.wait_for(stopping.wait(), TIMEOUT_SECONDS)
        row = await site.row_of(key)
        assert (row["lease_until"], row["attempts"]) == (None, 0)
        assert row["next_action_at"] is not None
        assert await outcomes(site) == Counter()

    async def test_stopped_workers_do_not_count_as_attempts(self, site: Site, gate: Gate) -> None:
        (key,) = await site.add(1)
        await site.fetch("update probes set attempts = 1")
        for _ in range(POLICY.attempts_before_parking + 1):
            async with site.database.connection() as connection:
                lease = await claim_row(connection, key)
            assert lease is not None
            working = asyncio.create_task(site.advancer(recording("worker", gate.passed)).work(lease))
            await asyncio.wait_for(gate.reached.wait(), TIMEOUT_SECONDS)
            gate.reached.clear()
            working.cancel()
            await asyncio.wait({working})
            row = await site.row_of(key)
            assert (row["attempts"], row["lease_until"], row["parked_reason"]) == (1, None, None)
        assert gate.waiting == POLICY.attempts_before_parking + 1
