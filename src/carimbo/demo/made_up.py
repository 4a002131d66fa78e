"""Facts that the demo makes up: another date and time (`--now`), and the CBS rate that no act has fixed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import httpx2

from carimbo.demo.folder import write_private
from carimbo.fiscal.tables.ibs_cbs import IBS_CBS_RATES, IbsCbsRate, ReformTax

_SWITCH = "clockOffsetSeconds"
_FARTHEST = timedelta(days=3650)


class ClockProblem(Exception):
    """The clock can't be set to the given time; the message is one sentence for the user."""


def read_moment(text: str) -> datetime:
    """Returns the date and time at which the demo's clock begins. Raises ClockProblem."""
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
    """The clock of the simulator's panel, and a file in the demo's folder with what the demo set it to."""

    def __init__(self, panel_url: str, folder: Path) -> None:
        self._controls_url = f"{panel_url}/controls"
        self._file = folder / "clock-offset"

    def has_to_change(self, offset_seconds: int) -> bool:
        """Returns whether the demo runs at another time, or an earlier run of it did."""
        return bool(offset_seconds) or self._file.exists()

    async def set(self, offset_seconds: int) -> None:
        """Sets the clock; zero undoes only what an earlier run set, not what the user set since."""
        # A proxy of the environment does not lead to this machine.
        async with httpx2.AsyncClient(trust_env=False) as client:
            if offset_seconds:
                write_private(self._file, str(offset_seconds))
                change: int | None = offset_seconds
            else:
                current = (await client.get(self._controls_url)).raise_for_status().json()[_SWITCH]
                change = None if current == int(self._file.read_text()) else current
            answer = await client.patch(self._controls_url, json={_SWITCH: change})
            answer.raise_for_status()
        if not offset_seconds:
            self._file.unlink()


MADE_UP_RATE = Decimal("11.11")
"""In percent; no proposal is near it, so nobody takes it for a real one."""
_SOURCE = "demonstração do carimbo: a alíquota desconhecida da CBS é inventada e não vale fora dela"


def write_made_up_rate(tables_folder: Path) -> Path | None:
    """Writes the table of rates with the made-up rate where the CBS rate is unknown, and returns its file.

    If all CBS rates are known, returns None and removes the file that an earlier version wrote.
    """
    file = tables_folder / f"{IBS_CBS_RATES.name}.csv"
    rates = IBS_CBS_RATES.rows.values()
    if not any(map(_is_unknown, rates)):
        file.unlink(missing_ok=True)
        return None
    # The later date puts this file in force instead of the included one.
    day = IBS_CBS_RATES.about.date + timedelta(days=1)
    filled = [replace(rate, rate=MADE_UP_RATE) if _is_unknown(rate) else rate for rate in rates]
    tables_folder.mkdir(exist_ok=True)
    file.write_text(IBS_CBS_RATES.text_of(_SOURCE, day, filled), encoding="utf-8")
    return file


def _is_unknown(rate: IbsCbsRate) -> bool:
    return rate.tax is ReformTax.CBS and rate.rate is None
