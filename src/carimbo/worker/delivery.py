"""Sends due webhook deliveries.

Each webhook has its own concurrency limit, so a slow or dead receiver does not delay the others: receivers
that answered within a second last time share a pool, with several slots each; all others get one slot each.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Thread
from typing import Any
from uuid import UUID

import structlog
import uvloop

from carimbo.service.delivery.attempt import DeliverySender, DeliveryStatus, deliver, record_internal_error
from carimbo.storage.connection import DatabaseUnavailable
from carimbo.storage.delivery_queue import (
    OUTBOUND,
    ClaimedDelivery,
    DeliveryLimits,
    claim_deliveries,
    release_delivery,
)
from carimbo.storage.work import LeaseLost
from carimbo.worker.claim_loop import Claims
from carimbo.worker.metrics import DELIVERIES, DELIVERY_SECONDS, GONE, MISHAP, TESTED

_log = structlog.get_logger("carimbo.worker")
_QUICK_SECONDS = 1
# A delivery that was claimed more often than this without a result may kill its workers. Retries have another
# limit.
_MAX_CLAIMS = 5


@dataclass(frozen=True)
class DeliveryOptions:
    """Limits of the deliveries of one worker."""

    max_deliveries: int
    """Maximum of deliveries at once to quick webhooks; the same maximum applies to all others together."""
    max_per_webhook: int
    """Maximum of deliveries at once to one quick webhook."""
    lease: timedelta


class DeliverySource:
    """Due deliveries of webhooks, as work of a claim loop."""

    channel = OUTBOUND

    def __init__(self, delivery_sender: DeliverySender, options: DeliveryOptions) -> None:
        self._delivery_sender = delivery_sender
        self._options = options
        self._quick: set[UUID] = set()

    async def claim(
        self, running: Collection[ClaimedDelivery], notified: Collection[str] | None
    ) -> Claims[ClaimedDelivery]:
        """Claims due deliveries within the limits of their webhooks."""
        busy = Counter(claimed.webhook_id for claimed in running)
        to_quick = sum(count for webhook_id, count in busy.items() if webhook_id in self._quick)
        limits = DeliveryLimits(
            each=self._options.max_per_webhook,
            quick=self._options.max_deliveries - to_quick,
            others=self._options.max_deliveries - (busy.total() - to_quick),
        )
        async with self._delivery_sender.database.connection() as connection:
            deliveries = await claim_deliveries(connection, busy, self._quick, limits, self._options.lease)
        return Claims(deliveries)

    async def work(self, claimed: ClaimedDelivery) -> None:
        """Sends a claimed delivery and stores the outcome."""
        try:
            if claimed.claims > _MAX_CLAIMS:
                await self._record_internal_error(claimed)
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
            # If this fails too, the lease expires by itself.
            with suppress(Exception):
                await self._record_internal_error(claimed)

    async def _record_internal_error(self, claimed: ClaimedDelivery) -> None:
        DELIVERIES.labels(outcome=MISHAP).inc()
        await record_internal_error(self._delivery_sender, claimed)

    async def _deliver(self, claimed: ClaimedDelivery) -> None:
        started = time.monotonic()
        status = await deliver(self._delivery_sender, claimed)
        seconds = time.monotonic() - started
        if status is DeliveryStatus.DELIVERED and seconds < _QUICK_SECONDS:
            self._quick.add(claimed.webhook_id)
        else:
            self._quick.discard(claimed.webhook_id)
        DELIVERIES.labels(outcome=TESTED if claimed.is_test else str(status or GONE)).inc()
        DELIVERY_SECONDS.observe(seconds)

    async def _release(self, claimed: ClaimedDelivery) -> None:
        """Releases the lease, so that the next worker does not have to wait until it expires."""
        with suppress(DatabaseUnavailable):
            async with self._delivery_sender.database.connection() as connection:
                await release_delivery(connection, claimed)


_Started = tuple[asyncio.AbstractEventLoop, "asyncio.Task[None]"]


async def in_own_loop(name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Runs work in a thread with its own event loop; a cancellation is passed on, and its end awaited.

    In an event loop that is busy with documents, each step of a delivery would wait for all of them; a thread
    gets its share of the processor within milliseconds.
    """
    started, ended = Future[_Started](), Future[None]()
    Thread(target=_run_in_thread, args=(work, started, ended), name=name, daemon=True).start()
    ending = asyncio.wrap_future(ended)
    try:
        await asyncio.shield(ending)
    except asyncio.CancelledError:
        # It may not have started yet.
        started.add_done_callback(_cancel_in_loop)
        await asyncio.wait({ending})
        raise


def _cancel_in_loop(started: Future[_Started]) -> None:
    loop, task = started.result()
    # A closed loop has nothing left to cancel.
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(task.cancel)


def _run_in_thread(
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
