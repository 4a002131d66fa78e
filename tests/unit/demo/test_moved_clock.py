"""The moment that a demo begins at, and the clock of its simulator."""

import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest

from carimbo.demo.made_up import ClockProblem, PanelClock, read_moment
from carimbo.simulator.program.certificates import CertificateFolder
from carimbo.simulator.program.run import Simulator, running


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificates of a simulator, whose keys take a second to make."""
    folder = tmp_path_factory.mktemp("simulator")
    CertificateFolder.open(folder, datetime.now(UTC))
    return folder


class TestMoment:
    def test_start_moment_is_read_with_its_offset(self) -> None:
        assert read_moment("2026-12-31T23:50:00-03:00") == datetime(2027, 1, 1, 2, 50, tzinfo=UTC)

    @pytest.mark.parametrize("text", ["amanhã", "2026-12-31", "2026-12-31T23:50:00", "1999-12-31T23:50:00Z"])
    def test_unusable_start_moment_is_reported_in_one_sentence(self, text: str) -> None:
        with pytest.raises(ClockProblem) as refused:
            read_moment(text)
        assert str(refused.value).startswith(f"«{text}»") and "--now" in str(refused.value)


class TestPanelClock:
    @pytest.fixture
    async def simulator(self, tmp_path: Path, certificates: Path) -> AsyncIterator[Simulator]:
        async with running(shutil.copytree(certificates, tmp_path / "simulator")) as simulator:
            yield simulator

    @pytest.fixture
    def clock(self, simulator: Simulator, tmp_path: Path) -> PanelClock:
        return PanelClock(simulator.control_url, tmp_path)

    def offset(self, simulator: Simulator) -> float:
        return simulator.site.switches.read().clock_offset.total_seconds()

    async def test_panel_clock_is_set_and_reset_by_the_next_demo_without_a_moment(
        self, simulator: Simulator, clock: PanelClock
    ) -> None:
        await clock.set(3600)
        assert self.offset(simulator) == 3600
        assert clock.has_to_change(0)
        await clock.set(0)
        assert self.offset(simulator) == 0
        assert not clock.has_to_change(0)

    async def test_panel_clock_that_the_user_changed_is_kept(
        self, simulator: Simulator, clock: PanelClock
    ) -> None:
        await clock.set(3600)
        async with httpx2.AsyncClient(base_url=simulator.control_url) as client:
            await client.patch("/controls", json={"clockOffsetSeconds": 60})
        await clock.set(0)
        assert self.offset(simulator) == 60
        assert not clock.has_to_change(0)
