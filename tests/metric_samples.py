"""The metrics that programs export to Prometheus, and those that the reference lists."""

import asyncio

import httpx2
from metrics_reference import OURS, PROGRAMS, our_metrics, shown_name
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from carimbo.worker import metrics
from support import TIMEOUT_SECONDS


def shown(name: str, **labels: str) -> float | None:
    """Returns the value of a metric of ours in this process, or None where it has none."""
    registries = (metrics.REGISTRY, REGISTRY)
    samples = (registry.get_sample_value(f"carimbo_{name}", labels) for registry in registries)
    return next((sample for sample in samples if sample is not None), None)


async def until_risen(name: str, since: float | None, **labels: str) -> None:
    """Waits until a counter has risen by one, which happens after the counted write."""
    async with asyncio.timeout(TIMEOUT_SECONDS):
        while shown(name, **labels) != (since or 0) + 1:  # noqa: ASYNC110 - a counter has no event
            await asyncio.sleep(0.01)


def names_of(program: str) -> set[str]:
    """Returns the names that the reference lists for a program."""
    return {shown_name(metric) for metric in our_metrics(PROGRAMS[program])}


def names_shown_at(url: str) -> set[str]:
    """Returns the names that a program exports, including metrics without a sample yet."""
    families = text_string_to_metric_families(httpx2.get(url).text)
    ours = [family for family in families if family.name.startswith(OURS)]
    return {f"{family.name}_total" if family.type == "counter" else family.name for family in ours}
