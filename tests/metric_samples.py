"""What this process shows to Prometheus."""

import asyncio

from prometheus_client import REGISTRY

from carimbo.worker import metrics

PATIENCE = 30.0


def shown(name: str, **labels: str) -> float | None:
    """The number that a metric of ours has; None where it has none."""
    samples = (one.get_sample_value(f"carimbo_{name}", labels) for one in (metrics.REGISTRY, REGISTRY))
    return next((sample for sample in samples if sample is not None), None)


async def until_risen(name: str, since: float | None, **labels: str) -> None:
    """Wait for a counter to count one more: it does so after what it counts was written."""
    async with asyncio.timeout(PATIENCE):
        while shown(name, **labels) != (since or 0) + 1:  # noqa: ASYNC110 - a counter tells nobody
            await asyncio.sleep(0.01)
