"""Updates the gauges that describe the whole installation."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from prometheus_client import Gauge

from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.company_status.certificate_expiry import WARNED_DAYS
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.database import Database
from carimbo.storage.delivery_queue import count_overdue_deliveries
from carimbo.storage.monitoring import (
    Backlog,
    certificates_by_days_left,
    parked_by_kind,
    queue_state,
    stream_states,
    total_backlog,
    webhook_states,
)
from carimbo.storage.outages import OutageRow
from carimbo.worker import metrics
from carimbo.worker.chores import repeat

_WITH_CONTINGENCY = frozenset(
    document_type.model for document_type in DOCUMENT_TYPES if document_type.has_contingency
)


@dataclass(frozen=True)
class Observer:
    """Everything needed to read the gauges."""

    database: Database
    outages: OutageBoard
    overdue_after: timedelta
    clock: Callable[[], datetime]
    clock_offset: timedelta = timedelta()
    """Difference of the clock to that of the database, which dates the queue."""


async def measure_forever(observer: Observer, every: timedelta) -> None:
    """Updates the gauges periodically until cancelled."""

    async def update() -> None:
        await measure(observer)

    await repeat(update, "measure", every)


async def measure(observer: Observer) -> None:
    """Updates all gauges; the timestamp comes last, so that an incomplete update is noticed."""
    now, overdue_after = observer.clock(), observer.overdue_after
    async with observer.database.connection() as connection:
        backlog = await total_backlog(connection, overdue_after)
        _set_documents(backlog, now - observer.clock_offset)

        queue = await queue_state(connection)
        metrics.QUEUE_OLDEST.set(queue.oldest_seconds)
        rows = {"waiting": queue.waiting, "running": queue.running, "later": queue.later}
        _set_each(metrics.QUEUE_JOBS, rows)
        _set_each(metrics.WORK_PARKED, await parked_by_kind(connection))

        metrics.DELIVERIES_OVERDUE.set(await count_overdue_deliveries(connection, overdue_after))
        _set_each(metrics.STREAMS, asdict(await stream_states(connection)))
        _set_each(metrics.WEBHOOKS, asdict(await webhook_states(connection)))

        within = timedelta(days=max(WARNED_DAYS))
        by_days_left = await certificates_by_days_left(connection, now, within)
        metrics.CERTIFICATES_EXPIRED.set(by_days_left.get(0, 0))
        for days in WARNED_DAYS:
            ending = sum(count for left, count in by_days_left.items() if 0 < left <= days)
            metrics.CERTIFICATES_EXPIRING.labels(within_days=str(days)).set(ending)
    _set_outages(await observer.outages.current_outages(), now, observer.outages.after)
    metrics.MEASURED.set_to_current_time()


def _set_documents(backlog: Backlog, now: datetime) -> None:
    oldest = backlog.oldest_queued_at
    metrics.DOCUMENTS_PROCESSING.set(backlog.processing)
    metrics.DOCUMENTS_OVERDUE.set(backlog.overdue)
    metrics.DOCUMENTS_OLDEST.set(max(0.0, (now - oldest).total_seconds()) if oldest else 0)


def _set_outages(outages: list[OutageRow], now: datetime, contingency_after: timedelta) -> None:
    """Exports only the current outages; an authority that works has no sample."""
    metrics.OUTAGE_SECONDS.clear()
    metrics.BREAKER_OPEN.clear()
    for outage in outages:
        labels = (outage.model, outage.stored_authorizer, outage.environment)
        metrics.OUTAGE_SECONDS.labels(*labels).set((now - outage.since).total_seconds())
        # A contingency authority has no contingency of its own.
        if outage.model in _WITH_CONTINGENCY and not outage.service.stands_in_for:
            metrics.BREAKER_OPEN.labels(*labels).set(now >= outage.since + contingency_after)


def _set_each(gauge: Gauge, numbers: Mapping[str, int]) -> None:
    """Sets a gauge for each value of its only label."""
    for value, number in numbers.items():
        gauge.labels(value).set(number)
