"""Decides what follows from an authority's answer, without I/O.

Only `Rejected` and `Denied` reject a document. After an answer that leaves the outcome open, we consult the
authority, send the same bytes again, or wait. We never give up.
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
from carimbo.service.waiting import AT_ONCE, Backoff


@dataclass(frozen=True)
class ContinueAttempt:
    """The attempt continues from a state, at once or after a pause."""

    state: EmissionState
    after: timedelta
    tries: int
    receipt: str | None = None
    access_key: str | None = None
    """The access key of an earlier version, if the authority has that one."""
    unknown_at: datetime | None = None
    """When the authority said that it does not have the document."""


@dataclass(frozen=True)
class NumberTaken:
    """The number belongs to another document, or can't be used any more: this document needs another."""

    answer: Duplicate | Authorized | Rejected


IssuingDecision = Authorized | Rejected | Denied | Canceled | Closed | ContinueAttempt | NumberTaken


@dataclass(frozen=True)
class PendingAttempt:
    """The state of an attempt when an answer arrives."""

    access_key: str
    state: EmissionState
    tries: int


@dataclass(frozen=True)
class IssuingDecider:
    """Decides about answers, with the given backoff and a random factor for pauses."""

    backoff: Backoff
    now: datetime
    jitter: float

    def decide(self, attempt: PendingAttempt, outcome: Outcome) -> IssuingDecision:
        """Returns the decision about an answer to an attempt."""
        match outcome:
            case Duplicate() | Rejected(spends_number=True):
                return self._after_duplicate(attempt, outcome)
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
                return ContinueAttempt(EmissionState.SIGNED, AT_ONCE, attempt.tries, unknown_at=self.now)
            case Processing():
                pause = timedelta(seconds=outcome.wait_seconds)
                return ContinueAttempt(EmissionState.SENT, pause, attempt.tries, outcome.receipt)
            case _:
                return self._again(attempt, outcome)

    def _after_duplicate(self, attempt: PendingAttempt, outcome: Duplicate | Rejected) -> IssuingDecision:
        """Decides what follows when the authority has a document with this number.

        If that document may be ours, we consult the authority. If the authority says that it is another
        document (539), we send ours again. If its key is not ours, we take another number.
        """
        if isinstance(outcome, Rejected) or outcome.other_key not in (None, attempt.access_key):
            return NumberTaken(outcome)
        if not outcome.is_another:
            return self.ask(attempt)
        tries = attempt.tries + 1
        return ContinueAttempt(EmissionState.SIGNED, self._pause(tries), tries)

    def ask(self, attempt: PendingAttempt) -> ContinueAttempt:
        """Returns the decision to consult: at once the first time, then after a pause.

        An authority may contradict itself. Without the pause it would then be asked in an endless loop.
        """
        pause = self._pause(attempt.tries) if attempt.tries else AT_ONCE
        return ContinueAttempt(EmissionState.SENT, pause, attempt.tries + 1)

    def _again(
        self, attempt: PendingAttempt, outcome: Unavailable | Throttled | NotJudged
    ) -> ContinueAttempt:
        if self._returns_to_normal(attempt, outcome):
            return ContinueAttempt(attempt.state, AT_ONCE, attempt.tries + 1)
        if isinstance(outcome, NotJudged) and outcome.cause is Cause.NO_ROOM:
            # We already send this authority as many requests as we may. It has not failed, so the pause stays
            # short.
            return ContinueAttempt(attempt.state, self._pause(1), attempt.tries)
        tries = attempt.tries + 1
        pause = self._pause(tries)
        if isinstance(outcome, Throttled) and outcome.until:
            pause = max(outcome.until - self.now, pause)
        return ContinueAttempt(self._state_after(attempt, outcome), pause, tries)

    def _returns_to_normal(self, attempt: PendingAttempt, outcome: Outcome) -> bool:
        """Returns whether contingency is over, so that the document takes the normal route at once."""
        is_over = isinstance(outcome, Unavailable) and outcome.outage in CONTINGENCY_OVER
        return is_over and attempt.state is EmissionState.SIGNED and attempt.tries == 0

    def _state_after(
        self, attempt: PendingAttempt, outcome: Unavailable | Throttled | NotJudged
    ) -> EmissionState:
        """Returns SENT if the authority may have the document now; a failed consult changes nothing."""
        if attempt.state is EmissionState.SENT:
            return EmissionState.SENT
        arrived = isinstance(outcome, NotJudged) and outcome.may_have_arrived
        return EmissionState.SENT if arrived else EmissionState.SIGNED

    def _pause(self, tries: int) -> timedelta:
        return self.backoff.pause(max(tries, 1), self.jitter)
