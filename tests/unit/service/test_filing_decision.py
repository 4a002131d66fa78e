"""What follows from an answer to a statement, for every outcome and every state that one can be in."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.lifecycle import FilingState
from carimbo.fiscal.outcome import (
    Authorized,
    Canceled,
    Cause,
    Closed,
    Denied,
    Duplicate,
    NotJudged,
    Outage,
    Outcome,
    Processing,
    Rejected,
    Throttled,
    Unavailable,
    Unknown,
)
from carimbo.service.backoff import AT_ONCE
from carimbo.service.filing.decision import (
    Decision,
    FilingJudge,
    Onward,
    Refused,
    Registered,
)
from carimbo.settings import Settings

NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
BACKOFF = Settings().authority_backoff
NO_JITTER = 0.5
JUDGE = FilingJudge(BACKOFF, NOW, NO_JITTER)
SIGNED, SENT = FilingState.SIGNED, FilingState.SENT
# An answer comes in after sending (the authority did not have it before) or after asking.
STATES = (SIGNED, SENT)
FIRST, HOUR = timedelta(seconds=2), timedelta(hours=1)

AUTHORIZED = Authorized(code="135", message="Registrado", protocol="1", authorized_at=NOW, protocol_xml=b"")
REJECTED = Rejected(code="501", message="Prazo")
DENIED = Denied(code="302", message="Irregularidade fiscal")
CANCELED = Canceled(code="420", message="Cancelamento para NF-e já cancelada")
ENDED = Closed(code="609", message="Já está encerrado")
DUPLICATE = Duplicate(code="573", message="Duplicidade de evento")
UNKNOWN = Unknown(code="100", message="Autorizado o uso da NF-e")
PROCESSING = Processing(code="105", message="Lote em processamento", receipt="35123", wait_seconds=7)
UNAVAILABLE = Unavailable(code="108", message="Paralisado", outage=Outage.SHORT)
CLOSED = Unavailable(code="114", message="SVC desabilitada", outage=Outage.CONTINGENCY_CLOSED)
THROTTLED = Throttled(code="656", message="Consumo indevido", until=NOW + HOUR)
THROTTLED_FOR_HOW_LONG = replace(THROTTLED, until=None)
LOST = NotJudged(cause=Cause.TIMEOUT, detail="no answer in 30 s")
NOT_SENT = NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False)
OUTCOMES: tuple[Outcome, ...] = (
    AUTHORIZED, REJECTED, DENIED, CANCELED, ENDED, DUPLICATE, UNKNOWN, PROCESSING, UNAVAILABLE, CLOSED,
    THROTTLED, THROTTLED_FOR_HOW_LONG, LOST, NOT_SENT,
)  # fmt: skip
FAILURES = (PROCESSING, UNAVAILABLE, CLOSED, THROTTLED_FOR_HOW_LONG, LOST, NOT_SENT)
OPEN = (CANCELED, ENDED, DUPLICATE, UNKNOWN, *FAILURES)

states = st.sampled_from(STATES)
tries = st.integers(min_value=0, max_value=500)
dice = st.floats(min_value=0, max_value=1)


class TestFirstAnswer:
    @pytest.mark.parametrize(
        ("outcome", "after_sending", "after_asking"),
        [
            (AUTHORIZED, Registered(AUTHORIZED), Registered(AUTHORIZED)),
            (REJECTED, Refused(REJECTED), Refused(REJECTED)),
            (DENIED, Refused(DENIED), Refused(DENIED)),
            (CANCELED, Onward(SENT, AT_ONCE, 1), Registered(CANCELED)),
            (ENDED, Onward(SENT, AT_ONCE, 1), Registered(ENDED)),
            (DUPLICATE, Onward(SENT, AT_ONCE, 1), Onward(SENT, AT_ONCE, 1)),
            (UNKNOWN, Onward(SIGNED, AT_ONCE, 0), Onward(SIGNED, AT_ONCE, 0)),
            (PROCESSING, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
            (UNAVAILABLE, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
            (CLOSED, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
            (THROTTLED, Onward(SIGNED, HOUR, 1), Onward(SENT, HOUR, 1)),
            (THROTTLED_FOR_HOW_LONG, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
            (LOST, Onward(SENT, FIRST, 1), Onward(SENT, FIRST, 1)),
            (NOT_SENT, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
        ],
    )
    def test_leads_where_the_table_says(
        self, outcome: Outcome, after_sending: Decision, after_asking: Decision
    ) -> None:
        assert JUDGE.decide(SIGNED, 0, outcome) == after_sending
        assert JUDGE.decide(SENT, 0, outcome) == after_asking

    def test_of_every_kind_is_in_the_table(self) -> None:
        assert {type(outcome) for outcome in OUTCOMES} == set(Outcome.__args__)


class TestEnd:
    @given(states, tries, st.sampled_from(OUTCOMES), dice)
    def test_nothing_but_a_refusal_refuses(
        self, state: FilingState, tried: int, outcome: Outcome, thrown: float
    ) -> None:
        decision = FilingJudge(BACKOFF, NOW, thrown).decide(state, tried, outcome)
        assert isinstance(decision, Refused) == (outcome in (REJECTED, DENIED))

    @given(states, tries, st.sampled_from(OUTCOMES), dice)
    def test_nothing_is_registered_that_the_authority_does_not_have(
        self, state: FilingState, tried: int, outcome: Outcome, thrown: float
    ) -> None:
        decision = FilingJudge(BACKOFF, NOW, thrown).decide(state, tried, outcome)
        has_it = outcome is AUTHORIZED or (outcome in (CANCELED, ENDED) and state is SENT)
        assert isinstance(decision, Registered) == has_it

    @given(states, tries, st.sampled_from(OUTCOMES))
    def test_it_is_told_in_the_authority_s_words(
        self, state: FilingState, tried: int, outcome: Outcome
    ) -> None:
        decision = JUDGE.decide(state, tried, outcome)
        assert isinstance(decision, Onward) or decision.answer is outcome


class TestGoingOn:
    @given(tries, st.sampled_from((DUPLICATE, UNAVAILABLE, THROTTLED, LOST, NOT_SENT)), dice)
    def test_what_may_be_there_is_not_sent_again_before_the_authority_disowns_it(
        self, tried: int, outcome: Outcome, thrown: float
    ) -> None:
        decision = FilingJudge(BACKOFF, NOW, thrown).decide(SENT, tried, outcome)
        assert isinstance(decision, Onward)
        assert decision.state is SENT

    @pytest.mark.parametrize("state", STATES)
    def test_what_it_disowns_is_sent_again_at_once(self, state: FilingState) -> None:
        assert JUDGE.decide(state, 3, UNKNOWN) == Onward(SIGNED, AT_ONCE, 3)

    @given(st.sampled_from((DUPLICATE, CANCELED)), st.integers(min_value=1, max_value=100), dice)
    def test_an_authority_that_contradicts_itself_is_asked_with_pauses(
        self, outcome: Outcome, tried: int, thrown: float
    ) -> None:
        decision = FilingJudge(BACKOFF, NOW, thrown).decide(SIGNED, tried, outcome)
        assert decision == Onward(SENT, BACKOFF.pause(tried, thrown), tried + 1)

    @given(states, tries, dice)
    def test_the_authority_s_own_pause_is_kept(self, state: FilingState, tried: int, thrown: float) -> None:
        decision = FilingJudge(BACKOFF, NOW, thrown).decide(state, tried, THROTTLED)
        assert isinstance(decision, Onward)
        assert decision.after >= HOUR

    @given(states, tries, st.sampled_from(FAILURES))
    def test_pauses_grow(self, state: FilingState, tried: int, outcome: Outcome) -> None:
        decision = JUDGE.decide(state, tried, outcome)
        assert isinstance(decision, Onward)
        following = JUDGE.decide(state, decision.tries, outcome)
        assert isinstance(following, Onward)
        assert AT_ONCE < decision.after <= following.after
        assert decision.tries == tried + 1


class TestQuestions:
    """An authority blocks who asks for a key ten times an hour, or tells an event twenty (NT 2018.002)."""

    MOST_ASKED, MOST_TOLD = 10, 20
    LONG = timedelta(hours=3)

    @given(
        st.lists(st.sampled_from((CANCELED, DUPLICATE, UNKNOWN, *FAILURES)), min_size=1, max_size=40), dice
    )
    def test_are_few_in_any_hour_whatever_comes_back(self, outcomes: list[Outcome], thrown: float) -> None:
        put = self._moments(outcomes, thrown)
        for state, most in ((SENT, self.MOST_ASKED), (SIGNED, self.MOST_TOLD)):
            moments = [moment for moment, of in put if of is state]
            assert all(sum(start <= one < start + HOUR for one in moments) <= most for start in moments)

    @pytest.mark.parametrize("thrown", [0.0, 0.5, 1.0])
    def test_never_end(self, thrown: float) -> None:
        """Hours later it is still asked for, several times an hour."""
        moments = [moment for moment, _ in self._moments([LOST], thrown)]
        gaps = [later - earlier for earlier, later in pairwise([*moments, self.LONG])]
        assert max(gaps) <= timedelta(minutes=20)

    def _moments(self, outcomes: list[Outcome], thrown: float) -> list[tuple[timedelta, FilingState]]:
        """When a statement is sent (signed) or asked for (sent), if these come back over and over."""
        judge, answers = FilingJudge(BACKOFF, NOW, thrown), cycle(outcomes)
        put: list[tuple[timedelta, FilingState]] = []
        moment, here = timedelta(0), Onward(SIGNED, AT_ONCE, 0)
        while moment < self.LONG and len(put) < 1000:
            put.append((moment, here.state))
            decision = judge.decide(here.state, here.tries, self._fitting(here.state, next(answers)))
            assert isinstance(decision, Onward)
            here, moment = decision, moment + decision.after + timedelta(seconds=1)
        return put

    def _fitting(self, state: FilingState, outcome: Outcome) -> Outcome:
        """Nobody answers to what was sent that it is unknown, nor ends what is asked for in this game."""
        unfitting = UNKNOWN if state is SIGNED else CANCELED
        return LOST if outcome is unfitting else outcome
