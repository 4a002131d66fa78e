"""The metrics that programs show to Prometheus, that the reference lists, and that `monitoring/` uses."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import yaml
from metrics_reference import OURS, PROGRAMS, our_metrics, shown_name
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from carimbo.worker import metrics
from documentation import ROOT
from support import PATIENCE

FOLDER = ROOT / "deploy" / "monitoring"
_METRIC = re.compile(r"\b(carimbo_\w+|process_\w+|up(?=\{))(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
_GROUPS = re.compile(r"\bby \(([^)]*)\)")


def shown(name: str, **labels: str) -> float | None:
    """Returns the value of a metric of ours in this process, or None where it has none."""
    registries = (metrics.REGISTRY, REGISTRY)
    samples = (registry.get_sample_value(f"carimbo_{name}", labels) for registry in registries)
    return next((sample for sample in samples if sample is not None), None)


async def until_risen(name: str, since: float | None, **labels: str) -> None:
    """Waits for a counter to count one more: it does so after what it counts was written."""
    async with asyncio.timeout(PATIENCE):
        while shown(name, **labels) != (since or 0) + 1:  # noqa: ASYNC110 - a counter tells nobody
            await asyncio.sleep(0.01)


def names_of(program: str) -> set[str]:
    """Returns the names that the reference lists for a program."""
    return {shown_name(metric) for metric in our_metrics(PROGRAMS[program])}


def names_shown_at(url: str) -> set[str]:
    """Returns the names that a program shows, also of metrics without a sample yet."""
    families = text_string_to_metric_families(httpx2.get(url).text)
    ours = [family for family in families if family.name.startswith(OURS)]
    return {f"{family.name}_total" if family.type == "counter" else family.name for family in ours}


@dataclass(frozen=True)
class Asked:
    """A metric in an expression, with what its labels are held against."""

    metric: str
    matchers: tuple[tuple[str, str, str], ...]

    @property
    def labels(self) -> set[str]:
        return {label for label, _, _ in self.matchers}

    @property
    def exact(self) -> Iterator[tuple[str, str]]:
        """Labels that must have a value."""
        return ((label, value) for label, operator, value in self.matchers if operator == "=")


def asked_in(expression: str) -> list[Asked]:
    """Every metric of an expression."""
    found = _METRIC.finditer(expression)
    return [Asked(one[1], tuple(_MATCHER.findall(one[2] or ""))) for one in found]


def grouped_in(expression: str) -> set[str]:
    """The labels that an expression groups by."""
    return {label.strip() for group in _GROUPS.findall(expression) for label in group.split(",")}


def read(name: str) -> Any:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def panels() -> list[dict[str, Any]]:
    """What the dashboard draws, without the rows that it is divided into."""
    return [panel for panel in read("dashboard.json")["panels"] if panel["type"] != "row"]


def alerts() -> list[dict[str, Any]]:
    return [rule for group in read("alerts.yaml")["groups"] for rule in group["rules"]]


def expressions() -> dict[str, str]:
    """Every expression, by where it stands."""
    of_panels = {
        f"{panel['id']} {panel['title']} {target['refId']}": target["expr"]
        for panel in panels()
        for target in panel["targets"]
    }
    variables = read("dashboard.json")["templating"]["list"]
    of_variables = {f"${one['name']}": one["definition"] for one in variables if one["type"] == "query"}
    return {**of_panels, **of_variables, **{rule["alert"]: rule["expr"] for rule in alerts()}}
