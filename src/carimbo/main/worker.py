"""The worker program."""

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Any

from carimbo.main.authorities import authorities_of, municipalities_of, with_queries
from carimbo.main.database import database_of
from carimbo.main.mailer import mailer_of
from carimbo.main.outbound import deliver_forever, mailing_context_of
from carimbo.main.parts import document_builder, filing_context, start_metrics, tune_garbage_collector
from carimbo.main.process import clock_of
from carimbo.main.tables import TableReloader
from carimbo.service.companies.snapshot import CompanySnapshots
from carimbo.service.contexts import IssuingContext, StepListener, WorkerContext, ignore_step
from carimbo.service.exports.monthly_mail import MonthlyMailing
from carimbo.service.outage_board import OutageBoard
from carimbo.service.waiting import Backoff
from carimbo.settings import Settings
from carimbo.storage.actors import SCHEDULE
from carimbo.storage.database import Database
from carimbo.storage.work import Lease
from carimbo.worker.advance import Advancer, RetryPolicy, Slots
from carimbo.worker.chores import (
    delete_old_history_forever,
    fill_recipients_forever,
    guard_open_documents_forever,
    inutilize_forever,
    maintain_received_forever,
    send_monthly_exports_forever,
    warn_of_certificates_forever,
    warn_of_rates_forever,
)
from carimbo.worker.claim_loop import ClaimLoop, LoopOptions
from carimbo.worker.measuring import Observer, measure_forever
from carimbo.worker.metrics import REGISTRY, count_document
from carimbo.worker.run import run_worker
from carimbo.worker.tasks import tasks_of

# A task that ignores its cancellation does not keep the process alive.
_CANCEL_SECONDS = 2


async def work(settings: Settings, reached: StepListener = ignore_step) -> None:
    """Runs a worker until a signal; running work is finished first, unless Ctrl-C is pressed twice."""
    stop, hurry = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.add_signal_handler(signal.SIGINT, _interrupt, stop, hurry)
    reloader = TableReloader()
    # Without a handler, SIGHUP would end the process. A request before the start is served after it.
    signal.signal(signal.SIGHUP, reloader.ask)
    start_metrics(settings.metrics_host, settings.worker_metrics_port, REGISTRY)
    async with (
        database_of(settings, "carimbo_worker") as database,
        worker_context_of(settings, database, reached) as context,
    ):
        reloader.start()
        tune_garbage_collector()
        loop_of_work = work_loop_of(settings, advancer_of(settings, context))
        working = asyncio.create_task(run_worker(loop_of_work, _chores(settings, context)))
        await asyncio.wait({working, asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
        await _end(working, hurry, settings.shutdown_seconds)


def _chores(settings: Settings, context: WorkerContext) -> list[Coroutine[Any, Any, None]]:
    """Returns the periodic work beside the queue."""
    issuing = IssuingContext(context.database, context.snapshots, context.builder)
    observer = Observer(
        context.database, context.outages, settings.overdue_after, clock_of(settings), settings.clock_offset
    )
    return [
        measure_forever(observer, timedelta(seconds=settings.sweep_seconds)),
        inutilize_forever(filing_context(settings, issuing)),
        # A closing goes on without the guard, which must not wait for each of them.
        guard_open_documents_forever(replace(filing_context(settings, issuing), max_wait=timedelta())),
        maintain_received_forever(context.database, clock_of(settings)),
        warn_of_certificates_forever(context.database, clock_of(settings)),
        warn_of_rates_forever(clock_of(settings)),
        delete_old_history_forever(
            context.database,
            timedelta(days=settings.webhook_history_days),
            timedelta(days=settings.email_history_days),
        ),
        fill_recipients_forever(context.database),
        send_monthly_exports_forever(
            MonthlyMailing(context.database, mailer_of(settings), settings.link_base, clock_of(settings))
        ),
        deliver_forever(settings),
    ]


def _interrupt(stop: asyncio.Event, hurry: asyncio.Event) -> None:
    """Handles Ctrl-C: the first stops after the running work, the second at once."""
    (hurry if stop.is_set() else stop).set()


async def _end(working: asyncio.Task[None], hurry: asyncio.Event, shutdown_seconds: float) -> None:
    """Stops a worker: it finishes its running work in time, or releases the rows for other workers."""
    working.cancel()
    waits: set[asyncio.Task[Any]] = {working, asyncio.create_task(hurry.wait())}
    await asyncio.wait(waits, timeout=shutdown_seconds, return_when=asyncio.FIRST_COMPLETED)
    if not working.done():
        working.cancel()
        await asyncio.wait({working}, timeout=_CANCEL_SECONDS)
    elif not working.cancelled():
        working.result()


def advancer_of(settings: Settings, context: WorkerContext) -> Advancer:
    """Builds the runner of queued work."""
    backoff = Backoff(
        first=timedelta(seconds=settings.retry_first_seconds),
        max_pause=timedelta(seconds=settings.retry_longest_seconds),
    )
    return Advancer(
        context.database,
        tasks_of(context, mailing_context_of(settings, context.database)),
        RetryPolicy(backoff, settings.attempts_before_parking),
        lease=timedelta(seconds=settings.lease_seconds),
        slots=Slots(
            total=settings.worker_concurrency,
            batch=settings.worker_batch_size,
            slow_after=timedelta(seconds=settings.worker_slow_seconds),
        ),
    )


def work_loop_of(settings: Settings, advancer: Advancer) -> ClaimLoop[Lease]:
    """Builds the loop of queued work."""
    waits = LoopOptions(
        poll=timedelta(seconds=settings.worker_poll_seconds),
        reconnect_after=timedelta(seconds=settings.worker_reconnect_seconds),
        grace=timedelta(seconds=settings.shutdown_seconds),
    )
    return ClaimLoop(settings.database_url.get_secret_value(), advancer, waits)


@asynccontextmanager
async def worker_context_of(
    settings: Settings, database: Database, reached: StepListener = ignore_step
) -> AsyncIterator[WorkerContext]:
    """Builds the context for issuing documents; what the worker does by itself, it does on schedule."""
    database = database.acting_as(SCHEDULE)
    snapshots, clock = CompanySnapshots(database), clock_of(settings)
    async with authorities_of(settings) as authorities:
        yield WorkerContext(
            database=database,
            snapshots=snapshots,
            builder=with_queries(
                document_builder(settings), database, municipalities_of(snapshots, authorities, clock)
            ),
            authorities=authorities,
            backoff=settings.authority_backoff,
            outages=OutageBoard(database, settings.contingency_after, clock, settings.clock_offset),
            in_flight_limit=settings.in_flight_limit,
            reached=reached,
            concluded=count_document,
        )
