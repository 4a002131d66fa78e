"""Dashboard and alerts ask for what API and worker show, and leave nothing of it out."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from metrics_reference import PROGRAMS, our_metrics, shown_name
from starlette.routing import Route

from carimbo.api import health
from carimbo.settings import PREFIX, Settings
from documentation import ROOT, anchors_of
from monitoring_files import FOLDER, alerts, asked_in, expressions, grouped_in, panels, read

GUIDE = ROOT / "docs" / "howto" / "monitoring.md"
# Given by Prometheus, and by its library in every process.
OF_EVERY_TARGET = {"job", "instance"}
NOT_OURS: Mapping[str, set[str]] = {
    "up": set(),
    "process_resident_memory_bytes": set(),
    "process_cpu_seconds_total": set(),
}


@pytest.fixture(scope="module")
def asked() -> dict[str, str]:
    """Every expression of dashboard and alerts, by its place."""
    return expressions()


@pytest.fixture(scope="module")
def samples() -> dict[str, set[str]]:
    """The name of every sample that a program shows, with its labels."""
    labels_of = dict(NOT_OURS)
    for registry in PROGRAMS.values():
        for metric in our_metrics(registry):
            name, labels = shown_name(metric), set(metric._labelnames)
            if metric._type == "histogram":
                labels_of |= {f"{name}_{end}": labels for end in ("sum", "count")}
                labels_of[f"{name}_bucket"] = labels | {"le"}
            else:
                labels_of[name] = labels
    return labels_of


class TestExpressions:
    def test_ask_for_metrics_that_exist(self, asked: dict[str, str], samples: dict[str, set[str]]) -> None:
        metrics = {place: [one.metric for one in asked_in(text)] for place, text in asked.items()}
        assert all(metrics.values())
        named = [(place, name) for place, names in metrics.items() for name in names]
        assert [(place, name) for place, name in named if name not in samples] == []

    def test_name_labels_that_their_metrics_have(
        self, asked: dict[str, str], samples: dict[str, set[str]]
    ) -> None:
        unknown = []
        for place, text in asked.items():
            labels = [samples.get(one.metric, set()) | OF_EVERY_TARGET for one in asked_in(text)]
            of_matchers = [one.labels - have for one, have in zip(asked_in(text), labels, strict=True)]
            shared: set[str] = set.intersection(*labels)
            of_groups = grouped_in(text) - shared
            unknown += [(place, label) for label in of_groups.union(*of_matchers)]
        assert unknown == []

    def test_use_every_metric_of_ours(self, asked: dict[str, str]) -> None:
        used = " ".join(asked.values())
        ours = [shown_name(metric) for registry in PROGRAMS.values() for metric in our_metrics(registry)]
        assert [name for name in ours if not re.search(rf"\b{name}(_bucket)?\b", used)] == []

    def test_never_add_up_a_number_that_every_worker_shows(self, asked: dict[str, str]) -> None:
        """A gauge is the worker's own, as the time of its last look, or says that all show the same."""
        gauges = [metric for metric in our_metrics(PROGRAMS["worker"]) if metric._type == "gauge"]
        shared = [shown_name(metric) for metric in gauges if "use max" in metric._documentation]
        own = [shown_name(metric) for metric in gauges if shown_name(metric) not in shared]
        assert own == ["carimbo_measured_timestamp_seconds"]
        added_up = [
            (name, place)
            for name in shared
            for place, text in asked.items()
            if text.count(name) != len(re.findall(rf"max(?: by \([^)]*\) )?\((?:delta\()?{name}\b", text))
        ]
        assert added_up == []

    def test_of_errors_leave_out_what_load_balancers_ask(self, asked: dict[str, str]) -> None:
        of_errors = [one for text in asked.values() if 'status=~"5..' in text for one in asked_in(text)]
        of_balancers = "|".join(route.name for route in health.router.routes if isinstance(route, Route))
        assert len(of_errors) == 4
        assert [one for one in of_errors if ("operation", "!~", of_balancers) not in one.matchers] == []

    def test_of_what_is_rare_want_more_than_two_failures(self, asked: dict[str, str]) -> None:
        for alert in ("CarimboAuthorityFailing", "CarimboEmailsFailing"):
            share, _, failures = asked[alert].partition(" and ")
            assert failures.endswith("> 2"), alert
            assert asked_in(failures) == asked_in(share)[:1], alert


