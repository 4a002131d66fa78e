"""Prometheus metrics of the worker.

Gauges that are read from the database describe the whole installation: every worker exports the same number.
Counters are exported as zero from the start, because an increase is only visible after a first sample.
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
# Buckets from a quick authority to one that is back after hours.
_FROM_QUEUE_TO_VERDICT = (0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14400)
_WORK_OUTCOMES = ("done", "failed", "parked")
_VERDICTS = (Status.AUTHORIZED, Status.REJECTED, Status.CANCELED)
TESTED, GONE, MISHAP = "tested", "gone", "mishap"

REGISTRY = CollectorRegistry()
"""Metrics of workers only."""

WORK_DONE = Counter(
    "carimbo_work_total",
    "Attempts at work that were done or failed, and work that was parked.",
    ["kind", "outcome"],
    registry=REGISTRY,
)
WORK_PARKED = Gauge(
    "carimbo_work_parked", f"Parked work, which waits for a person. {_OF_ALL}", ["kind"], registry=REGISTRY
)
RECLAIMED = Counter(
    "carimbo_work_reclaimed_total",
    "Rows that were claimed again after a claim without a result: the work failed, or its worker died.",
    ["kind"],
    registry=REGISTRY,
)
QUEUE_JOBS = Gauge(
    "carimbo_queue_jobs",
    f"Rows with work by state: waiting (due), running, later (not due yet). {_OF_ALL}",
    ["state"],
    registry=REGISTRY,
)
QUEUE_OLDEST = Gauge(
    "carimbo_queue_oldest_seconds",
    f"How long the oldest waiting row has been due. {_OF_ALL}",
    registry=REGISTRY,
)

DOCUMENTS = Counter(
    "carimbo_documents_concluded_total",
    "Documents by verdict: authorized, rejected or canceled.",
    ["type", "environment", "status"],
    registry=REGISTRY,
)
DOCUMENT_SECONDS = Histogram(
    "carimbo_document_seconds",
    "Time from the queueing of a document to its verdict.",
    ["type"],
    buckets=_FROM_QUEUE_TO_VERDICT,
    registry=REGISTRY,
)
DOCUMENTS_PROCESSING = Gauge(
    "carimbo_documents_processing", f"Documents in progress. {_OF_ALL}", registry=REGISTRY
)
DOCUMENTS_OVERDUE = Gauge(
    "carimbo_documents_overdue",
    f"Documents in progress for longer than CARIMBO_OVERDUE_MINUTES. {_OF_ALL}",
    registry=REGISTRY,
)
DOCUMENTS_OLDEST = Gauge(
    "carimbo_documents_oldest_seconds",
    f"How long the oldest document in progress has been in progress. {_OF_ALL}",
    registry=REGISTRY,
)

DELIVERIES = Counter(
    "carimbo_deliveries_total",
    "Attempts to deliver to webhooks: delivered, pending (failed, will be retried), failed (no more "
    "retries), tested (requested by a person), gone (the webhook was deleted), mishap (an error of carimbo "
    "itself).",
    ["outcome"],
    registry=REGISTRY,
)
DELIVERY_SECONDS = Histogram(
    "carimbo_delivery_seconds", "Duration of attempts to deliver to webhooks.", registry=REGISTRY
)
DELIVERIES_OVERDUE = Gauge(
    "carimbo_deliveries_overdue",
    "Deliveries that have been due for longer than CARIMBO_OVERDUE_MINUTES, to active webhooks that were not "
    f"called in that time. {_OF_ALL}",
    registry=REGISTRY,
)
WEBHOOKS = Gauge(
    "carimbo_webhooks",
    "Webhooks by state: answering, failing (since their last success, with deliveries that will be retried), "
    f"given_up (failing, with no delivery left to retry), disabled (because of their failures). {_OF_ALL}",
    ["state"],
    registry=REGISTRY,
)
EMAILS = Counter(
    "carimbo_emails_total",
    "Attempts to send e-mails: sent, pending (failed, will be retried), failed (no more retries).",
    ["outcome"],
    registry=REGISTRY,
)

OUTAGE_SECONDS = Gauge(
    "carimbo_authority_outage_seconds",
    f"How long an authority has only failed; no sample while it works. {_OF_ALL}",
    ["model", "authorizer", "environment"],
    registry=REGISTRY,
)
BREAKER_OPEN = Gauge(
    "carimbo_authority_breaker_open",
    "1 after an outage has lasted for CARIMBO_CONTINGENCY_AFTER_SECONDS, so that documents are sent to the "
    f"contingency authority; 0 before that; no sample while the authority works. {_OF_ALL}",
    ["model", "authorizer", "environment"],
    registry=REGISTRY,
)
STREAMS = Gauge(
    "carimbo_streams",
    "Sequences of received documents that companies follow: all (followed), blocked by the authority, behind "
    f"(with documents that did not come yet), silent (without an answer for two days). {_OF_ALL}",
    ["state"],
    registry=REGISTRY,
)
CERTIFICATES_EXPIRING = Gauge(
    "carimbo_certificates_expiring",
    f"Certificates that expire within this number of days; expired ones are not counted. {_OF_ALL}",
    ["within_days"],
    registry=REGISTRY,
)
CERTIFICATES_EXPIRED = Gauge(
    "carimbo_certificates_expired",
    f"Certificates in use that have expired. {_OF_ALL}",
    registry=REGISTRY,
)
MEASURED = Gauge(
    "carimbo_measured_timestamp_seconds",
    "When this worker last read its gauges from the database, or when it started if it has not read them "
    "yet; the gauges keep their old values while it can't read.",
    registry=REGISTRY,
)


def count_document(document: Document, status: str) -> None:
    """Counts a verdict, and observes how long it took."""
    DOCUMENTS.labels(type=document.type, environment=document.environment, status=status).inc()
    if document.queued_at:
        seconds = time.time() - document.queued_at.timestamp()
        DOCUMENT_SECONDS.labels(type=document.type).observe(max(0, seconds))


def count_email(status: str) -> None:
    """Counts the outcome of an attempt to send an e-mail."""
    EMAILS.labels(outcome=status).inc()


def _show_zeros() -> None:
    for kind in WorkKind:
        RECLAIMED.labels(kind=kind.value)
        for outcome in _WORK_OUTCOMES:
            WORK_DONE.labels(kind=kind.value, outcome=outcome)
    for outcome in (*DeliveryStatus, TESTED, GONE, MISHAP):
        DELIVERIES.labels(outcome=str(outcome))
    for status in EmailStatus:
        EMAILS.labels(outcome=status.value)
    for issued in (document_type.name for document_type in DOCUMENT_TYPES):
        DOCUMENT_SECONDS.labels(type=issued)
        for environment in Environment:
            for verdict in _VERDICTS:
                DOCUMENTS.labels(type=issued, environment=environment.value, status=verdict.value)


_show_zeros()
# Alerts use its age. Starting now avoids 1970, and a worker that never measures is noticed too.
MEASURED.set_to_current_time()
