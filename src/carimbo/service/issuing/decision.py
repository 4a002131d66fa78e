"""What follows from an authority's answer: a pure decision.

Only `Rejected` and `Denied` refuse a document. Whatever leaves its fate open leads to a consult, to the same
bytes again, or to a pause; nothing ever leads to giving up.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from carimbo.fiscal.lifecycle import EmissionState
from carimbo.fiscal.outcome import (
    CONTINGENCY_OVER,
    Authorized,
    Canceled,
    Cause,
    Closed,
    Denied,
    Duplicate,
    NotJudged,
    Outcome,
    Processing,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)
from carimbo.service.backoff import AT_ONCE, Backoff


@dataclass(frozen=True)
class Onward:
    """The attempt goes on from a state, now or after a pause."""

    state: EmissionState
    after: timedelta
    tries: int
    receipt: str | None = None
    access_key: str | None = None
    """The key of an earlier version, when it turns out that the authority has that one."""
    unknown_at: datetime | None = None
    """When the authority did not have it, if that is what it said."""


@dataclass(frozen=True)
class Foreign:
    """The number belongs to a document that is not ours, or to nobody any more: this one needs another."""

    answer: Duplicate | Authorized | Rejected


Decision = Authorized | Rejected | Denied | Canceled | Closed | Onward | Foreign


@dataclass(frozen=True)
class Attempt:
    """What is known of an attempt when an answer comes in."""

    access_key: str
    state: EmissionState
    tries: int


@dataclass(frozen=True)
class Judge:
    """Decides, with the pauses of these settings and a throw of the dice."""

    backoff: Backoff
    now: datetime
    dice: float

    def decide(self, attempt: Attempt, outcome: Outcome) -> Decision:
        """Tell what an answer means for an attempt."""
        match outcome:
            case Duplicate() | Rejected(spends_number=True):
                return self._after_clash(attempt, outcome)
            case (
                Authorized()
                | Rejected()
                | Denied()
                | Canceled(authorization=Authorized())
                | Closed(authorization=Authorized())
            ):
                return outcome
            case Canceled() | Closed() | Unknown(may_come=True):
                return self.ask(attempt)
            case Unknown():
                return Onward(EmissionState.SIGNED, AT_ONCE, attempt.tries, unknown_at=self.now)
            case Processing():
                pause = timedelta(seconds=outcome.wait_seconds)
                return Onward(EmissionState.SENT, pause, attempt.tries, outcome.receipt)
            case _:
                return self._again(attempt, outcome)

    def _after_clash(self, attempt: Attempt, outcome: Duplicate | Rejected) -> Decision:
        """The number is not free: ours may have it, which a consult tells, or if not that, sending (539)."""
        if isinstance(outcome, Rejected) or outcome.other_key not in (None, attempt.access_key):
            return Foreign(outcome)
        if not outcome.is_another:
            return self.ask(attempt)
        tries = attempt.tries + 1
        return Onward(EmissionState.SIGNED, self._pause(tries), tries)

    def ask(self, attempt: Attempt) -> Onward:
        """Consult: at once the first time, later with pauses, for an authority may contradict itself."""
        pause = self._pause(attempt.tries) if attempt.tries else AT_ONCE
        return Onward(EmissionState.SENT, pause, attempt.tries + 1)

    def _again(self, attempt: Attempt, outcome: Unavailable | Throttled | NotJudged) -> Onward:
        if self._goes_back(attempt, outcome):
            return Onward(attempt.state, AT_ONCE, attempt.tries + 1)
        if isinstance(outcome, NotJudged) and outcome.cause is Cause.NO_ROOM:
            # The authority is busy with our own: that is no reason to come less and less often.
            return Onward(attempt.state, self._pause(1), attempt.tries)
        tries = attempt.tries + 1
        pause = self._pause(tries)
        if isinstance(outcome, Throttled) and outcome.until:
            pause = max(outcome.until - self.now, pause)
        return Onward(self._state_after(attempt, outcome), pause, tries)

    def _goes_back(self, attempt: Attempt, outcome: Outcome) -> bool:
        """The contingency is over, and the document goes the normal way: at once, but not for ever."""
        is_over = isinstance(outcome, Unavailable) and outcome.outage in CONTINGENCY_OVER
        return is_over and attempt.state is EmissionState.SIGNED and attempt.tries == 0

    def _state_after(self, attempt: Attempt, outcome: Unavailable | Throttled | NotJudged) -> EmissionState:
        """Whether the authority may have the document now; a question that failed changes nothing."""
        if attempt.state is EmissionState.SENT:
            return EmissionState.SENT
        arrived = isinstance(outcome, NotJudged) and outcome.may_have_arrived
        return EmissionState.SENT if arrived else EmissionState.SIGNED

    def _pause(self, tries: int) -> timedelta:
        return self.backoff.pause(max(tries, 1), self.dice)
