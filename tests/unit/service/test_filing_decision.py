"""The decision after an answer to a filing, for every outcome and every state of a filing."""

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
from carimbo.service.filing.decision import (
    ContinueFiling,
    FilingDecider,
    FilingDecision,
    FilingRefused,
    FilingRegistered,
)
from carimbo.service.waiting import AT_ONCE
from carimbo.settings import Settings

NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
BACKOFF = Settings().authority_backoff
NO_JITTER = 0.5
JUDGE = FilingDecider(BACKOFF, NOW, NO_JITTER)
SIGNED, SENT = FilingState.SIGNED, FilingState.SENT
# An answer follows a transmission (the authority did not have the filing before) or a consult.
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
jitters = st.floats(min_value=0, max_value=1)


class TestFirstAnswer:
    @pytest.mark.parametrize(
        ("outcome", "after_sending", "after_asking"),
        [
            (AUTHORIZED, FilingRegistered(AUTHORIZED), FilingRegistered(AUTHORIZED)),
            (REJECTED, FilingRefused(REJECTED), FilingRefused(REJECTED)),
            (DENIED, FilingRefused(DENIED), FilingRefused(DENIED)),
            (CANCELED, ContinueFiling(SENT, AT_ONCE, 1), FilingRegistered(CANCELED)),
            (ENDED, ContinueFiling(SENT, AT_ONCE, 1), FilingRegistered(ENDED)),
            (DUPLICATE, ContinueFiling(SENT, AT_ONCE, 1), ContinueFiling(SENT, AT_ONCE, 1)),
            (UNKNOWN, ContinueFiling(SIGNED, AT_ONCE, 0), ContinueFiling(SIGNED, AT_ONCE, 0)),
            (PROCESSING, ContinueFiling(SIGNED, FIRST, 1), ContinueFiling(SENT, FIRST, 1)),
            (UNAVAILABLE, ContinueFiling(SIGNED, FIRST, 1), ContinueFiling(SENT, FIRST, 1)),
            (CLOSED, ContinueFiling(SIGNED, FIRST, 1), ContinueFiling(SENT, FIRST, 1)),
            (THROTTLED, ContinueFiling(SIGNED, HOUR, 1), ContinueFiling(SENT, HOUR, 1)),
            (THROTTLED_FOR_HOW_LONG, ContinueFiling(SIGNED, FIRST, 1), ContinueFiling(SENT, FIRST, 1)),
            (LOST, ContinueFiling(SENT, FIRST, 1), ContinueFiling(SENT, FIRST, 1)),
            (NOT_SENT, ContinueFiling(SIGNED, FIRST, 1), ContinueFiling(SENT, FIRST, 1)),
        ],
    )
    def test_first_answer_leads_to_the_state_in_the_table(
        self, outcome: Outcome, after_sending: FilingDecision, after_asking: FilingDecision
    ) -> None:
        assert JUDGE.decide(SIGNED, 0, outcome) == after_sending
        assert JUDGE.decide(SENT, 0, outcome) == after_asking

    def test_table_has_every_type_of_answer(self) -> None:
        assert {type(outcome) for outcome in OUTCOMES} == set(Outcome.__args__)


class TestEnd:
    @given(states, tries, st.sampled_from(OUTCOMES), jitters)
    def test_only_a_refusal_ends_a_filing_as_refused(
        self, state: FilingState, tried: int, outcome: Outcome, jitter: float
    ) -> None:
        decision = FilingDecider(BACKOFF, NOW, jitter).decide(state, tried, outcome)
        assert isinstance(decision, FilingRefused) == (outcome in (REJECTED, DENIED))

    @given(states, tries, st.sampled_from(OUTCOMES), jitters)
    def test_only_a_filing_that_the_authority_has_ends_as_registered(
        self, state: FilingState, tried: int, outcome: Outcome, jitter: float
    ) -> None:
        decision = FilingDecider(BACKOFF, NOW, jitter).decide(state, tried, outcome)
        has_it = outcome is AUTHORIZED or (outcome in (CANCELED, ENDED) and state is SENT)
        assert isinstance(decision, FilingRegistered) == has_it

    @given(states, tries, st.sampled_from(OUTCOMES))
    def test_final_decision_has_the_authoritys_message(
        self, state: FilingState, tried: int, outcome: Outcome
    ) -> None:
        decision = JUDGE.decide(state, tried, outcome)
        assert isinstance(decision, ContinueFiling) or decision.answer is outcome


