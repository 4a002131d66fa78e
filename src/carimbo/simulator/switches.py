"""The switches of the operator, kept in the store as JSON."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.fiscal.tables.endpoints import is_authorizer
from carimbo.simulator.calendar import FAKE_CBS_RATE, Milestone
from carimbo.simulator.controls import Contingency, Controls
from carimbo.simulator.store import Store

_LONGEST_LATENCY = 600
_LONGEST_LOT = 86_400
_FARTHEST_CLOCK = 10 * 366 * 86_400
_GREATEST_SEED = 2**53
_OUTAGES = ("108", "109")
_CODE = re.compile("[0-9]{3,4}|E[0-9]{4}")
_NOW, _CLOCK, _RULES_OFF = "now", "clockOffsetSeconds", "rulesOff"


class WrongSwitches(ValueError):
    """What was asked for cannot be switched; every reason is told, in Portuguese."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class Switches:
    """What the operator has switched; what nobody has touched is as `Controls` has it."""

    def __init__(self, store: Store, codes: Collection[str]) -> None:
        """`codes`: those of the rules that there are to switch off."""
        self._store = store
        self._codes = codes
        self._controls: Controls | None = None

    def read(self) -> Controls:
        """The switches as they are: the same object until one is changed."""
        if self._controls is None:
            stored = self._stored()
            self._controls = Controls(
                **{one.attribute: one.read(stored[name]) for name, one in SWITCHES.items() if name in stored}
            )
        return self._controls

    def change(self, changes: Mapping[str, Any], at: datetime) -> Controls:
        """Change all that is named, or raise WrongSwitches and change nothing; `at` is the real moment.

        An object is merged into the one that there is, and null puts back what nobody has touched (RFC 7396).
        """
        stored = self._stored()
        problems = []
        for name, value in changes.items():
            try:
                stored |= _changed(name, value, stored, at)
                if name == _RULES_OFF:
                    self._refuse_strangers(value)
            except ValueError as problem:
                problems.append(f"{name}: {problem}.")
        if problems:
            raise WrongSwitches(problems)
        self._keep(stored)
        return self.read()

    def reset(self) -> None:
        """Put everything back to how it was at first."""
        self._keep({})

    def _refuse_strangers(self, codes: Sequence[str] | None) -> None:
        strangers = sorted(set(codes or ()) - set(self._codes))
        if strangers:
            raise ValueError(f"nenhuma regra tem o código {', '.join(strangers)}")

    def _stored(self) -> dict[str, Any]:
        rows = self._store.connection.execute("select name, value from switches").fetchall()
        return {row["name"]: json.loads(row["value"]) for row in rows}

    def _keep(self, values: Mapping[str, Any]) -> None:
        rows = [(name, json.dumps(value)) for name, value in values.items() if value is not None]
        with self._store.together():
            self._store.connection.execute("delete from switches")
            self._store.connection.executemany("insert into switches values (?, ?)", rows)
        self._controls = None


def switches_of(controls: Controls) -> dict[str, Any]:
    """The switches by their names in JSON."""
    return {name: one.write(getattr(controls, one.attribute)) for name, one in SWITCHES.items()}


