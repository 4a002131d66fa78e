"""Prometheus metrics of the worker.

Gauges that are read from the database tell of the whole installation: every worker shows the same number.
What can be counted is shown as zero from the start, for a rise is seen only from one number to another.
"""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from carimbo.fiscal.environment import Environment
from carimbo.fiscal.lifecycle import Status
from carimbo.fiscal.registry import DOCUMENT_TYPES
from carimbo.service.delivery.attempt import DeliveryStatus
from carimbo.service.delivery.emails import EmailStatus
from carimbo.storage.documents import Document
from carimbo.storage.work import WorkKind

_OF_ALL = "The same in every worker: use max, not sum."
# From an authority that is quick to one that comes back after hours.
_FROM_QUEUE_TO_VERDICT = (0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400)
_WORK_OUTCOMES = ("done", "failed", "parked")
_VERDICTS = (Status.AUTHORIZED, Status.REJECTED, Status.CANCELED)
TESTED, GONE, MISHAP = "tested", "gone", "mishap"

REGISTRY = CollectorRegistry()
"""Shown by workers alone."""

WORK_DONE = Counter(
    "carimbo_work_total", "Pieces of work by outcome.", ["kind", "outcome"], registry=REGISTRY
)
WORK_PARKED = Gauge(
    "carimbo_work_parked", f"Work set aside for a person to look at. {_OF_ALL}", ["kind"], registry=REGISTRY
)
REQUEUED = Counter(
    "carimbo_work_requeued_total", "Due rows that had no job and were put back.", ["kind"], registry=REGISTRY
)
QUEUE_JOBS = Gauge(
    "carimbo_queue_jobs",
    f"Jobs in the queue: due and waiting, running, or not due before later. {_OF_ALL}",
    ["state"],
    registry=REGISTRY,
)
QUEUE_OLDEST = Gauge(
    "carimbo_queue_oldest_seconds",
    f"For how long the first job that waits has been due. {_OF_ALL}",
    registry=REGISTRY,
)

DOCUMENTS = Counter(
    "carimbo_documents_concluded_total",
    "Documents by their verdict.",
    ["type", "environment", "status"],
    registry=REGISTRY,
)
DOCUMENT_SECONDS = Histogram(
    "carimbo_document_seconds",
    "Time from a document's place in the queue to its verdict.",
    ["type"],
    buckets=_FROM_QUEUE_TO_VERDICT,
    registry=REGISTRY,
)
DOCUMENTS_PROCESSING = Gauge(
    "carimbo_documents_processing", f"Documents on their way. {_OF_ALL}", registry=REGISTRY
)
DOCUMENTS_OVERDUE = Gauge(
    "carimbo_documents_overdue",
    f"Documents on their way for longer than CARIMBO_OVERDUE_MINUTES. {_OF_ALL}",
    registry=REGISTRY,
)
DOCUMENTS_OLDEST = Gauge(
    "carimbo_documents_oldest_seconds",
    f"For how long the oldest document that has no verdict has been on its way. {_OF_ALL}",
    registry=REGISTRY,
)

DELIVERIES = Counter(
    "carimbo_deliveries_total",
    "Attempts to deliver to webhooks: delivered, pending (failed, to be tried again), failed (given up), "
    "tested (asked for by a person), gone (nobody left to tell), mishap (failed in our own house).",
    ["outcome"],
    registry=REGISTRY,
)
DELIVERY_SECONDS = Histogram(
    "carimbo_delivery_seconds", "How long attempts to deliver webhooks take.", registry=REGISTRY
)
DELIVERIES_OVERDUE = Gauge(
    "carimbo_deliveries_overdue",
    "Deliveries that should have gone out CARIMBO_OVERDUE_MINUTES ago, to active webhooks that nobody has "
    f"called since. {_OF_ALL}",
    registry=REGISTRY,
)
WEBHOOKS = Gauge(
    "carimbo_webhooks",
    "Webhooks: answering, failing (nothing else of late, and something waits for them), given_up (failed "
    f"until nothing waits for them any more), disabled (for their failures). {_OF_ALL}",
    ["state"],
    registry=REGISTRY,
)
EMAILS = Counter(
    "carimbo_emails_total",
    "E-mails after each attempt: sent, pending (to be tried again), failed (given up).",
    ["outcome"],
    registry=REGISTRY,
)

OUTAGE_SECONDS = Gauge(
    "carimbo_authority_outage_seconds",
    f"For how long an authority of NF-e has judged nothing and failed; no sample while it works. {_OF_ALL}",
    ["model", "authorizer", "environment"],
    registry=REGISTRY,
)
BREAKER_OPEN = Gauge(
    "carimbo_authority_breaker_open",
    "1 once an outage has lasted for CARIMBO_CONTINGENCY_AFTER_SECONDS, and NF-e go to the authority that "
    f"stands in; 0 until then; no sample while the authority works. {_OF_ALL}",
    ["model", "authorizer", "environment"],
    registry=REGISTRY,
)
CERTIFICATES_EXPIRING = Gauge(
    "carimbo_certificates_expiring",
    f"Certificates that end within so many days, without those that have ended. {_OF_ALL}",
    ["within_days"],
    registry=REGISTRY,
)
CERTIFICATES_EXPIRED = Gauge(
    "carimbo_certificates_expired",
    f"Certificates in use that have ended. {_OF_ALL}",
    registry=REGISTRY,
)
MEASURED = Gauge(
    "carimbo_measured_timestamp_seconds",
    "When this worker last read its gauges from the database, or began to work if it has not yet: they "
    "stand still while it can't.",
    registry=REGISTRY,
)


def count_document(document: Document, status: str) -> None:
    """Count a verdict, and how long it took."""
    DOCUMENTS.labels(type=document.type, environment=document.environment, status=status).inc()
    if document.queued_at:
        seconds = time.time() - document.queued_at.timestamp()
        DOCUMENT_SECONDS.labels(type=document.type).observe(max(0, seconds))


def count_email(status: str) -> None:
    """Count what came of an attempt to send an e-mail."""
    EMAILS.labels(outcome=status).inc()


def _show_zeros() -> None:
    for kind in WorkKind:
        REQUEUED.labels(kind=kind.value)
        for outcome in _WORK_OUTCOMES:
            WORK_DONE.labels(kind=kind.value, outcome=outcome)
    for one in (*DeliveryStatus, TESTED, GONE, MISHAP):
        DELIVERIES.labels(outcome=str(one))
    for status in EmailStatus:
        EMAILS.labels(outcome=status.value)
    for issued in (kind.name for kind in DOCUMENT_TYPES):
        DOCUMENT_SECONDS.labels(type=issued)
        for environment in Environment:
            for verdict in _VERDICTS:
                DOCUMENTS.labels(type=issued, environment=environment.value, status=verdict.value)


_show_zeros()
# Its age is what alerts ask for: nobody looked last in 1970, and one who never gets to it is found out too.
MEASURED.set_to_current_time()
