import asyncio
import time
from dataclasses import replace
from datetime import timedelta

from carimbo.storage.jobs import consume
from carimbo.storage.work import WorkKey, WorkKind
from integration.worker.worker_site import QUICK, Site, milliseconds
from support import TIMEOUT_SECONDS


class TestConsume:
    async def test_a_handler_that_raises_keeps_its_job(self, site: Site) -> None:
        """Without a sweeper, the queue alone must retry."""
        (key,) = await site.add(1)
        stop = asyncio.Event()
        handled: list[WorkKey] = []

        async def handle(key: WorkKey) -> timedelta | None:
            handled.append(key)
            if len(handled) < 3:
                raise ZeroDivisionError("by zero")
            stop.set()
            return None

        await asyncio.wait_for(consume(site.url, {WorkKind.PROBE: handle}, QUICK, stop), TIMEOUT_SECONDS)
        assert handled == [key, key, key]
        assert await site.fetch("select from pgqueuer") == []

    async def test_a_handler_is_called_again_after_the_returned_delay(self, site: Site) -> None:
        await site.add(1)
        stop = asyncio.Event()
        handled: list[float] = []

        async def handle(_key: WorkKey) -> timedelta | None:
            handled.append(time.monotonic())
            if len(handled) == 1:
                return milliseconds(300)
            stop.set()
            return None

        await asyncio.wait_for(consume(site.url, {WorkKind.PROBE: handle}, QUICK, stop), TIMEOUT_SECONDS)
        assert handled[1] - handled[0] >= 0.3

    async def test_jobs_with_higher_priority_are_handled_first(self, site: Site) -> None:
        keys = await site.add(3)
        for key, priority in zip(keys, (0, 10, 5), strict=True):
            await site.fetch(f"update pgqueuer set priority = {priority} where payload = '{key}'")
        stop = asyncio.Event()
        handled: list[WorkKey] = []

        async def handle(key: WorkKey) -> timedelta | None:
            handled.append(key)
            if len(handled) == len(keys):
                stop.set()
            return None

        sequential = replace(QUICK, batch_size=1, concurrency=2)
        await asyncio.wait_for(consume(site.url, {WorkKind.PROBE: handle}, sequential, stop), TIMEOUT_SECONDS)
        assert handled == [keys[1], keys[2], keys[0]]
