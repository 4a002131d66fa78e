import asyncio
import threading

import pytest

from carimbo.worker.own_loop import in_own_loop
from support import PATIENCE


class TestWorkInItsOwnLoop:
    async def test_runs_in_a_thread_and_a_loop_of_its_own(self) -> None:
        places: list[object] = []

        async def work() -> None:
            places.extend([threading.current_thread().name, asyncio.get_running_loop()])

        await in_own_loop("courier", work)
        name, loop = places
        assert name == "courier"
        assert loop is not asyncio.get_running_loop()

    async def test_goes_on_while_this_loop_is_busy(self) -> None:
        ticked, seen = threading.Event(), []

        async def work() -> None:
            await asyncio.sleep(0.01)
            ticked.set()

        async def be_busy() -> None:
            seen.append(ticked.wait(PATIENCE))

        await asyncio.gather(in_own_loop("courier", work), be_busy())
        assert seen == [True]

    async def test_leaves_this_loop_free(self) -> None:
        release = threading.Event()

        async def work() -> None:
            release.wait(PATIENCE)

        working = asyncio.create_task(in_own_loop("courier", work))
        await asyncio.sleep(0.01)
        assert not working.done()
        release.set()
        await asyncio.wait_for(working, PATIENCE)

    async def test_raises_what_it_raises(self) -> None:
        async def work() -> None:
            raise KeyError("a bug")

        with pytest.raises(KeyError, match="a bug"):
            await in_own_loop("courier", work)

    @pytest.mark.parametrize("moment", ["at-once", "begun"])
    async def test_is_cancelled_with_us_and_waited_for(self, moment: str) -> None:
        begun, told = threading.Event(), []

        async def work() -> None:
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                told.append("cancelled")
                await asyncio.sleep(0.1)
                told.append("finished")
                raise

        working = asyncio.create_task(in_own_loop("courier", work))
        await asyncio.sleep(0)
        if moment == "begun":
            await asyncio.to_thread(begun.wait, PATIENCE)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(working, PATIENCE)
        assert told == ["cancelled", "finished"]

    async def test_leaves_no_thread_behind(self) -> None:
        async def work() -> None:
            await asyncio.sleep(0)

        await in_own_loop("courier-that-ends", work)
        for thread in threading.enumerate():
            if thread.name == "courier-that-ends":
                await asyncio.to_thread(thread.join, PATIENCE)
                assert not thread.is_alive()
