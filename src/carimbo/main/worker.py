"""The program that does the queued work."""

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from carimbo.main.authorities import authorities_of, municipalities_of, surveyed
from carimbo.main.clock import clock_of
from carimbo.main.database import database_of
from carimbo.main.outbound import deliver_forever, mail_room_of
from carimbo.main.parts import desk_of, settle_in, start_metrics, workshop_of
from carimbo.main.tables import TableReloader
from carimbo.service.backoff import Backoff
from carimbo.service.contexts import IssuingContext, Reached, WorkerContext, nobody_is_told
from carimbo.service.dossier import Dossiers
from carimbo.service.outage_board import OutageBoard
from carimbo.settings import Settings
from carimbo.storage.database import Database
from carimbo.worker.advance import Advancer
from carimbo.worker.certificates import warn_forever
from carimbo.worker.history import forget_forever
from carimbo.worker.measuring import Observer, measure_forever
from carimbo.worker.metrics import REGISTRY, count_document
from carimbo.worker.numbering import inutilize_forever
from carimbo.worker.rates import warn_of_rates_forever
from carimbo.worker.recipients import fill_recipients_forever
from carimbo.worker.retry import RetryPolicy
from carimbo.worker.run import run_worker
from carimbo.worker.tasks import tasks_of

# A task that resists even its cancellation does not keep the process.
_CANCEL_SECONDS = 2


async def work(settings: Settings, reached: Reached = nobody_is_told) -> None:
    """Run a worker until a signal ends it; work under way is finished first, unless Ctrl-C comes twice."""
    stop, hurry = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, _interrupt, stop, hurry)
    reloader = TableReloader()
    # A SIGHUP ends a process that does not listen to it; tables are read again once they are in force.
    signal.signal(signal.SIGHUP, reloader.ask)
    start_metrics(settings.metrics_host, settings.worker_metrics_port, REGISTRY)
    async with database_of(settings) as database, means_of(settings, database, reached) as means:
        reloader.start()
        settle_in()
        working = asyncio.create_task(
            run_worker(
                settings.database_url.get_secret_value(),
                advancer_of(settings, means),
                settings.queue_options,
                sweep_every=timedelta(seconds=settings.sweep_seconds),
                keep_history=timedelta(days=settings.queue_history_days),
                reconnect_after=timedelta(seconds=settings.worker_reconnect_seconds),
                stop=stop,
                chores=_chores(settings, means),
            )
        )
        await asyncio.wait({working, asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
        await _end(working, hurry, settings.shutdown_seconds)


def _chores(settings: Settings, means: WorkerContext) -> list[Coroutine[Any, Any, None]]:
    """What is done beside the queue."""
    counter = IssuingContext(means.database, means.dossiers, means.workshop)
    observer = Observer(
        means.database, means.outages, settings.overdue_after, clock_of(settings), settings.clock_offset
    )
    return [
        measure_forever(observer, timedelta(seconds=settings.sweep_seconds)),
        inutilize_forever(desk_of(settings, counter)),
        warn_forever(means.database, clock_of(settings)),
        warn_of_rates_forever(clock_of(settings)),
        forget_forever(
            means.database,
            timedelta(days=settings.webhook_history_days),
            timedelta(days=settings.email_history_days),
        ),
        fill_recipients_forever(means.database),
        deliver_forever(settings),
    ]


def _interrupt(stop: asyncio.Event, hurry: asyncio.Event) -> None:
    """The first Ctrl-C stops, the second one stops without patience."""
    (hurry if stop.is_set() else stop).set()


async def _end(working: asyncio.Task[None], hurry: asyncio.Event, patience_seconds: float) -> None:
    """Let work finish; what does not is given up: its row stays due, and another worker takes it."""
    waits: set[asyncio.Task[Any]] = {working, asyncio.create_task(hurry.wait())}
    await asyncio.wait(waits, timeout=patience_seconds, return_when=asyncio.FIRST_COMPLETED)
    if working.done():
        working.result()
    else:
        working.cancel()
        await asyncio.wait({working}, timeout=_CANCEL_SECONDS)


def advancer_of(settings: Settings, means: WorkerContext) -> Advancer:
    """Build what advances rows."""
    backoff = Backoff(
        first=timedelta(seconds=settings.retry_first_seconds),
        longest=timedelta(seconds=settings.retry_longest_seconds),
    )
    return Advancer(
        means.database,
        tasks_of(means, mail_room_of(settings, means.database)),
        RetryPolicy(backoff, settings.attempts_before_parking),
        lease=timedelta(seconds=settings.lease_seconds),
        patience=timedelta(seconds=settings.worker_slow_seconds),
    )


@asynccontextmanager
async def means_of(
    settings: Settings, database: Database, reached: Reached = nobody_is_told
) -> AsyncIterator[WorkerContext]:
    """Put together what documents are issued with."""
    dossiers, clock = Dossiers(database), clock_of(settings)
    async with authorities_of(settings) as authorities:
        yield WorkerContext(
            database=database,
            dossiers=dossiers,
            workshop=surveyed(
                workshop_of(settings), database, municipalities_of(dossiers, authorities, clock)
            ),
            authorities=authorities,
            backoff=settings.authority_backoff,
            outages=OutageBoard(database, settings.contingency_after, clock, settings.clock_offset),
            latest_arrival=settings.latest_arrival,
            reached=reached,
            concluded=count_document,
        )
