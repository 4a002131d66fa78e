"""Limits how often the authorities are asked: too many requests block the taxpayer for an hour (656, 678).

Requests of the last hour are counted exactly; a token bucket would let nearly twice as many through. The
status of a service is cached for some seconds, so that not every document asks for it.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.outcome import Available, NotJudged, Throttled, Unavailable

# Requests about the same subject within an hour. NT 2018.002 blocks from 30 rejections of a document, 20 of
# an event or of an inutilization, 10 consults of a key and 40 of a receipt; NT 2014.002 from 20 single
# documents of the distribution. We stay below, because other programs may use the same certificate.
MAX_SAME_DOCUMENT = 25
MAX_SAME_EVENT = 15
MAX_SAME_INUTILIZATION = 15
MAX_SAME_KEY = 9
MAX_SAME_RECEIPT = 35
MAX_SINGLE_DISTRIBUTION = 18
# The list of open manifests: nobody needs it more often,
# and 60 requests in five minutes block (MOC MDF-e 3.00).
MAX_SAME_LIST = 50

_HOUR = 3600

# How long a status is good enough for the next document.
_FRESH_SECONDS = 15

_Key = tuple[str, ...]
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class PacedRequest:
    """A request that is about to be sent."""

    tax_id: str
    address: str
    """URL of the service: authority, service and environment are limited separately."""
    subject: str
    """Access key, number range or receipt that the request is about."""
    max_per_hour: int | None
    """Maximum per hour about the same subject; None if unlimited."""
    throttled_code: str = "656"
    """The authority's code for too many requests, with which we refuse one that is not sent."""

    @property
    def service_key(self) -> _Key:
        """Key of the pause after a block."""
        return self.tax_id, self.address

    @property
    def subject_key(self) -> _Key:
        """Key of the count."""
        return self.tax_id, self.address, self.subject


class Pacing:
    """Counts the requests of one process, and keeps the pauses after blocks."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        max_remembered: int = 100_000,
    ) -> None:
        self._clock = clock
        self._now = now
        self._max_remembered = max_remembered
        self._sent: OrderedDict[_Key, deque[float]] = OrderedDict()
        self._pauses: OrderedDict[_Key, float] = OrderedDict()

    def admit(self, request: PacedRequest) -> Throttled | None:
        """Counts a request; or returns why and until when it must not be sent."""
        self._drop_expired()
        pause_end = self._pauses.get(request.service_key, 0.0)
        counted = self._sent.get(request.subject_key, ())
        # With a full count, the oldest request of the hour must expire first.
        window_end = counted[0] + _HOUR if counted and len(counted) == request.max_per_hour else 0.0
        end = max(pause_end, window_end)
        if end > self._clock():
            return self._refusal(end, request.throttled_code)
        if request.max_per_hour:
            self._sent.setdefault(request.subject_key, deque(maxlen=request.max_per_hour)).append(
                self._clock()
            )
            self._sent.move_to_end(request.subject_key)
        return None

    def take_back(self, request: PacedRequest) -> None:
        """Removes a request that certainly did not arrive: a service that is down blocks nobody."""
        counted = self._sent.get(request.subject_key)
        if counted:
            counted.pop()

    def pause_service(self, request: PacedRequest, seconds: float = _HOUR) -> datetime:
        """Pauses all requests of this taxpayer to the service; returns when the pause ends."""
        key = request.service_key
        end = self._pauses[key] = self._clock() + seconds
        self._pauses.move_to_end(key)
        return self._moment(end)

    @property
    def remembered(self) -> int:
        """Number of counts and pauses in memory."""
        return len(self._sent) + len(self._pauses)

    def _refusal(self, end: float, code: str) -> Throttled:
        until = self._moment(end)
        local_time = f"{until.astimezone(BRASILIA):%d/%m/%Y %H:%M:%S}"
        message = (
            f"Não enviado, para não causar um bloqueio da autoridade: aguarde até {local_time} (Brasília)."
        )
        return Throttled(code=code, message=message, until=until, was_asked=False)

    def _moment(self, end: float) -> datetime:
        return self._now() + timedelta(seconds=end - self._clock())

    def _drop_expired(self) -> None:
        """Removes expired and surplus entries; both dictionaries have the oldest change first.

        A short pause behind a long one is removed late, which does no harm.
        """
        now = self._clock()
        while self._pauses and (len(self._pauses) > self._max_remembered or _first(self._pauses) <= now):
            self._pauses.popitem(last=False)
        while self._sent and (len(self._sent) > self._max_remembered or _is_expired(_first(self._sent), now)):
            self._sent.popitem(last=False)


def _first(ordered: OrderedDict[_Key, _Value]) -> _Value:
    return next(iter(ordered.values()))


def _is_expired(counted: deque[float], now: float) -> bool:
    return not counted or counted[-1] + _HOUR <= now


KnownStatus = Available | Unavailable | NotJudged
"""The status of a service, or the failure of the request for it."""


class StatusCache:
    """The last status of each service for each state, kept for some seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._entries: OrderedDict[tuple[str, ...], tuple[float, KnownStatus]] = OrderedDict()

    def recent_status(self, address: str, state: str, asker: str) -> KnownStatus | None:
        """Returns a recent answer to any company, or else a recent failure of this one."""
        return self._fresh((address, state)) or self._fresh((address, state, asker))

    def write(self, address: str, state: str, asker: str, status: KnownStatus) -> None:
        """Keeps an answer for all companies, but a failure for one: its certificate may be the cause."""
        self._drop_expired()
        key = (address, state, asker) if isinstance(status, NotJudged) else (address, state)
        self._entries[key] = self._clock(), status
        self._entries.move_to_end(key)

    @property
    def remembered(self) -> int:
        """Number of entries in memory."""
        return len(self._entries)

    def _fresh(self, key: tuple[str, ...]) -> KnownStatus | None:
        moment, status = self._entries.get(key, (float("-inf"), None))
        return None if self._is_expired(moment) else status

    def _drop_expired(self) -> None:
        """Removes expired entries; the oldest comes first."""
        while self._entries and self._is_expired(next(iter(self._entries.values()))[0]):
            self._entries.popitem(last=False)

    def _is_expired(self, moment: float) -> bool:
        return self._clock() >= moment + _FRESH_SECONDS
