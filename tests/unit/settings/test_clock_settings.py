"""The clock of the service, which moves only with the simulator."""

from datetime import timedelta

from carimbo.settings import load_settings
from unit.settings.needed_settings import NEEDED, problems_of

MOVED = NEEDED | {"CARIMBO_CLOCK_OFFSET_SECONDS": "3600"}
SIMULATOR = {"CARIMBO_SIMULATOR_URL": "https://127.0.0.1:8443"}


class TestClockOffset:
    def test_clock_offset_is_unset_by_default(self) -> None:
        assert load_settings(NEEDED).clock_offset == timedelta()

    def test_clock_offset_is_accepted_with_the_simulator(self) -> None:
        assert load_settings(MOVED | SIMULATOR).clock_offset == timedelta(hours=1)

    def test_clock_offset_is_refused_without_the_simulator(self) -> None:
        for simulator in ({}, {"CARIMBO_SIMULATOR_URL": ""}):
            assert problems_of(MOVED | simulator)[:1] == [
                "CARIMBO_CLOCK_OFFSET_SECONDS: o relógio só pode ser mudado com o simulador"
                " (CARIMBO_SIMULATOR_URL)"
            ]

    def test_clock_offset_of_zero_needs_no_simulator(self) -> None:
        settings = load_settings(NEEDED | {"CARIMBO_CLOCK_OFFSET_SECONDS": "0"})
        assert settings.clock_offset == timedelta()
