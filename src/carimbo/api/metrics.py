"""Prometheus metrics of the API."""

from prometheus_client import CollectorRegistry, Counter, Histogram

REGISTRY = CollectorRegistry()
"""Shown by the API alone."""
REQUESTS = Counter(
    "carimbo_http_requests_total",
    "Requests answered. One that is refused before its route is known, as for its credentials, is of the "
    "operation unmatched; one whose caller did not wait has the status none.",
    ["operation", "status"],
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "carimbo_http_request_seconds", "Time to answer a request.", ["operation"], registry=REGISTRY
)
