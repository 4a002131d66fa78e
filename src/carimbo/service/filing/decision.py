"""Decides what follows from an authority's answer to a filing, without I/O.

Only `Rejected` and `Denied` refuse a filing. After an answer that leaves the outcome open, we consult the
authority, send the same bytes again, or wait. We never give up.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.outcome import (
    Authorized,
    Canceled,
    Closed,
    Denied,
    Duplicate,
    NotJudged,
    Outcome,
    Rejected,
    Throttled,
    Unknown,
)
from carimbo.service.waiting import AT_ONCE, Backoff


@dataclass(frozen=True)
class ContinueFiling:
    """The filing continues from a state, at once or after a pause."""

    state: FilingState
    after: timedelta
    tries: int


@dataclass(frozen=True)
class FilingRegistered:
    """The authority has the filing, or an equivalent; there may be no receipt."""

    answer: Authorized | Canceled | Closed | Duplicate


@dataclass(frozen=True)
class FilingRefused:
    """The authority refuses the filing, and does not have it."""

    answer: Rejected | Denied | Duplicate | Authorized


FilingDecision = FilingRegistered | FilingRefused | ContinueFiling


@dataclass(frozen=True)
class FilingDecider:
    """Decides about answers, with the given backoff and a random factor for pauses."""

    backoff: Backoff
    now: datetime
    jitter: float

    def decide(self, state: FilingState, tries: int, outcome: Outcome) -> FilingDecision:
        """Returns the decision about an answer; `state` is the state of the filing when it was sent."""
        match outcome:
            case Authorized():
                return FilingRegistered(outcome)
            case Rejected() | Denied():
                return FilingRefused(outcome)
            case Canceled() | Closed() if state is FilingState.SENT:
                # The document itself is canceled or closed: nothing is left to file.
                return FilingRegistered(outcome)
            case Duplicate() | Canceled() | Closed() | Unknown(may_come=True):
                return ContinueFiling(FilingState.SENT, self._pause(tries) if tries else AT_ONCE, tries + 1)
            case Unknown():
                return ContinueFiling(FilingState.SIGNED, AT_ONCE, tries)
            case _:
                return self._again(state, tries, outcome)

    def _again(self, state: FilingState, tries: int, outcome: Outcome) -> ContinueFiling:
        pause = self._pause(tries + 1)
        if isinstance(outcome, Throttled) and outcome.until:
            pause = max(outcome.until - self.now, pause)
        arrived = isinstance(outcome, NotJudged) and outcome.may_have_arrived
        return ContinueFiling(FilingState.SENT if arrived else state, pause, tries + 1)

    def _pause(self, tries: int) -> timedelta:
        return self.backoff.pause(max(tries, 1), self.jitter)
