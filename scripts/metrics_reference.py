"""What docs/reference says of metrics: their names, labels, and which program shows them."""

from collections.abc import Iterator, Mapping

from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.metrics import MetricWrapperBase

import carimbo.main.api
import carimbo.main.worker  # noqa: F401 - what programs show is there once they are put together
from carimbo.api import metrics as api
from carimbo.worker import metrics as worker

OURS = "carimbo_"
PROGRAMS: Mapping[str, CollectorRegistry] = {"API": api.REGISTRY, "worker": worker.REGISTRY, "both": REGISTRY}
"""Which program shows what is in a registry."""


def our_metrics(registry: CollectorRegistry) -> Iterator[MetricWrapperBase]:
    """The metrics of a registry that are ours, in the order in which the code names them."""
    # There is no public way from a registry to what it has.
    for collector in registry._collector_to_names:
        if isinstance(collector, MetricWrapperBase) and collector._name.startswith(OURS):
            yield collector


def shown_name(metric: MetricWrapperBase) -> str:
    """The name that Prometheus knows a metric by, without the endings of a histogram's samples."""
    return f"{metric._name}_total" if metric._type == "counter" else metric._name


def metric_tables() -> list[str]:
    """Every metric with its labels and meaning."""
    rows = [
        _row(program, metric) for program, registry in PROGRAMS.items() for metric in our_metrics(registry)
    ]
    return ["| metric | kind | labels | shown by | meaning |", "|---|---|---|---|---|", *rows]


def _row(program: str, metric: MetricWrapperBase) -> str:
    labels = ", ".join(f"`{label}`" for label in metric._labelnames)
    return f"| `{shown_name(metric)}` | {metric._type} | {labels} | {program} | {metric._documentation} |"
