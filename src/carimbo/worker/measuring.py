"""Shows how the whole installation stands, to those who watch over it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from prometheus_client import Gauge

from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.service.certificate_expiry import WARNED_DAYS
from carimbo.service.outage_board import OutageBoard
from carimbo.storage.backlog import Backlog, whole_backlog
from carimbo.storage.database import Database
from carimbo.storage.delivering import overdue_deliveries
from carimbo.storage.measures import (
    QueueState,
    WebhookStates,
    certificates_by_days_left,
    parked_by_kind,
    queue_state,
    webhook_states,
)
from carimbo.storage.outages import Outage
from carimbo.worker import metrics
from carimbo.worker.chores import repeat


@dataclass(frozen=True)
class Observer:
    """What an installation is looked at with."""

    database: Database
    outages: OutageBoard
    overdue_after: timedelta
    clock: Callable[[], datetime]
    clock_offset: timedelta = timedelta()
    """How far the clock is ahead of the database's, which dates the queue."""


async def measure_forever(observer: Observer, every: timedelta) -> None:
    """Look at the installation until cancelled."""

    async def look() -> None:
        await measure(observer)

    await repeat(look, "measure", every)


async def measure(observer: Observer) -> None:
    """Read every gauge; the moment is shown last, so that one who failed half way is found out."""
    now, overdue_after = observer.clock(), observer.overdue_after
    async with observer.database.connection() as connection:
        _show_documents(await whole_backlog(connection, overdue_after), now - observer.clock_offset)
        _show_queue(await queue_state(connection))
        _show_each(metrics.WORK_PARKED, await parked_by_kind(connection))
        metrics.DELIVERIES_OVERDUE.set(await overdue_deliveries(connection, overdue_after))
        _show_webhooks(await webhook_states(connection))
        within = timedelta(days=max(WARNED_DAYS))
        _show_certificates(await certificates_by_days_left(connection, now, within))
    _show_outages(await observer.outages.standing(), now, observer.outages.after)
    metrics.MEASURED.set_to_current_time()


def _show_documents(backlog: Backlog, now: datetime) -> None:
    oldest = backlog.oldest_queued_at
    metrics.DOCUMENTS_PROCESSING.set(backlog.processing)
    metrics.DOCUMENTS_OVERDUE.set(backlog.overdue)
    metrics.DOCUMENTS_OLDEST.set(max(0.0, (now - oldest).total_seconds()) if oldest else 0)


def _show_queue(queue: QueueState) -> None:
    metrics.QUEUE_OLDEST.set(queue.oldest_seconds)
    _show_each(metrics.QUEUE_JOBS, {"waiting": queue.waiting, "running": queue.running, "later": queue.later})


def _show_webhooks(states: WebhookStates) -> None:
    _show_each(metrics.WEBHOOKS, asdict(states))


def _show_certificates(by_days_left: Mapping[int, int]) -> None:
    metrics.CERTIFICATES_EXPIRED.set(by_days_left.get(0, 0))
    for days in WARNED_DAYS:
        ending = sum(count for left, count in by_days_left.items() if 0 < left <= days)
        metrics.CERTIFICATES_EXPIRING.labels(within_days=str(days)).set(ending)


def _show_outages(outages: list[Outage], now: datetime, contingency_after: timedelta) -> None:
    """Show only those that are out: nobody asks of an authority that has no sample."""
    metrics.OUTAGE_SECONDS.clear()
    metrics.BREAKER_OPEN.clear()
    for outage in outages:
        place = asdict(outage.place)
        metrics.OUTAGE_SECONDS.labels(**place).set((now - outage.since).total_seconds())
        # Nobody stands in for one that stands in itself.
        if not is_contingency(outage.authorizer):
            metrics.BREAKER_OPEN.labels(**place).set(now >= outage.since + contingency_after)


def _show_each(gauge: Gauge, numbers: Mapping[str, int]) -> None:
    """Show a number for each value of a gauge's one label."""
    for value, number in numbers.items():
        gauge.labels(value).set(number)
