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

EXPRESSIONS = expressions()
ALERTS = {rule["alert"]: rule for rule in alerts()}
GUIDE = ROOT / "docs" / "howto" / "monitoring.md"
SOURCES = "\n".join(file.read_text(encoding="utf-8") for file in sorted((ROOT / "src").rglob("*.py")))
# Given by Prometheus, and by its library in every process.
OF_EVERY_TARGET = {"job", "instance"}
NOT_OURS: Mapping[str, set[str]] = {
    "up": set(),
    "process_resident_memory_bytes": set(),
    "process_cpu_seconds_total": set(),
}


def samples() -> dict[str, set[str]]:
    """The name of everything that is shown, with its labels."""
    found = dict(NOT_OURS)
    for registry in PROGRAMS.values():
        for metric in our_metrics(registry):
            name, labels = shown_name(metric), set(metric._labelnames)
            if metric._type == "histogram":
                found |= {f"{name}_bucket": labels | {"le"}, f"{name}_sum": labels, f"{name}_count": labels}
            else:
                found[name] = labels
    return found


SAMPLES = samples()


def told(alert: str) -> str:
    annotations: dict[str, str] = ALERTS[alert]["annotations"]
    return f"{annotations['summary']} {annotations['description']}"


class TestExpressions:
    @pytest.mark.parametrize("place", sorted(EXPRESSIONS))
    def test_ask_for_metrics_that_there_are(self, place: str) -> None:
        asked = asked_in(EXPRESSIONS[place])
        assert asked
        assert [one.metric for one in asked if one.metric not in SAMPLES] == []

    @pytest.mark.parametrize("place", sorted(EXPRESSIONS))
    def test_name_labels_that_their_metrics_have(self, place: str) -> None:
        expression = EXPRESSIONS[place]
        asked = asked_in(expression)
        for one in asked:
            assert one.labels <= SAMPLES[one.metric] | OF_EVERY_TARGET
        have = set.intersection(*(SAMPLES[one.metric] for one in asked)) | OF_EVERY_TARGET
        assert grouped_in(expression) <= have

    def test_use_every_metric_of_ours(self) -> None:
        used = " ".join(EXPRESSIONS.values())
        ours = [shown_name(metric) for registry in PROGRAMS.values() for metric in our_metrics(registry)]
        assert [name for name in ours if not re.search(rf"\b{name}(_bucket)?\b", used)] == []

    @pytest.mark.parametrize(
        "name",
        [
            shown_name(metric)
            for metric in our_metrics(PROGRAMS["worker"])
            if "use max" in metric._documentation
        ],
    )
    def test_never_add_up_what_every_worker_shows(self, name: str) -> None:
        used = [expression for expression in EXPRESSIONS.values() if name in expression]
        largest = rf"max(?: by \([^)]*\) )?\((?:delta\()?{name}\b"
        assert [one for one in used if len(re.findall(largest, one)) != one.count(name)] == []

    def test_of_gauges_tell_how_several_workers_are_read(self) -> None:
        """A gauge is each worker's own, as the moment of its last look, or it says that all show the same."""
        gauges = [one for one in our_metrics(PROGRAMS["worker"]) if one._type == "gauge"]
        own = [shown_name(one) for one in gauges if "use max" not in one._documentation]
        assert own == ["carimbo_measured_timestamp_seconds"]

    def test_of_errors_leave_out_what_load_balancers_ask(self) -> None:
        asked = [
            one
            for expression in EXPRESSIONS.values()
            if 'status=~"5..' in expression
            for one in asked_in(expression)
        ]
        of_balancers = "|".join(route.name for route in health.router.routes if isinstance(route, Route))
        assert len(asked) == 4
        assert [one for one in asked if ("operation", "!~", of_balancers) not in one.matchers] == []

    @pytest.mark.parametrize("alert", ["CarimboAuthorityFailing", "CarimboEmailsFailing"])
    def test_of_what_is_rare_want_more_than_two_failures(self, alert: str) -> None:
        share, _, failures = EXPRESSIONS[alert].partition(" and ")
        assert failures.endswith("> 2")
        (counted,) = asked_in(failures)
        assert counted == asked_in(share)[0]


