import asyncio
import threading

import pytest

from carimbo.worker.delivery import in_own_loop
from support import TIMEOUT_SECONDS


class TestWorkInItsOwnLoop:
    async def test_work_runs_in_its_own_thread_and_loop(self) -> None:
        places: list[object] = []

        async def work() -> None:
            places.extend([threading.current_thread().name, asyncio.get_running_loop()])

        await in_own_loop("courier", work)
        name, loop = places
        assert name == "courier"
        assert loop is not asyncio.get_running_loop()

    async def test_work_continues_while_the_callers_loop_is_busy(self) -> None:
        ticked, seen = threading.Event(), []

        async def work() -> None:
            await asyncio.sleep(0.01)
            ticked.set()

        async def be_busy() -> None:
            seen.append(ticked.wait(TIMEOUT_SECONDS))

        await asyncio.gather(in_own_loop("courier", work), be_busy())
        assert seen == [True]

    async def test_work_does_not_block_the_callers_loop(self) -> None:
        release = threading.Event()

        async def work() -> None:
            release.wait(TIMEOUT_SECONDS)

        working = asyncio.create_task(in_own_loop("courier", work))
        await asyncio.sleep(0.01)
        assert not working.done()
        release.set()
        await asyncio.wait_for(working, TIMEOUT_SECONDS)

    async def test_exception_of_the_work_is_raised(self) -> None:
        async def work() -> None:
            raise KeyError("a bug")

        with pytest.raises(KeyError, match="a bug"):
            await in_own_loop("courier", work)

    @pytest.mark.parametrize("moment", ["at-once", "begun"])
    async def test_cancellation_cancels_the_work_and_waits_for_it(self, moment: str) -> None:
        begun, events = threading.Event(), []

        async def work() -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                events.append("cancelled")
                await asyncio.sleep(0.1)
                events.append("finished")
                raise

        working = asyncio.create_task(in_own_loop("courier", work))
        await asyncio.sleep(0)
        if moment == "begun":
            await asyncio.to_thread(begun.wait, TIMEOUT_SECONDS)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(working, TIMEOUT_SECONDS)
        assert events == ["cancelled", "finished"]

    async def test_work_leaves_no_thread(self) -> None:
        async def work() -> None:
            await asyncio.sleep(0)

        await in_own_loop("courier-that-ends", work)
        for thread in threading.enumerate():
            if thread.name == "courier-that-ends":
                await asyncio.to_thread(thread.join, TIMEOUT_SECONDS)
                assert not thread.is_alive()
