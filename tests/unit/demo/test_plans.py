"""The settings that the demo's processes are started with."""

from pathlib import Path

import pytest

from carimbo.demo.children import DemoLayout, child_plans
from carimbo.demo.ports import Ports

LAYOUT = DemoLayout(Ports(), Path("/data"), "postgresql://")


def settings_by_process(
    name: str, clock_offset: int = 0, *, has_tables: bool = False
) -> dict[str, str | None]:
    plans = child_plans(LAYOUT, "keys", clock_offset, has_tables=has_tables)
    return {plan.name: plan.settings.get(name) for plan in plans}


class TestResponsible:
    def test_sample_responsible_is_passed_to_api_and_worker(self) -> None:
        settings = settings_by_process("responsible_email")
        assert settings == {"simulator": None, "api": "suporte@example.com", "worker": "suporte@example.com"}

    def test_responsible_of_the_environment_is_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CARIMBO_RESPONSIBLE_TAX_ID", "11222333000181")
        plans = child_plans(LAYOUT, "keys", 0, has_tables=False)
        assert not [name for plan in plans for name in plan.settings if name.startswith("responsible_")]


class TestClock:
    def test_clock_is_moved_in_api_and_worker_only(self) -> None:
        settings = settings_by_process("clock_offset_seconds", clock_offset=60)
        assert settings == {"simulator": "0", "api": "60", "worker": "60"}

    def test_clock_ignores_the_environment(self) -> None:
        assert set(settings_by_process("clock_offset_seconds").values()) == {"0"}


class TestTables:
    def test_tables_of_the_demo_are_used_by_every_process(self) -> None:
        assert set(settings_by_process("tables_folder", has_tables=True).values()) == {"/data/tables"}

    def test_tables_of_the_environment_are_kept(self) -> None:
        assert set(settings_by_process("tables_folder").values()) == {None}
