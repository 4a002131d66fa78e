"""Runs what must not wait for others in a loop of its own."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from typing import Any

import uvloop

_Started = tuple[asyncio.AbstractEventLoop, "asyncio.Task[None]"]


async def in_own_loop(name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run work in a thread with its own loop; whoever cancels us cancels it, and waits until it has ended.

    In a loop that is busy with documents, every step of a delivery waits until each of them has had its turn:
    a thread gets its share of the processor in milliseconds.
    """
    started, ended = Future[_Started](), Future[None]()
    Thread(target=_run, args=(work, started, ended), name=name, daemon=True).start()
    ending = asyncio.wrap_future(ended)
    try:
        await asyncio.shield(ending)
    except asyncio.CancelledError:
        # It may not have started yet.
        started.add_done_callback(_cancel)
        await asyncio.wait({ending})
        raise


def _cancel(started: Future[_Started]) -> None:
    loop, task = started.result()
    # A loop that is closed has nothing left to cancel.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(task.cancel)


def _run(
    work: Callable[[], Coroutine[Any, Any, None]], started: Future[_Started], ended: Future[None]
) -> None:
    async def run() -> None:
        task = asyncio.current_task()
        if task is not None:
            started.set_result((asyncio.get_running_loop(), task))
        await work()

    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run())
    except asyncio.CancelledError:
        ended.set_result(None)
    except BaseException as error:
        ended.set_exception(error)
    else:
        ended.set_result(None)