class TestGoingOn:
    @given(tries, st.sampled_from((DUPLICATE, UNAVAILABLE, THROTTLED, LOST, NOT_SENT)), jitters)
    def test_filing_is_not_resent_before_the_authority_says_that_it_lacks_it(
        self, tried: int, outcome: Outcome, jitter: float
    ) -> None:
        decision = FilingDecider(BACKOFF, NOW, jitter).decide(SENT, tried, outcome)
        assert isinstance(decision, ContinueFiling)
        assert decision.state is SENT

    @pytest.mark.parametrize("state", STATES)
    def test_filing_that_the_authority_lacks_is_sent_again_at_once(self, state: FilingState) -> None:
        assert JUDGE.decide(state, 3, UNKNOWN) == ContinueFiling(SIGNED, AT_ONCE, 3)

    @given(st.sampled_from((DUPLICATE, CANCELED)), st.integers(min_value=1, max_value=100), jitters)
    def test_contradicting_authority_is_consulted_with_pauses(
        self, outcome: Outcome, tried: int, jitter: float
    ) -> None:
        decision = FilingDecider(BACKOFF, NOW, jitter).decide(SIGNED, tried, outcome)
        assert decision == ContinueFiling(SENT, BACKOFF.pause(tried, jitter), tried + 1)

    @given(states, tries, jitters)
    def test_pause_that_the_authority_asks_for_is_kept(
        self, state: FilingState, tried: int, jitter: float
    ) -> None:
        decision = FilingDecider(BACKOFF, NOW, jitter).decide(state, tried, THROTTLED)
        assert isinstance(decision, ContinueFiling)
        assert decision.after >= HOUR

    @given(states, tries, st.sampled_from(FAILURES))
    def test_pauses_grow(self, state: FilingState, tried: int, outcome: Outcome) -> None:
        decision = JUDGE.decide(state, tried, outcome)
        assert isinstance(decision, ContinueFiling)
        following = JUDGE.decide(state, decision.tries, outcome)
        assert isinstance(following, ContinueFiling)
        assert AT_ONCE < decision.after <= following.after
        assert decision.tries == tried + 1


class TestQuestions:
    """An authority blocks ten consults of a key or twenty events in an hour (NT 2018.002)."""

    MAX_CONSULTS, MAX_SUBMISSIONS = 10, 20
    LONG = timedelta(hours=3)

    @given(
        st.lists(st.sampled_from((CANCELED, DUPLICATE, UNKNOWN, *FAILURES)), min_size=1, max_size=40), jitters
    )
    def test_requests_stay_below_the_limits_in_any_hour(self, outcomes: list[Outcome], jitter: float) -> None:
        put = self._moments(outcomes, jitter)
        for state, most in ((SENT, self.MAX_CONSULTS), (SIGNED, self.MAX_SUBMISSIONS)):
            moments = [moment for moment, of in put if of is state]
            assert all(sum(start <= moment < start + HOUR for moment in moments) <= most for start in moments)

    @pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
    def test_filing_of_unknown_outcome_is_consulted_for_as_long_as_it_takes(self, jitter: float) -> None:
        """Hours later the filing is still consulted, several times an hour."""
        moments = [moment for moment, _ in self._moments([LOST], jitter)]
        gaps = [later - earlier for earlier, later in pairwise([*moments, self.LONG])]
        assert max(gaps) <= timedelta(minutes=20)

    def _moments(self, outcomes: list[Outcome], jitter: float) -> list[tuple[timedelta, FilingState]]:
        """Returns when a filing is sent (signed) or consulted (sent) if these outcomes repeat."""
        judge, answers = FilingDecider(BACKOFF, NOW, jitter), cycle(outcomes)
        put: list[tuple[timedelta, FilingState]] = []
        moment, here = timedelta(0), ContinueFiling(SIGNED, AT_ONCE, 0)
        while moment < self.LONG and len(put) < 1000:
            put.append((moment, here.state))
            decision = judge.decide(here.state, here.tries, self._fitting(here.state, next(answers)))
            assert isinstance(decision, ContinueFiling)
            here, moment = decision, moment + decision.after + timedelta(seconds=1)
        return put

    def _fitting(self, state: FilingState, outcome: Outcome) -> Outcome:
        """A transmission is never answered by "unknown"; a consult never ends the filing here."""
        unfitting = UNKNOWN if state is SIGNED else CANCELED
        return LOST if outcome is unfitting else outcome
