"""Prometheus metrics of the API."""

from prometheus_client import Counter, Histogram

REQUESTS = Counter("carimbo_http_requests_total", "Requests answered.", ["operation", "status"])
REQUEST_SECONDS = Histogram("carimbo_http_request_seconds", "Time to answer a request.", ["operation"])
