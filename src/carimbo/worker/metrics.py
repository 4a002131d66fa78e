"""Prometheus metrics of the worker."""

from prometheus_client import Counter, Gauge

WORK_DONE = Counter("carimbo_work_total", "Pieces of work by outcome.", ["kind", "outcome"])
REQUEUED = Counter("carimbo_work_requeued_total", "Due rows that had no job and were put back.", ["kind"])
DOCUMENTS_PROCESSING = Gauge("carimbo_documents_processing", "Documents on their way.")
DOCUMENTS_OVERDUE = Gauge(
    "carimbo_documents_overdue", "Documents on their way for longer than they should be."
)
DOCUMENTS_PARKED = Gauge("carimbo_documents_parked", "Documents set aside for a person to look at.")
