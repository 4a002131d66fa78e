"""The settings that the demo's processes are started with."""

from pathlib import Path

import pytest

from carimbo.demo.plans import DemoLayout, child_plans
from carimbo.demo.ports import Ports

LAYOUT = DemoLayout(Ports(), Path("/data"), "postgresql://")


def settings_by_process(
    name: str, clock_offset: int = 0, *, has_tables: bool = False
) -> dict[str, str | None]:
    plans = child_plans(LAYOUT, "keys", clock_offset, has_tables=has_tables)
    return {plan.name: plan.settings.get(name) for plan in plans}


class TestResponsible:
    def test_a_sample_one_is_told_to_api_and_worker(self) -> None:
        told = settings_by_process("responsible_email")
        assert told == {"simulator": None, "api": "suporte@example.com", "worker": "suporte@example.com"}

    def test_that_of_the_environment_stays(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CARIMBO_RESPONSIBLE_TAX_ID", "11222333000181")
        plans = child_plans(LAYOUT, "keys", 0, has_tables=False)
        assert not [name for plan in plans for name in plan.settings if name.startswith("responsible_")]


class TestClock:
    def test_is_moved_in_api_and_worker_alone(self) -> None:
        told = settings_by_process("clock_offset_seconds", clock_offset=60)
        assert told == {"simulator": "0", "api": "60", "worker": "60"}

    def test_is_the_machines_whatever_the_environment_says(self) -> None:
        assert set(settings_by_process("clock_offset_seconds").values()) == {"0"}


class TestTables:
    def test_of_the_demo_are_used_by_every_process(self) -> None:
        assert set(settings_by_process("tables_folder", has_tables=True).values()) == {"/data/tables"}

    def test_of_the_environment_stay(self) -> None:
        assert set(settings_by_process("tables_folder").values()) == {None}
