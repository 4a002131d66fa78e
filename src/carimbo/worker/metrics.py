"""Prometheus metrics of the worker."""

from prometheus_client import Counter

WORK_DONE = Counter("carimbo_work_total", "Pieces of work by outcome.", ["kind", "outcome"])
REQUEUED = Counter("carimbo_work_requeued_total", "Due rows that had no job and were put back.", ["kind"])
