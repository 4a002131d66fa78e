"""The metrics of ours that a program shows, and those that the reference says it does."""

import httpx2
from metrics_reference import OURS, PROGRAMS, our_metrics, shown_name
from prometheus_client.parser import text_string_to_metric_families


def names_of(program: str) -> set[str]:
    """What the reference says that a program shows."""
    return {shown_name(metric) for metric in our_metrics(PROGRAMS[program])}


def names_shown_at(url: str) -> set[str]:
    """What is really shown: also what has no sample yet, for its labels had no value."""
    families = text_string_to_metric_families(httpx2.get(url).text)
    ours = [family for family in families if family.name.startswith(OURS)]
    return {f"{family.name}_total" if family.type == "counter" else family.name for family in ours}
