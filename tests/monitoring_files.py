"""The Prometheus queries of deploy/monitoring."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from documentation import ROOT

FOLDER = ROOT / "deploy" / "monitoring"
_METRIC = re.compile(r"\b(carimbo_\w+|process_\w+|up(?=\{))(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
_GROUPS = re.compile(r"\bby \(([^)]*)\)")


@dataclass(frozen=True)
class MetricQuery:
    """A metric in an expression, with its label matchers."""

    metric: str
    matchers: tuple[tuple[str, str, str], ...]

    @property
    def labels(self) -> set[str]:
        return {label for label, _, _ in self.matchers}

    @property
    def exact(self) -> Iterator[tuple[str, str]]:
        """Labels that must equal a value."""
        return ((label, value) for label, operator, value in self.matchers if operator == "=")


def metrics_in(expression: str) -> list[MetricQuery]:
    """Returns every metric of an expression."""
    matches = _METRIC.finditer(expression)
    return [MetricQuery(match[1], tuple(_MATCHER.findall(match[2] or ""))) for match in matches]


def grouped_in(expression: str) -> set[str]:
    """Returns the labels that an expression groups by."""
    return {label.strip() for group in _GROUPS.findall(expression) for label in group.split(",")}


def read(name: str) -> Any:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return json.loads(text) if name.endswith(".json") else yaml.safe_load(text)


def panels() -> list[dict[str, Any]]:
    """Returns the panels of the dashboard without its rows."""
    return [panel for panel in read("dashboard.json")["panels"] if panel["type"] != "row"]


def alerts() -> list[dict[str, Any]]:
    return [rule for group in read("alerts.yaml")["groups"] for rule in group["rules"]]


def expressions() -> dict[str, str]:
    """Returns every expression by its place."""
    of_panels = {
        f"{panel['id']} {panel['title']} {target['refId']}": target["expr"]
        for panel in panels()
        for target in panel["targets"]
    }
    variables = read("dashboard.json")["templating"]["list"]
    of_variables = {
        f"${entry['name']}": entry["definition"] for entry in variables if entry["type"] == "query"
    }
    return {**of_panels, **of_variables, **{rule["alert"]: rule["expr"] for rule in alerts()}}
