"""The clock of a demo that begins at another moment (`--now`), in the service and in the simulator."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2

from carimbo.demo.folder import write_private

_SWITCH = "clockOffsetSeconds"
_FARTHEST = timedelta(days=3650)


class ClockProblem(Exception):
    """The clock can't be set to the moment; the message is one sentence for the user."""


def read_moment(text: str) -> datetime:
    """Reads the moment that a demo begins at. Raises ClockProblem."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ClockProblem(f"«{text}» não é um momento com fuso, como --now 2026-12-31T23:50:00-03:00.")
    if abs(moment - datetime.now(UTC)) > _FARTHEST:
        raise ClockProblem(f"«{text}» (--now) fica a mais de dez anos de hoje.")
    return moment


class PanelClock:
    """The clock of the simulator's panel, and a note in the demo's folder of what the demo set it to."""

    def __init__(self, panel_url: str, folder: Path) -> None:
        self._controls_url = f"{panel_url}/controls"
        self._note = folder / "clock-offset"

    def has_to_change(self, offset_seconds: int) -> bool:
        """Returns whether the demo begins at another moment, or an earlier run of it did."""
        return bool(offset_seconds) or self._note.exists()

    async def set(self, offset_seconds: int) -> None:
        """Sets the clock; zero takes back only what an earlier run set, not what the user did since."""
        # A proxy of the environment does not lead to this machine.
        async with httpx2.AsyncClient(trust_env=False) as client:
            if offset_seconds:
                write_private(self._note, str(offset_seconds))
                change: int | None = offset_seconds
            else:
                current = (await client.get(self._controls_url)).raise_for_status().json()[_SWITCH]
                change = None if current == int(self._note.read_text()) else current
            answer = await client.patch(self._controls_url, json={_SWITCH: change})
            answer.raise_for_status()
        if not offset_seconds:
            self._note.unlink()
