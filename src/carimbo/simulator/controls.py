"""Controls of the simulator's operator (outages, delays, failures, clock), stored as JSON in the store."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from carimbo.fiscal.tables.authorities import is_authorizer, serves_in_contingency
from carimbo.simulator.calendar import FAKE_CBS_RATE, Calendar, Milestone
from carimbo.simulator.distribution_sequence import PAGE
from carimbo.simulator.store import Store

_MAX_LATENCY_SECONDS = 600
_MAX_LOT_SECONDS = 86_400
_MAX_CLOCK_OFFSET = 10 * 366 * 86_400
_GREATEST_SEED = 2**53
_MAX_NFSE_QUERIES = 100_000
_OUTAGES = ("108", "109")
_CODE = re.compile("[0-9]{3,4}|E[0-9]{4}")
_NOW, _CLOCK, _RULES_OFF = "now", "clockOffsetSeconds", "rulesOff"


class ContingencySwitch(StrEnum):
    """Whether a contingency authority (SVC) is in service."""

    AUTO = "auto"
    """In service while the authorizer of the issuer's state is out of service."""
    ON = "on"
    CLOSING = "closing"
    """In service; its status announces that it is about to close (113)."""
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Controls:
    """The value of every control at the time of a request."""

    outages: Mapping[str, str] = field(default_factory=dict)
    """The code (108 or 109) with which an authorizer answers everything, by authorizer."""
    contingency: Mapping[str, ContingencySwitch] = field(default_factory=dict)
    """Switches of the contingency authorities; the default is `AUTO`. `SVRS` and `SVSP` are some for CT-e."""
    latency_seconds: float = 0
    lost_answers: float = 0
    """Share of requests that are judged but get no answer, 0 to 1."""
    failures: float = 0
    """Share of requests that get HTTP 503 without being judged, 0 to 1."""
    clock_offset: timedelta = timedelta()
    """How far the simulator's clock is ahead of the real one."""
    lot_seconds: float = 1
    """How long a lot of several documents stays in process."""
    limits: bool = True
    """Whether too many calls are refused (656)."""
    distribution_page: int = PAGE
    """How many documents a distribution service returns at most."""
    nfse_queries_per_hour: int = 60
    """How often a taxpayer may ask for its NFS-e in an hour (429); the real limit is not published."""
    revocation_list: bool = True
    """Whether the list of revoked certificates is reachable."""
    rules_off: frozenset[str] = frozenset()
    """Codes of rules that are not checked."""
    moved_dates: Mapping[Milestone, date] = field(default_factory=dict)
    """Dates of the authorities' calendar that replace the built-in ones."""
    cbs_rate: Decimal = FAKE_CBS_RATE
    """The CBS rate from 2027 on, in percent."""
    seed: int = 0
    """Seed of the random draws of lost answers and failures; the same seed gives the same run."""

    def contingency_of(self, authorizer: str) -> ContingencySwitch:
        """Returns the switch of a contingency authority."""
        return self.contingency.get(authorizer, ContingencySwitch.AUTO)

    @property
    def calendar(self) -> Calendar:
        """The dates and rates of the authorities."""
        return Calendar(self.moved_dates, self.cbs_rate)

    def time_at(self, real: datetime) -> datetime:
        """Returns the simulator's time at a real moment."""
        return real + self.clock_offset


