"""Carries deliveries out of the house: takes what is due, as much as may be under way, and sees it off.

It does not go by the queue: limits are those of each webhook, so that one that is slow or dead keeps nobody
else waiting. Who answered quickly the last time has several places, of a number that nobody else takes from;
all others have one each. A word of the database wakes it; what it does not hear of it finds by itself.
"""

import asyncio
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog

from carimbo.service.delivery.attempt import DeliveryStatus, Postman, deliver, record_mishap
from carimbo.storage.connection import DatabaseUnavailable
from carimbo.storage.delivering import ClaimedDelivery, Room, claim_deliveries, release_delivery
from carimbo.storage.wakeups import listen
from carimbo.storage.work import LeaseLost
from carimbo.worker.metrics import DELIVERIES, DELIVERY_SECONDS, GONE, MISHAP, TESTED

_log = structlog.get_logger("carimbo.worker")
_QUICK_SECONDS = 1
_GATHERING_SECONDS = 0.01
# One that was taken more often without coming back may have killed its workers.
_MOST_DEATHS = 5


@dataclass(frozen=True)
class CourierOptions:
    """How much is under way at once, and every wait."""

    most: int
    """To webhooks that answer quickly, and as many again to all others."""
    each: int
    """To one webhook that answers quickly."""
    lease: timedelta
    poll: timedelta
    reconnect_after: timedelta
    grace: timedelta
    """How long what is under way may take to end when we are stopped."""


class Courier:
    """Delivers until it is cancelled; what is under way is finished first."""

    def __init__(self, url: str, postman: Postman, options: CourierOptions) -> None:
        self._url = url
        self._postman = postman
        self._options = options
        self._under_way: dict[asyncio.Task[None], ClaimedDelivery] = {}
        self._quick: set[UUID] = set()
        self._woken = asyncio.Event()
        self._gathering: asyncio.TimerHandle | None = None

    async def run(self) -> None:
        """Deliver what is due, again and again."""
        listening = asyncio.create_task(self._listen_forever())
        try:
            while True:
                self._woken.clear()
                await self._take_some()
                # Not `wait_for`, which may swallow our cancellation (python/cpython#86296).
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._options.poll.total_seconds()):
                        await self._woken.wait()
        finally:
            listening.cancel()
            await self._finish()

    async def _take_some(self) -> None:
        """Begin what is due and has a place."""
        try:
            claimed = await self._claimed()
        except DatabaseUnavailable as error:
            _log.warning("deliveries_not_taken", reason=str(error))
            return
        except Exception as error:
            # A schema that is not migrated yet, a statement that was given up: the next look may succeed.
            _log.error("deliveries_not_taken", exc_info=error)
            return
        for one in claimed:
            self._begin(one)

    async def _claimed(self) -> list[ClaimedDelivery]:
        busy = Counter(one.webhook_id for one in self._under_way.values())
        to_quick = sum(count for webhook_id, count in busy.items() if webhook_id in self._quick)
        room = Room(
            each=self._options.each,
            quick=self._options.most - to_quick,
            others=self._options.most - (busy.total() - to_quick),
        )
        async with self._postman.database.connection() as connection:
            return await claim_deliveries(connection, busy, self._quick, room, self._options.lease)

    def _begin(self, claimed: ClaimedDelivery) -> None:
        task = asyncio.create_task(self._carry(claimed))
        self._under_way[task] = claimed
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._under_way[task]
        # There is room for the next one of that webhook, or for what was to come after it; one look is enough
        # for several that end at a time.
        if self._gathering is None:
            self._gathering = asyncio.get_running_loop().call_later(_GATHERING_SECONDS, self._look_again)

    def _look_again(self) -> None:
        self._gathering = None
        self._woken.set()

    async def _carry(self, claimed: ClaimedDelivery) -> None:
        try:
            if claimed.claims > _MOST_DEATHS:
                await self._record_mishap(claimed)
            else:
                await self._deliver(claimed)
        except LeaseLost:
            _log.warning("delivery_lease_lost", delivery=str(claimed.id))
        except asyncio.CancelledError:
            await self._release(claimed)
            raise
        except DatabaseUnavailable as error:
            _log.warning("delivery_not_written", delivery=str(claimed.id), reason=str(error))
        except Exception as error:
            _log.error("delivery_failed", delivery=str(claimed.id), exc_info=error)
            # Should this fail too, its lease ends by itself.
            with suppress(Exception):
                await self._record_mishap(claimed)

    async def _record_mishap(self, claimed: ClaimedDelivery) -> None:
        DELIVERIES.labels(outcome=MISHAP).inc()
        await record_mishap(self._postman, claimed)

    async def _deliver(self, claimed: ClaimedDelivery) -> None:
        started = time.monotonic()
        status = await deliver(self._postman, claimed)
        seconds = time.monotonic() - started
        if status is DeliveryStatus.DELIVERED and seconds < _QUICK_SECONDS:
            self._quick.add(claimed.webhook_id)
        else:
            self._quick.discard(claimed.webhook_id)
        DELIVERIES.labels(outcome=TESTED if claimed.is_test else str(status or GONE)).inc()
        DELIVERY_SECONDS.observe(seconds)

    async def _release(self, claimed: ClaimedDelivery) -> None:
        """Whoever comes next should not have to wait until the lease ends."""
        with suppress(DatabaseUnavailable):
            async with self._postman.database.connection() as connection:
                await release_delivery(connection, claimed)

    async def _finish(self) -> None:
        if not self._under_way:
            return
        tasks = set(self._under_way)
        try:
            await asyncio.wait(tasks, timeout=self._options.grace.total_seconds())
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen_forever(self) -> None:
        while True:
            try:
                await listen(self._url, self._woken.set)
            except DatabaseUnavailable as error:
                _log.warning("wakeups_lost", reason=str(error))
            except Exception as error:
                _log.error("wakeups_lost", exc_info=error)
            await asyncio.sleep(self._options.reconnect_after.total_seconds())
