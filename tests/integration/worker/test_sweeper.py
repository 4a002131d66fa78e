import asyncio
import itertools
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from carimbo.storage.database import DatabaseUnavailable
from carimbo.worker import run
from carimbo.worker.run import sweep, sweep_forever
from integration.storage.document_rows import Shop
from integration.worker.worker_site import AT_ONCE, Site, milliseconds
from support import TIMEOUT_SECONDS


class TestSweep:
    async def test_a_due_row_without_a_job_gets_one(self, site: Site) -> None:
        await site.add(3)
        await site.fetch("delete from pgqueuer")
        assert await sweep(site.database, AT_ONCE) == 3
        assert len(await site.fetch("select from pgqueuer")) == 3

    async def test_a_row_that_has_a_job_gets_no_other_and_is_not_counted(self, site: Site) -> None:
        await site.add(3)
        assert await sweep(site.database, AT_ONCE) == 0
        assert len(await site.fetch("select from pgqueuer")) == 3

    @pytest.mark.parametrize(
        "state",
        [
            "next_action_at = null",
            "next_action_at = now() + interval '1 minute'",
            "lease_until = now() + interval '1 minute'",
            "next_action_at = null, parked_reason = 'broken'",
        ],
    )
    async def test_a_row_that_is_held_or_not_due_gets_no_job(self, site: Site, state: str) -> None:
        await site.add(1)
        await site.fetch("delete from pgqueuer")
        await site.fetch(f"update probes set {state}")
        assert await sweep(site.database, AT_ONCE) == 0

    async def test_a_row_that_has_just_become_due_is_left_to_its_own_job(self, site: Site) -> None:
        await site.add(1)
        await site.fetch("delete from pgqueuer")
        assert await sweep(site.database, overdue=timedelta(minutes=1)) == 0
        await site.fetch("update probes set next_action_at = now() - interval '2 minutes'")
        assert await sweep(site.database, overdue=timedelta(minutes=1)) == 1

    async def test_a_row_whose_job_failed_for_good_gets_another(self, site: Site) -> None:
        await site.add(1)
        await site.fetch("update pgqueuer set status = 'failed'")
        assert await sweep(site.database, AT_ONCE) == 1

    async def test_simultaneous_sweepers_add_one_job_for_each_row(self, site: Site) -> None:
        await site.add(20)
        await site.fetch("delete from pgqueuer")
        counts = await asyncio.gather(*(sweep(site.database, AT_ONCE) for _ in range(4)))
        assert sum(counts) == 20
        assert len(await site.fetch("select from pgqueuer")) == 20

    @pytest.mark.parametrize(
        "error", [DatabaseUnavailable("gone"), asyncpg.DeadlockDetectedError("deadlock"), KeyError("a bug")]
    )
    async def test_sweeping_continues_after_a_failed_sweep(
        self, site: Site, monkeypatch: pytest.MonkeyPatch, error: Exception
    ) -> None:
        third_sweep = asyncio.Event()
        sweeps = itertools.count(1)

        async def tidy(_connection: Any, _keep: timedelta) -> None:
            number = next(sweeps)
            if number >= 3:
                third_sweep.set()
            raise error

        monkeypatch.setattr(run, "tidy", tidy)
        sweeping = asyncio.create_task(
            sweep_forever(site.database, every=milliseconds(10), keep_history=timedelta(days=1))
        )
        await asyncio.wait_for(third_sweep.wait(), TIMEOUT_SECONDS)
        sweeping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sweeping

    async def test_a_document_without_a_job_gets_one_with_its_turn(self, site: Site, shop: Shop) -> None:
        await shop.added()
        await shop.added(is_urgent=True)
        jobs = "select payload, priority from pgqueuer order by payload"
        before = await site.fetch(jobs)
        await site.fetch("delete from pgqueuer")
        assert await sweep(site.database, AT_ONCE) == 2
        assert await site.fetch(jobs) == before
