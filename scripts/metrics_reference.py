"""The tables of docs/reference about metrics: names, labels, and the programs that export them."""

from collections.abc import Iterator, Mapping

from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

import carimbo.main.api
import carimbo.main.worker  # noqa: F401 - the imports register the metrics
from carimbo.api import middleware as api
from carimbo.worker import metrics as worker

OURS = "carimbo_"
PROGRAMS: Mapping[str, CollectorRegistry] = {"API": api.REGISTRY, "worker": worker.REGISTRY, "both": REGISTRY}
"""The registry of each program."""


def our_metrics(registry: CollectorRegistry) -> Iterator[MetricWrapperBase]:
    """Yields our metrics in a registry, in the order of the code."""
    # A registry has no public access to its metrics.
    for collector in registry._collector_to_names:
        if isinstance(collector, MetricWrapperBase) and collector._name.startswith(OURS):
            yield collector


def shown_name(metric: MetricWrapperBase) -> str:
    """Returns the name of a metric in Prometheus, without the suffixes of a histogram's samples."""
    return f"{metric._name}_total" if metric._type == "counter" else metric._name


def metric_tables() -> list[str]:
    """Returns a table of every metric with its labels and meaning."""
    rows = [
        _row(program, metric) for program, registry in PROGRAMS.items() for metric in our_metrics(registry)
    ]
    return ["| metric | type | labels | exported by | meaning |", "|---|---|---|---|---|", *rows]


def _row(program: str, metric: MetricWrapperBase) -> str:
    labels = ", ".join(f"`{label}`" for label in metric._labelnames)
    return f"| `{shown_name(metric)}` | {metric._type} | {labels} | {program} | {metric._documentation} |"