class TestDashboard:
    def test_has_no_panel_twice(self) -> None:
        every = [panel["id"] for panel in read("dashboard.json")["panels"]]
        assert len(set(every)) == len(every)

    def test_asks_the_source_that_the_reader_chooses(self) -> None:
        chosen = {"type": "prometheus", "uid": "${datasource}"}
        parts = [(panel["title"], part) for panel in panels() for part in (panel, *panel["targets"])]
        assert [title for title, part in parts if part["datasource"] != chosen] == []


class TestAlerts:
    def test_have_a_severity_and_their_part_of_the_guide(self) -> None:
        parts = anchors_of(GUIDE)
        wrong = []
        for rule in alerts():
            severity_is_known = rule["labels"] in ({"severity": "critical"}, {"severity": "warning"})
            texts_are_whole = set(rule["annotations"]) == {"summary", "description", "runbook"}
            page, _, anchor = rule["annotations"]["runbook"].partition("#")
            leads_to_guide = ROOT / page == GUIDE and anchor == rule["alert"].lower() and anchor in parts
            if not (severity_is_known and texts_are_whole and leads_to_guide):
                wrong.append(rule["alert"])
        assert wrong == []

    def test_of_the_guide_exist(self) -> None:
        headings = re.findall(r"^### (Carimbo\w+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
        assert sorted(headings) == sorted(rule["alert"] for rule in alerts())

    def test_name_settings_routes_commands_and_fields_that_exist(self) -> None:
        routes, commands = (
            (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8")
            for name in ("routes.md", "commands.md")
        )
        code = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py"))
        unknown = []
        for rule in alerts():
            text = f"{rule['annotations']['summary']} {rule['annotations']['description']}"
            settings = re.findall(rf"\b{PREFIX}(\w+)", text)
            named_routes = re.findall(r"(?:GET|POST|PUT|PATCH|DELETE) /[\w/{}]+", text)
            named_commands = re.findall(r"`(carimbo [a-z -]+)`", text)
            fields = re.findall(r"`(\w+)`", text)
            wrong = [name for name in settings if name.lower() not in Settings.model_fields]
            wrong += [route for route in named_routes if f"`{route}`" not in routes]
            wrong += [command for command in named_commands if f"## `{command}`" not in commands]
            wrong += [name for name in fields if f'"{name}"' not in code and f"{name}=" not in code]
            unknown += [(rule["alert"], name) for name in wrong]
        assert unknown == []


@pytest.fixture(scope="module")
def configuration() -> Mapping[str, Any]:
    content: Mapping[str, Any] = read("prometheus.yaml")
    return content


class TestPrometheus:
    def test_scrapes_the_default_ports_of_the_programs(self, configuration: Mapping[str, Any]) -> None:
        settings = Settings()
        targets = {
            job["job_name"]: job["static_configs"][0]["targets"] for job in configuration["scrape_configs"]
        }
        assert targets == {
            "carimbo-api": [f"{settings.metrics_host}:{settings.api_metrics_port}"],
            "carimbo-worker": [f"{settings.metrics_host}:{settings.worker_metrics_port}"],
        }

    def test_has_the_jobs_that_alerts_and_panels_name(
        self, configuration: Mapping[str, Any], asked: dict[str, str]
    ) -> None:
        jobs = [job["job_name"] for job in configuration["scrape_configs"]]
        named = re.findall(r'job=~?"([^"]+)"', " ".join(asked.values()))
        assert named
        assert [pattern for pattern in named if not any(re.fullmatch(pattern, job) for job in jobs)] == []

    def test_reads_the_alerts(self, configuration: Mapping[str, Any]) -> None:
        assert [(FOLDER / name).name for name in configuration["rule_files"]] == ["alerts.yaml"]