class InvalidSwitches(ValueError):
    """Some switches or values are invalid. The message lists all reasons, in Portuguese."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class Switches:
    """The switches that the operator has set; the others have the defaults of `Controls`."""

    def __init__(self, store: Store, codes: Collection[str]) -> None:
        """Takes the codes of the rules that can be switched off."""
        self._store = store
        self._codes = codes
        self._controls: Controls | None = None

    def read(self) -> Controls:
        """Returns the current controls: the same object until a switch changes."""
        if self._controls is None:
            stored = self._stored()
            self._controls = Controls(
                **{
                    switch.attribute: switch.read(stored[name])
                    for name, switch in SWITCHES.items()
                    if name in stored
                }
            )
        return self._controls

    def change(self, changes: Mapping[str, Any], at: datetime) -> Controls:
        """Changes all named switches, or raises InvalidSwitches and changes none; `at` is the real time.

        Objects are merged into the stored ones, and null restores the default (RFC 7396).
        """
        stored = self._stored()
        problems = []
        for name, value in changes.items():
            try:
                stored |= _changed(name, value, stored, at)
                if name == _RULES_OFF:
                    self._require_rule_codes(value)
            except ValueError as problem:
                problems.append(f"{name}: {problem}.")
        if problems:
            raise InvalidSwitches(problems)
        self._keep(stored)
        return self.read()

    def reset(self) -> None:
        """Restores all defaults."""
        self._keep({})

    def _require_rule_codes(self, codes: Sequence[str] | None) -> None:
        unknown = sorted(set(codes or ()) - set(self._codes))
        if unknown:
            raise ValueError(f"nenhuma regra tem o código {', '.join(unknown)}")

    def _stored(self) -> dict[str, Any]:
        rows = self._store.connection.execute("select name, value from switches").fetchall()
        return {row["name"]: json.loads(row["value"]) for row in rows}

    def _keep(self, values: Mapping[str, Any]) -> None:
        rows = [(name, json.dumps(value)) for name, value in values.items() if value is not None]
        with self._store.together():
            self._store.connection.execute("delete from switches")
            self._store.connection.executemany("insert into switches values (?, ?)", rows)
        self._controls = None


def switches_as_json(controls: Controls) -> dict[str, Any]:
    """Returns the switches by their names in JSON."""
    return {name: switch.write(getattr(controls, switch.attribute)) for name, switch in SWITCHES.items()}


def _changed(name: str, value: Any, stored: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    if name == _NOW:
        name, value = _CLOCK, _seconds_until(value, at)
    switch = SWITCHES.get(name)
    if switch is None:
        raise ValueError("este controle não existe")
    if isinstance(value, dict):
        old = stored.get(name)
        merged = (old if isinstance(old, dict) else {}) | value
        value = {key: setting for key, setting in merged.items() if setting is not None}
    if value is not None:
        switch.read(value)
    return {name: value}


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


def _integer(lowest: int, highest: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            raise ValueError(f"deve ser um número inteiro de {lowest} a {highest}")
        return value

    return read


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("deve ser true ou false")
    return value


def _outages(value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(code in _OUTAGES for code in value.values()):
        raise ValueError('deve ser um objeto com 108 ou 109 por autorizador, como {"SP": "109"}')
    _require_authorizers(value, is_authorizer)
    return value


def _contingency(value: Any) -> Mapping[str, ContingencySwitch]:
    modes = [mode.value for mode in ContingencySwitch]
    if not isinstance(value, dict) or not all(mode in modes for mode in value.values()):
        raise ValueError(f"deve ser um objeto com {', '.join(modes)} por autorizador de contingência")
    _require_authorizers(value, serves_in_contingency)
    return {name: ContingencySwitch(mode) for name, mode in value.items()}


def _require_authorizers(names: Mapping[str, Any], is_authorizer: Callable[[str], bool]) -> None:
    unknown = [name for name in names if not is_authorizer(name)]
    if unknown:
        raise ValueError(f"autorizador que não serve aqui: {', '.join(unknown)}")


def _codes(value: Any) -> frozenset[str]:
    if not isinstance(value, list) or not all(
        isinstance(code, str) and _CODE.fullmatch(code) for code in value
    ):
        raise ValueError('deve ser uma lista de códigos, como ["610"]')
    return frozenset(value)


def _offset(value: Any) -> timedelta:
    return timedelta(seconds=_number(-_MAX_CLOCK_OFFSET, _MAX_CLOCK_OFFSET)(value))


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


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True, slots=True)
class Switch:
    """One switch: its attribute in `Controls`, and how its value is read from and written to JSON."""

    attribute: str
    about: str
    """What it does, in one line of the reference page."""
    read: Callable[[Any], Any]
    """Returns its value from JSON; raises ValueError with the reason if it is invalid."""
    write: Callable[[Any], Any] = _unchanged


SWITCHES: Mapping[str, Switch] = {
    "outages": Switch(
        "outages",
        'By authorizer, the code with which it answers everything: `{"SP": "109"}`, 108 or 109.',
        _outages,
    ),
    "contingency": Switch(
        "contingency",
        "By contingency authority (`SVCAN`, `SVCRS`; `SVRS`, `SVSP` for CT-e): `auto` (serves a state while"
        " its own authorizer is out), `on`, `closing` (serves, and its status says 113) or `off` (114).",
        _contingency,
    ),
    "latencySeconds": Switch(
        "latency_seconds",
        f"Delay of every answer in seconds, up to {_MAX_LATENCY_SECONDS}.",
        _number(0, _MAX_LATENCY_SECONDS),
    ),
    "lostAnswers": Switch(
        "lost_answers", "Share of requests that are judged but get no answer, 0 to 1.", _number(0, 1)
    ),
    "failures": Switch(
        "failures", "Share of requests that get HTTP 503 without being judged, 0 to 1.", _number(0, 1)
    ),
    _CLOCK: Switch(
        "clock_offset",
        "How far the simulator's clock is ahead of the real one; negative: behind.",
        _offset,
        timedelta.total_seconds,
    ),
    "lotSeconds": Switch(
        "lot_seconds",
        f"How long a lot of several documents stays in process, in seconds, up to {_MAX_LOT_SECONDS}.",
        _number(0, _MAX_LOT_SECONDS),
    ),
    "limits": Switch("limits", "Whether too many calls are refused (656; CT-e: 678; NFS-e: 429).", _flag),
    "distributionPage": Switch(
        "distribution_page",
        f"How many documents a distribution service returns at most, 1 to {PAGE}.",
        _integer(1, PAGE),
    ),
    "nfseQueriesPerHour": Switch(
        "nfse_queries_per_hour",
        "How often a taxpayer may ask the data environment for its NFS-e in an hour; then 429.",
        _integer(0, _MAX_NFSE_QUERIES),
    ),
    "revocationList": Switch(
        "revocation_list",
        "Whether the list of revoked certificates is reachable; if not: 286 and 296, E1206 for NFS-e.",
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
        f"The CBS rate from 2027 on, in percent; {FAKE_CBS_RATE} is fictitious, the real one is not set.",
        _percent,
        float,
    ),
    "seed": Switch(
        "seed",
        "Seed of lost answers and failures: the same seed gives the same run; a change restarts it.",
        _integer(0, _GREATEST_SEED),
    ),
}
"""The switches by their names in JSON."""
