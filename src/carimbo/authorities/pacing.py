"""How often we ask: less often than makes an authority block the taxpayer for an hour (656).

Counted exactly, over the last hour: a bucket that fills up again would let nearly twice as many through.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from carimbo.fiscal.local_time import BRASILIA
from carimbo.fiscal.outcome import Throttled

# Calls about the same subject within an hour. NT 2018.002 blocks from 30 rejections of a document, 20 of an
# event or of an inutilization, 10 consults of a key and 40 of a receipt; NT 2014.002 from 20 single documents
# of the distribution. We stay below, as others may ask with the same certificate.
SAME_DOCUMENT = 25
SAME_EVENT = 15
SAME_INUTILIZATION = 15
SAME_KEY = 9
SAME_RECEIPT = 35
SINGLE_DISTRIBUTION = 18

_HOUR = 3600
_THROTTLED = "656"

_Key = tuple[str, ...]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Call:
    """A question that is about to be put."""

    tax_id: str
    address: str
    """Tells the service, its authority and the environment, each of which counts for itself."""
    subject: str
    """What is asked about: an access key, a range, a receipt."""
    most_hourly: int | None
    """None where there is no limit."""

    @property
    def service_key(self) -> _Key:
        """What rests after a block."""
        return self.tax_id, self.address

    @property
    def subject_key(self) -> _Key:
        """What is counted."""
        return self.tax_id, self.address, self.subject


class Pacing:
    """Counts the calls of one process, and knows who has to rest."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        most_remembered: int = 100_000,
    ) -> None:
        self._clock = clock
        self._now = now
        self._most = most_remembered
        self._calls: OrderedDict[_Key, deque[float]] = OrderedDict()
        self._rests: OrderedDict[_Key, float] = OrderedDict()

    def admit(self, call: Call) -> Throttled | None:
        """Count a call, or tell that it must not be made, and until when."""
        self._forget_what_is_over()
        ends = (self._rests.get(call.service_key, 0.0), self._rests.get(call.subject_key, 0.0))
        end = max(*ends, self._window_end(call))
        if end > self._clock():
            return self._refusal(end)
        if call.most_hourly:
            self._calls.setdefault(call.subject_key, deque(maxlen=call.most_hourly)).append(self._clock())
            self._calls.move_to_end(call.subject_key)
        return None

    def take_back(self, call: Call) -> None:
        """Uncount a call that certainly did not arrive: who is out of service can't block anybody."""
        counted = self._calls.get(call.subject_key)
        if counted:
            counted.pop()

    def rest_service(self, call: Call, seconds: float = _HOUR) -> datetime:
        """Ask this service nothing more for this taxpayer for an hour, or so long; tells until when."""
        return self._rest(call.service_key, seconds)

    def rest_subject(self, call: Call) -> datetime:
        """Ask this service nothing more about this subject for an hour; tells until when."""
        return self._rest(call.subject_key, _HOUR)

    @property
    def remembered(self) -> int:
        """How many counts and rests are kept."""
        return len(self._calls) + len(self._rests)

    def _rest(self, key: _Key, seconds: float) -> datetime:
        end = self._rests[key] = self._clock() + seconds
        self._rests.move_to_end(key)
        return self._moment(end)

    def _window_end(self, call: Call) -> float:
        """When the oldest of the calls that fill an hour is an hour ago."""
        counted = self._calls.get(call.subject_key, ())
        return counted[0] + _HOUR if counted and len(counted) == call.most_hourly else 0.0

    def _refusal(self, end: float) -> Throttled:
        until = self._moment(end)
        told = f"{until.astimezone(BRASILIA):%d/%m/%Y %H:%M:%S}"
        message = f"Não enviado, para não causar um bloqueio da autoridade: aguarde até {told} (Brasília)."
        return Throttled(code=_THROTTLED, message=message, until=until, was_asked=False)

    def _moment(self, end: float) -> datetime:
        return self._now() + timedelta(seconds=end - self._clock())

    def _forget_what_is_over(self) -> None:
        """Both are in the order of their last change: what is over, and what is too much, comes first.

        Of rests, a short one may have to wait for a long one before it, which does nobody harm.
        """
        now = self._clock()
        while self._rests and (len(self._rests) > self._most or _first(self._rests) <= now):
            self._rests.popitem(last=False)
        while self._calls and (len(self._calls) > self._most or _is_over(_first(self._calls), now)):
            self._calls.popitem(last=False)


def _first(ordered: OrderedDict[_Key, Value]) -> Value:
    return next(iter(ordered.values()))


def _is_over(counted: deque[float], now: float) -> bool:
    return not counted or counted[-1] + _HOUR <= now
