"""The loop of all queued work: claims due rows and works on several at once.

NOTIFY wakes the loop when a row becomes due, and so does work that ends, because its slot is free. Polling
finds everything else: rows that become due as time passes, rows of workers that died, and rows whose NOTIFY
was lost.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

import structlog

from carimbo.storage.connection import DatabaseUnavailable
from carimbo.storage.queue import listen

_log = structlog.get_logger("carimbo.worker")
# Work that ends within this time is followed by one claim for all of it.
_GATHERING_SECONDS = 0.01
# Work that ignores its cancellation is abandoned after this time.
_CANCEL_SECONDS = 2

Item = TypeVar("Item")


@dataclass(frozen=True)
class Claims(Generic[Item]):
    """Claimed work, and when the next row is due, if that is known and soon."""

    items: Sequence[Item]
    due_in_seconds: float | None = None


class Source(Protocol[Item]):
    """Claims and does one sort of work."""

    @property
    def channel(self) -> str:
        """The NOTIFY channel of its rows."""

    async def claim(self, running: Collection[Item], notified: Collection[str] | None) -> Claims[Item]:
        """Claims due work within its limits.

        `running` is what this loop works on. `notified` has the payloads since the last call; it is None
        when everything must be looked at.
        """

    async def work(self, item: Item) -> None:
        """Does claimed work, stores the outcome and releases the row. A cancellation gives the row back."""


@dataclass(frozen=True)
class LoopOptions:
    """The waits of a loop."""

    poll: timedelta
    reconnect_after: timedelta
    grace: timedelta
    """How long running work may take to end at a stop."""


class ClaimLoop(Generic[Item]):
    """Works until it is cancelled, and then finishes running work; a second cancellation ends that too."""

    def __init__(self, url: str, source: Source[Item], options: LoopOptions) -> None:
        self._url = url
        self._source = source
        self._options = options
        self._running: dict[asyncio.Task[None], Item] = {}
        self._woken = asyncio.Event()
        self._notified: set[str] = set()
        self._next_poll = 0.0
        self._wake_timer: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Claims due work and does it until cancelled."""
        listening = asyncio.create_task(self._listen_forever())
        try:
            while True:
                self._woken.clear()
                await self._claim_and_start()
                # Not `wait_for`, which may swallow our cancellation (python/cpython#86296).
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(self._next_poll):
                        await self._woken.wait()
        finally:
            listening.cancel()
            await self._finish()

    async def _claim_and_start(self) -> None:
        """Starts due work; a cancellation waits for a claim, so that no row stays claimed and forgotten."""
        starting = asyncio.create_task(self._start_due())
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait({starting})
            raise

    async def _start_due(self) -> None:
        """Starts due work while there are free slots."""
        now = asyncio.get_running_loop().time()
        notified: Collection[str] | None = self._notified
        if now >= self._next_poll:
            notified, self._next_poll = None, now + self._options.poll.total_seconds()
        self._notified = set()
        try:
            claims = await self._source.claim(self._running.values(), notified)
        except DatabaseUnavailable as error:
            _log.warning("work_not_claimed", channel=self._source.channel, reason=str(error))
            return
        except Exception as error:
            # For example a schema that is not migrated yet: the next attempt may succeed.
            _log.error("work_not_claimed", channel=self._source.channel, exc_info=error)
            return
        if claims.due_in_seconds is not None:
            self._next_poll = min(self._next_poll, now + claims.due_in_seconds)
        for item in claims.items:
            task = asyncio.create_task(self._source.work(item))
            self._running[task] = item
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if self._wake_timer is None:
            self._wake_timer = asyncio.get_running_loop().call_later(_GATHERING_SECONDS, self._wake)

    def _wake(self) -> None:
        self._wake_timer = None
        self._woken.set()

    async def _finish(self) -> None:
        tasks, own_task = set(self._running), asyncio.current_task()
        if not tasks:
            return
        # The second cancellation may have come while a claim was still running.
        is_hurried = own_task is not None and own_task.cancelling() > 1
        try:
            await asyncio.wait(tasks, timeout=0 if is_hurried else self._options.grace.total_seconds())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=_CANCEL_SECONDS)

    async def _listen_forever(self) -> None:
        while True:
            try:
                await listen(self._url, self._source.channel, self._on_notify, self._on_listening)
            except DatabaseUnavailable as error:
                _log.warning("wakeups_lost", channel=self._source.channel, reason=str(error))
            except Exception as error:
                _log.error("wakeups_lost", channel=self._source.channel, exc_info=error)
            await asyncio.sleep(self._options.reconnect_after.total_seconds())

    def _on_notify(self, payload: str) -> None:
        self._notified.add(payload)
        self._woken.set()

    def _on_listening(self) -> None:
        self._next_poll = 0.0
        self._woken.set()
