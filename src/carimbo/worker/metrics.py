"""Prometheus metrics of the worker."""

from prometheus_client import Counter, Gauge, Histogram

WORK_DONE = Counter("carimbo_work_total", "Pieces of work by outcome.", ["kind", "outcome"])
REQUEUED = Counter("carimbo_work_requeued_total", "Due rows that had no job and were put back.", ["kind"])
DOCUMENTS_PROCESSING = Gauge("carimbo_documents_processing", "Documents on their way.")
DOCUMENTS_OVERDUE = Gauge(
    "carimbo_documents_overdue", "Documents on their way for longer than they should be."
)
DOCUMENTS_PARKED = Gauge("carimbo_documents_parked", "Documents set aside for a person to look at.")
DELIVERIES = Counter("carimbo_deliveries_total", "Attempts to deliver webhooks by outcome.", ["outcome"])
DELIVERY_SECONDS = Histogram("carimbo_delivery_seconds", "How long attempts to deliver webhooks take.")
DELIVERIES_OVERDUE = Gauge(
    "carimbo_deliveries_overdue", "Deliveries to active webhooks that should have gone out long ago."
)