class TestDashboard:
    def test_has_no_panel_twice(self) -> None:
        every = [panel["id"] for panel in read("dashboard.json")["panels"]]
        assert len(set(every)) == len(every)

    def test_asks_the_source_that_the_reader_chooses(self) -> None:
        chosen = {"type": "prometheus", "uid": "${datasource}"}
        for panel in panels():
            assert [panel["datasource"], *(one["datasource"] for one in panel["targets"])] == [chosen] * (
                1 + len(panel["targets"])
            )

    def test_panels_do_not_overlap(self) -> None:
        taken: set[tuple[int, int]] = set()
        for panel in read("dashboard.json")["panels"]:
            place = panel["gridPos"]
            columns, lines = (
                range(place["x"], place["x"] + place["w"]),
                range(place["y"], place["y"] + place["h"]),
            )
            cells = {(column, line) for column in columns for line in lines}
            assert max(columns) < 24
            assert not cells & taken
            taken |= cells


@pytest.mark.parametrize("alert", sorted(ALERTS))
class TestAlert:
    def test_says_how_urgent_it_is_and_what_to_do(self, alert: str) -> None:
        rule = ALERTS[alert]
        assert rule["labels"] == {"severity": rule["labels"]["severity"]}
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert set(rule["annotations"]) == {"summary", "description", "runbook"}

    def test_leads_to_its_part_of_the_guide(self, alert: str) -> None:
        page, _, anchor = ALERTS[alert]["annotations"]["runbook"].partition("#")
        assert ROOT / page == GUIDE
        assert anchor == alert.lower()
        assert anchor in anchors_of(GUIDE)

    def test_names_settings_that_there_are(self, alert: str) -> None:
        named = re.findall(rf"\b{PREFIX}(\w+)", told(alert))
        assert [name for name in named if name.lower() not in Settings.model_fields] == []

    def test_names_routes_that_there_are(self, alert: str) -> None:
        routes = (ROOT / "docs" / "reference" / "routes.md").read_text(encoding="utf-8")
        named = re.findall(r"(?:GET|POST|PUT|PATCH|DELETE) /[\w/{}]+", told(alert))
        assert [route for route in named if f"`{route}`" not in routes] == []

    def test_names_commands_that_there_are(self, alert: str) -> None:
        commands = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
        named = re.findall(r"`(carimbo [a-z -]+)`", told(alert))
        assert [command for command in named if f"## `{command}`" not in commands] == []

    def test_names_what_logs_and_metrics_have(self, alert: str) -> None:
        named = re.findall(r"`(\w+)`", told(alert))
        assert [word for word in named if f'"{word}"' not in SOURCES and f"{word}=" not in SOURCES] == []


class TestGuide:
    def test_has_no_alert_that_there_is_not(self) -> None:
        headings = re.findall(r"^### (Carimbo\w+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
        assert sorted(headings) == sorted(ALERTS)


class TestPrometheus:
    CONFIGURATION: Mapping[str, Any] = read("prometheus.yaml")

    def test_scrapes_the_ports_that_programs_have_unless_told_otherwise(self) -> None:
        settings = Settings()
        targets = {
            job["job_name"]: job["static_configs"][0]["targets"]
            for job in self.CONFIGURATION["scrape_configs"]
        }
        assert targets == {
            "carimbo-api": [f"{settings.metrics_host}:{settings.api_metrics_port}"],
            "carimbo-worker": [f"{settings.metrics_host}:{settings.worker_metrics_port}"],
        }

    def test_knows_the_jobs_that_alerts_and_panels_name(self) -> None:
        jobs = [job["job_name"] for job in self.CONFIGURATION["scrape_configs"]]
        named = re.findall(r'job=~?"([^"]+)"', " ".join(EXPRESSIONS.values()))
        assert named
        assert [pattern for pattern in named if not any(re.fullmatch(pattern, job) for job in jobs)] == []

    def test_reads_the_alerts(self) -> None:
        assert [(FOLDER / name).name for name in self.CONFIGURATION["rule_files"]] == ["alerts.yaml"]