def _changed(name: str, value: Any, stored: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    if name == _NOW:
        name, value = _CLOCK, _seconds_until(value, at)
    switch = SWITCHES.get(name)
    if switch is None:
        raise ValueError("este controle não existe")
    merged = _merged(stored.get(name), value)
    if merged is not None:
        switch.read(merged)
    return {name: merged}


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(new, dict):
        return new
    both = (old if isinstance(old, dict) else {}) | new
    return {name: value for name, value in both.items() if value is not None}


def _seconds_until(value: Any, at: datetime) -> float:
    try:
        return (datetime.fromisoformat(value) - at).total_seconds()
    except (TypeError, ValueError):
        raise ValueError("deve ser um momento com fuso, como 2026-01-31T10:00:00-03:00") from None


def _number(lowest: int, highest: int) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not lowest <= value <= highest:
            raise ValueError(f"deve ser um número de {lowest} a {highest}")
        return value

    return read


def _seed(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _GREATEST_SEED:
        raise ValueError(f"deve ser um número inteiro de 0 a {_GREATEST_SEED}")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("deve ser true ou false")
    return value


def _outages(value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(one in _OUTAGES for one in value.values()):
        raise ValueError('deve ser um objeto com 108 ou 109 por autorizador, como {"SP": "109"}')
    _known(value, is_authorizer)
    return value


def _contingency(value: Any) -> Mapping[str, Contingency]:
    ways = [one.value for one in Contingency]
    if not isinstance(value, dict) or not all(one in ways for one in value.values()):
        raise ValueError(f"deve ser um objeto com {', '.join(ways)} por autorizador de contingência")
    _known(value, is_contingency)
    return {name: Contingency(way) for name, way in value.items()}


def _known(names: Mapping[str, Any], is_one: Callable[[str], bool]) -> None:
    strangers = [name for name in names if not is_one(name)]
    if strangers:
        raise ValueError(f"autorizador que não serve aqui: {', '.join(strangers)}")


def _codes(value: Any) -> frozenset[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) and _CODE.fullmatch(one) for one in value):
        raise ValueError('deve ser uma lista de códigos, como ["610"]')
    return frozenset(value)


def _offset(value: Any) -> timedelta:
    return timedelta(seconds=_number(-_FARTHEST_CLOCK, _FARTHEST_CLOCK)(value))


def _dates(value: Any) -> Mapping[Milestone, date]:
    if not isinstance(value, dict):
        raise ValueError('deve ser um objeto com uma data por nome, como {"ratesOf2027": "2027-01-04"}')
    unknown = sorted(set(value) - set(Milestone))
    if unknown:
        raise ValueError(f"o calendário não tem {', '.join(unknown)}; tem {', '.join(Milestone)}")
    try:
        return {Milestone(name): date.fromisoformat(text) for name, text in value.items()}
    except (TypeError, ValueError):
        raise ValueError("cada data deve ser como 2027-01-04") from None


def _iso_dates(dates: Mapping[Milestone, date]) -> dict[str, str]:
    return {name.value: day.isoformat() for name, day in dates.items()}


def _percent(value: Any) -> Decimal:
    return Decimal(str(_number(0, 100)(value)))


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch: how it is kept, how it comes in and goes out."""

    attribute: str
    about: str
    """What it does, on one line."""
    read: Callable[[Any], Any]
    """Its value from JSON; ValueError tells what is wrong."""
    write: Callable[[Any], Any] = _as_it_is


SWITCHES: Mapping[str, Switch] = {
    "outages": Switch(
        "outages",
        'By authorizer, the code that it answers everything with: `{"SP": "109"}`, 108 or 109.',
        _outages,
    ),
    "contingency": Switch(
        "contingency",
        "By contingency authority (`SVCAN`, `SVCRS`): `auto` (serves a state while its own authorizer is"
        " out), `on`, `closing` (serves, and its status says 113) or `off` (114).",
        _contingency,
    ),
    "latencySeconds": Switch(
        "latency_seconds",
        f"How long every answer waits, up to {_LONGEST_LATENCY}.",
        _number(0, _LONGEST_LATENCY),
    ),
    "lostAnswers": Switch(
        "lost_answers", "Share of requests that are judged and never answered, 0 to 1.", _number(0, 1)
    ),
    "failures": Switch(
        "failures", "Share of requests that get HTTP 503 and are not judged, 0 to 1.", _number(0, 1)
    ),
    _CLOCK: Switch(
        "clock_offset",
        "How far the simulator's clock runs ahead; negative: behind.",
        _offset,
        timedelta.total_seconds,
    ),
    "lotSeconds": Switch(
        "lot_seconds",
        f"How long a lot of several documents is in process, up to {_LONGEST_LOT}.",
        _number(0, _LONGEST_LOT),
    ),
    "limits": Switch("limits", "Whether too many calls are refused (656).", _flag),
    "revocationList": Switch(
        "revocation_list",
        "Whether the list of revoked certificates can be reached; if not: 286 and 296, E1206 of NFS-e.",
        _flag,
    ),
    _RULES_OFF: Switch(
        "rules_off", 'Codes of rules that are not checked: `["610", "E0617"]`.', _codes, sorted
    ),
    "calendar": Switch(
        "moved_dates",
        "By name, the first day of a rule where it differs from the built-in one:"
        ' `{"groupRequiredInProduction": "2027-01-04"}`; `GET /calendar` has the names.',
        _dates,
        _iso_dates,
    ),
    "cbsRate": Switch(
        "cbs_rate",
        f"The CBS rate from 2027 on, in percent; {FAKE_CBS_RATE} is made up, the real one is not fixed.",
        _percent,
        float,
    ),
    "seed": Switch(
        "seed",
        "What lost answers and failures are drawn by: the same seed, the same run; a change begins it anew.",
        _seed,
    ),
}
"""By their names in JSON."""
