"""The switches of the operator, kept in the store as JSON."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from carimbo.fiscal.tables.authorizers import is_contingency
from carimbo.fiscal.tables.endpoints import is_authorizer
from carimbo.simulator.controls import Contingency, Controls
from carimbo.simulator.store import Store

_LONGEST_LATENCY = 600
_LONGEST_LOT = 86_400
_FARTHEST_CLOCK = 10 * 366 * 86_400
_GREATEST_SEED = 2**53
_OUTAGES = ("108", "109")
_CODE = re.compile("[0-9]{3,4}")
_NOW, _CLOCK = "now", "clockOffsetSeconds"


class WrongSwitches(ValueError):
    """What was asked for cannot be switched; every reason is told, in Portuguese."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class Switches:
    """What the operator has switched; what nobody has touched is as `Controls` has it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._controls: Controls | None = None

    def read(self) -> Controls:
        """The switches as they are: the same object until one is changed."""
        if self._controls is None:
            stored = self._stored()
            self._controls = Controls(
                **{one.attribute: one.read(stored[name]) for name, one in _SWITCHES.items() if name in stored}
            )
        return self._controls

    def change(self, changes: Mapping[str, object], at: datetime) -> Controls:
        """Change all that is named, or raise WrongSwitches and change nothing; `at` is the real moment.

        An object is merged into the one that there is, and null puts back what nobody has touched (RFC 7396).
        """
        stored = self._stored()
        problems = []
        for name, value in changes.items():
            try:
                stored |= _changed(name, value, stored, at)
            except ValueError as problem:
                problems.append(f"{name}: {problem}.")
        if problems:
            raise WrongSwitches(problems)
        self._keep(stored)
        return self.read()

    def reset(self) -> None:
        """Put everything back to how it was at first."""
        self._keep({})

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
    return {name: one.write(getattr(controls, one.attribute)) for name, one in _SWITCHES.items()}


def _changed(name: str, value: Any, stored: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    if name == _NOW:
        name, value = _CLOCK, _seconds_until(value, at)
    switch = _SWITCHES.get(name)
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


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class _Switch:
    attribute: str
    read: Callable[[Any], Any]
    """Its value from JSON; ValueError tells what is wrong."""
    write: Callable[[Any], Any] = _as_it_is


_SWITCHES: Mapping[str, _Switch] = {
    "outages": _Switch("outages", _outages),
    "contingency": _Switch("contingency", _contingency),
    "latencySeconds": _Switch("latency_seconds", _number(0, _LONGEST_LATENCY)),
    "lostAnswers": _Switch("lost_answers", _number(0, 1)),
    "failures": _Switch("failures", _number(0, 1)),
    _CLOCK: _Switch("clock_offset", _offset, timedelta.total_seconds),
    "lotSeconds": _Switch("lot_seconds", _number(0, _LONGEST_LOT)),
    "limits": _Switch("limits", _flag),
    "revocationList": _Switch("revocation_list", _flag),
    "rulesOff": _Switch("rules_off", _codes, sorted),
    "seed": _Switch("seed", _seed),
}
