"""Dashboard and alerts query existing metrics of API and worker, and use all of them."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from metrics_reference import PROGRAMS, our_metrics, shown_name
from starlette.routing import Route

from carimbo.api import app
from carimbo.settings import PREFIX, Settings
from documentation import ROOT, anchors_of
from monitoring_files import FOLDER, alerts, expressions, grouped_in, metrics_in, panels, read

GUIDE = ROOT / "docs" / "howto" / "monitoring.md"
# Added by Prometheus, and by its library in every process.
OF_EVERY_TARGET = {"job", "instance"}
NOT_OURS: Mapping[str, set[str]] = {
    "up": set(),
    "process_resident_memory_bytes": set(),
    "process_cpu_seconds_total": set(),
}


@pytest.fixture(scope="module")
def queries() -> dict[str, str]:
    """Returns every expression of dashboard and alerts, by its place."""
    return expressions()


@pytest.fixture(scope="module")
def samples() -> dict[str, set[str]]:
    """Returns the name of every exported sample, with its labels."""
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
    def test_expressions_query_existing_metrics(
        self, queries: dict[str, str], samples: dict[str, set[str]]
    ) -> None:
        metrics = {place: [metric.metric for metric in metrics_in(text)] for place, text in queries.items()}
        assert all(metrics.values())
        named = [(place, name) for place, names in metrics.items() for name in names]
        assert [(place, name) for place, name in named if name not in samples] == []

    def test_expressions_use_labels_that_their_metrics_have(
        self, queries: dict[str, str], samples: dict[str, set[str]]
    ) -> None:
        unknown = []
        for place, text in queries.items():
            labels = [samples.get(metric.metric, set()) | OF_EVERY_TARGET for metric in metrics_in(text)]
            of_matchers = [
                metric.labels - have for metric, have in zip(metrics_in(text), labels, strict=True)
            ]
            shared: set[str] = set.intersection(*labels)
            of_groups = grouped_in(text) - shared
            unknown += [(place, label) for label in of_groups.union(*of_matchers)]
        assert unknown == []

    def test_expressions_use_every_metric_of_ours(self, queries: dict[str, str]) -> None:
        used = " ".join(queries.values())
        ours = [shown_name(metric) for registry in PROGRAMS.values() for metric in our_metrics(registry)]
        assert [name for name in ours if not re.search(rf"\b{name}(_bucket)?\b", used)] == []

    def test_expressions_never_sum_a_gauge_that_every_worker_exports(self, queries: dict[str, str]) -> None:
        """A gauge belongs to one worker, or its description says that all workers export the same value."""
        gauges = [metric for metric in our_metrics(PROGRAMS["worker"]) if metric._type == "gauge"]
        shared = [shown_name(metric) for metric in gauges if "use max" in metric._documentation]
        own = [shown_name(metric) for metric in gauges if shown_name(metric) not in shared]
        assert own == ["carimbo_measured_timestamp_seconds"]
        added_up = [
            (name, place)
            for name in shared
            for place, text in queries.items()
            if text.count(name) != len(re.findall(rf"max(?: by \([^)]*\) )?\((?:delta\()?{name}\b", text))
        ]
        assert added_up == []

    def test_error_rates_exclude_health_checks(self, queries: dict[str, str]) -> None:
        of_errors = [
            metric for text in queries.values() if 'status=~"5..' in text for metric in metrics_in(text)
        ]
        of_balancers = "|".join(route.name for route in app.health_router.routes if isinstance(route, Route))
        assert len(of_errors) == 4
        assert [
            metric for metric in of_errors if ("operation", "!~", of_balancers) not in metric.matchers
        ] == []

    def test_alerts_on_rare_requests_need_more_than_two_failures(self, queries: dict[str, str]) -> None:
        for alert in ("CarimboAuthorityFailing", "CarimboEmailsFailing"):
            share, _, failures = queries[alert].partition(" and ")
            assert failures.endswith("> 2"), alert
            assert metrics_in(failures) == metrics_in(share)[:1], alert


class TestDashboard:
    def test_dashboard_has_no_panel_twice(self) -> None:
        every = [panel["id"] for panel in read("dashboard.json")["panels"]]
        assert len(set(every)) == len(every)

    def test_dashboard_queries_the_chosen_data_source(self) -> None:
        chosen = {"type": "prometheus", "uid": "${datasource}"}
        parts = [(panel["title"], part) for panel in panels() for part in (panel, *panel["targets"])]
        assert [title for title, part in parts if part["datasource"] != chosen] == []


class TestAlerts:
    def test_alerts_have_a_severity_and_a_section_of_the_guide(self) -> None:
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

    def test_alerts_named_in_the_guide_exist(self) -> None:
        headings = re.findall(r"^### (Carimbo\w+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
        assert sorted(headings) == sorted(rule["alert"] for rule in alerts())

    def test_alerts_name_existing_settings_routes_commands_and_fields(self) -> None:
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
    def test_prometheus_scrapes_the_default_ports_of_the_programs(
        self, configuration: Mapping[str, Any]
    ) -> None:
        settings = Settings()
        targets = {
            job["job_name"]: job["static_configs"][0]["targets"] for job in configuration["scrape_configs"]
        }
        assert targets == {
            "carimbo-api": [f"{settings.metrics_host}:{settings.api_metrics_port}"],
            "carimbo-worker": [f"{settings.metrics_host}:{settings.worker_metrics_port}"],
        }

    def test_prometheus_has_the_jobs_that_alerts_and_panels_name(
        self, configuration: Mapping[str, Any], queries: dict[str, str]
    ) -> None:
        jobs = [job["job_name"] for job in configuration["scrape_configs"]]
        named = re.findall(r'job=~?"([^"]+)"', " ".join(queries.values()))
        assert named
        assert [pattern for pattern in named if not any(re.fullmatch(pattern, job) for job in jobs)] == []

    def test_prometheus_reads_the_alerts(self, configuration: Mapping[str, Any]) -> None:
        assert [(FOLDER / name).name for name in configuration["rule_files"]] == ["alerts.yaml"]
