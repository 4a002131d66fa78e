"""The operator's switches."""

from datetime import date, timedelta
from decimal import Decimal

import pytest

from carimbo.simulator.calendar import Milestone
from carimbo.simulator.controls import (
    ContingencySwitch,
    Controls,
    InvalidSwitches,
    Switches,
    switches_as_json,
)
from carimbo.simulator.store import Store
from unit.simulator.sample_family import NOW

CODES = {"539", "610"}
EVERYTHING = {
    "outages": {"SP": "109", "SVRS": "108"},
    "contingency": {"SVCAN": "on"},
    "latencySeconds": 0.5,
    "lostAnswers": 0.25,
    "failures": 1,
    "clockOffsetSeconds": -3600,
    "lotSeconds": 0,
    "limits": False,
    "distributionPage": 3,
    "nfseQueriesPerHour": 4,
    "revocationList": False,
    "rulesOff": ["539", "610"],
    "calendar": {"groupRequiredInProduction": "2027-01-04"},
    "cbsRate": 8.7,
    "seed": 42,
}


@pytest.fixture
def switches(store: Store) -> Switches:
    return Switches(store, CODES)


class TestReading:
    def test_untouched_switches_have_the_default_values(self, switches: Switches) -> None:
        assert switches.read() == Controls()

    def test_same_object_is_returned_until_something_changes(self, switches: Switches) -> None:
        first = switches.read()
        assert switches.read() is first
        switches.change({"seed": 0}, NOW)
        assert switches.read() is not first

    def test_switches_are_stored_in_the_file(self, store: Store, switches: Switches) -> None:
        changed = switches.change(EVERYTHING, NOW)
        assert Switches(store, CODES).read() == changed


class TestChange:
    def test_every_switch_can_be_changed(self, switches: Switches) -> None:
        controls = switches.change(EVERYTHING, NOW)
        assert controls == Controls(
            outages={"SP": "109", "SVRS": "108"},
            contingency={"SVCAN": ContingencySwitch.ON},
            latency_seconds=0.5,
            lost_answers=0.25,
            failures=1,
            clock_offset=timedelta(hours=-1),
            lot_seconds=0,
            limits=False,
            distribution_page=3,
            nfse_queries_per_hour=4,
            revocation_list=False,
            rules_off=frozenset({"539", "610"}),
            moved_dates={Milestone.GROUP_REQUIRED_IN_PRODUCTION: date(2027, 1, 4)},
            cbs_rate=Decimal("8.7"),
            seed=42,
        )
        assert switches_as_json(controls) == EVERYTHING

    def test_other_switches_are_left_alone(self, switches: Switches) -> None:
        switches.change(EVERYTHING, NOW)
        switches.change({"seed": 1}, NOW)
        assert switches_as_json(switches.read()) == EVERYTHING | {"seed": 1}

    def test_objects_are_merged_and_null_removes_entries(self, switches: Switches) -> None:
        switches.change({"outages": {"SP": "109"}, "seed": 9}, NOW)
        assert switches.change({"outages": {"RS": "108"}}, NOW).outages == {"SP": "109", "RS": "108"}
        changed = switches.change({"outages": {"SP": None}, "seed": None}, NOW)
        assert (changed.outages, changed.seed) == ({"RS": "108"}, 0)

    def test_null_resets_one_date_of_the_calendar(self, switches: Switches) -> None:
        switches.change({"calendar": {"ratesOf2027": "2027-02-01", "oneIssuerPerReturn": "2026-12-01"}}, NOW)
        changed = switches.change({"calendar": {"ratesOf2027": None}}, NOW)
        assert changed.moved_dates == {Milestone.ONE_ISSUER_PER_RETURN: date(2026, 12, 1)}
        assert changed.calendar.first_day(Milestone.RATES_OF_2027) == date(2027, 1, 1)

    def test_clock_can_be_set_to_a_moment(self, switches: Switches) -> None:
        controls = switches.change({"now": "2027-01-01T00:00:00-03:00"}, NOW)
        assert controls.time_at(NOW).isoformat() == "2027-01-01T03:00:00+00:00"

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("nada", 1),
            ("outages", "109"),
            ("outages", {"SP": "107"}),
            ("outages", {"XX": "109"}),
            ("contingency", ["SVCAN"]),
            ("contingency", {"SVCAN": "maybe"}),
            ("contingency", {"SP": "on"}),
            ("latencySeconds", -1),
            ("latencySeconds", 601),
            ("latencySeconds", "1"),
            ("latencySeconds", {}),
            ("lostAnswers", 1.01),
            ("lostAnswers", True),
            ("failures", float("nan")),
            ("clockOffsetSeconds", 1e12),
            ("now", "amanhã"),
            ("now", "2026-01-31T10:00:00"),
            ("now", 5),
            ("now", "2126-01-31T10:00:00Z"),
            ("lotSeconds", -1),
            ("limits", 1),
            ("distributionPage", 0),
            ("distributionPage", 51),
            ("distributionPage", 2.5),
            ("nfseQueriesPerHour", -1),
            ("revocationList", "true"),
            ("rulesOff", "610"),
            ("rulesOff", [610]),
            ("rulesOff", ["61"]),
            ("rulesOff", ["9999"]),
            ("rulesOff", ["610", "999"]),
            ("calendar", "2027-01-01"),
            ("calendar", {"nada": "2027-01-01"}),
            ("calendar", {"ratesOf2027": "amanhã"}),
            ("calendar", {"ratesOf2027": 2027}),
            ("cbsRate", -1),
            ("cbsRate", 100.5),
            ("cbsRate", "11.11"),
            ("seed", 1.5),
            ("seed", False),
            ("seed", -1),
        ],
    )
    def test_invalid_value_is_refused_and_changes_nothing(
        self, switches: Switches, name: str, value: object
    ) -> None:
        before = switches.read()
        with pytest.raises(InvalidSwitches, match=rf"^{name}: .+\.$"):
            switches.change({"seed": 5, name: value} if name != "seed" else {name: value}, NOW)
        assert switches.read() is before

    def test_every_problem_is_reported_at_once(self, switches: Switches) -> None:
        with pytest.raises(InvalidSwitches) as raised:
            switches.change({"failures": 2, "nada": 1, "limits": None}, NOW)
        assert raised.value.problems == [
            "failures: deve ser um número de 0 a 1.",
            "nada: este controle não existe.",
        ]


class TestRulesOff:
    def test_unknown_rule_codes_are_reported(self, switches: Switches) -> None:
        with pytest.raises(InvalidSwitches, match=r"^rulesOff: nenhuma regra tem o código 204, 999\.$"):
            switches.change({"rulesOff": ["999", "610", "204"]}, NOW)

    def test_rule_stays_off_when_it_no_longer_exists(self, store: Store, switches: Switches) -> None:
        """A file that was written by another version can still be read."""
        switches.change({"rulesOff": ["610"]}, NOW)
        assert Switches(store, frozenset()).read().rules_off == {"610"}

    def test_null_switches_all_rules_on(self, switches: Switches) -> None:
        switches.change({"rulesOff": ["610"]}, NOW)
        assert switches.change({"rulesOff": None}, NOW).rules_off == frozenset()


class TestReset:
    def test_reset_restores_every_default(self, store: Store, switches: Switches) -> None:
        switches.change(EVERYTHING, NOW)
        switches.reset()
        assert switches.read() == Switches(store, CODES).read() == Controls()
