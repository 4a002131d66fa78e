"""What follows from an authority's answer to a statement: a pure decision.

Only a refusal refuses. Whatever leaves its fate open leads to a question, to the same bytes again, or to a
pause; nothing ever leads to giving up.
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
from carimbo.service.backoff import AT_ONCE, Backoff


@dataclass(frozen=True)
class Onward:
    """The statement goes on from a state, now or after a pause."""

    state: FilingState
    after: timedelta
    tries: int


@dataclass(frozen=True)
class Registered:
    """The authority has it, or has what makes it needless; of which there may be no receipt."""

    answer: Authorized | Canceled | Closed | Duplicate


@dataclass(frozen=True)
class Refused:
    """The authority does not take it, and has nothing of it."""

    answer: Rejected | Denied | Duplicate | Authorized


Decision = Registered | Refused | Onward


@dataclass(frozen=True)
class FilingJudge:
    """Decides, with the pauses of these settings and a throw of the dice."""

    backoff: Backoff
    now: datetime
    dice: float

    def decide(self, state: FilingState, tries: int, outcome: Outcome) -> Decision:
        """Tell what an answer means for a statement that was in a state when the authority was asked."""
        match outcome:
            case Authorized():
                return Registered(outcome)
            case Rejected() | Denied():
                return Refused(outcome)
            case Canceled() | Closed() if state is FilingState.SENT:
                # Asked about the document, the authority says so: there is nothing left to tell.
                return Registered(outcome)
            case Duplicate() | Canceled() | Closed() | Unknown(may_come=True):
                return Onward(FilingState.SENT, self._pause(tries) if tries else AT_ONCE, tries + 1)
            case Unknown():
                return Onward(FilingState.SIGNED, AT_ONCE, tries)
            case _:
                return self._again(state, tries, outcome)

    def _again(self, state: FilingState, tries: int, outcome: Outcome) -> Onward:
        pause = self._pause(tries + 1)
        if isinstance(outcome, Throttled) and outcome.until:
            pause = max(outcome.until - self.now, pause)
        arrived = isinstance(outcome, NotJudged) and outcome.may_have_arrived
        return Onward(FilingState.SENT if arrived else state, pause, tries + 1)

    def _pause(self, tries: int) -> timedelta:
        return self.backoff.pause(max(tries, 1), self.dice)
