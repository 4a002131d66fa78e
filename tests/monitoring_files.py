"""What deploy/monitoring asks Prometheus for."""

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
