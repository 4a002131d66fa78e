"""What follows from an answer, for every outcome and every state that an attempt can be in."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import cycle, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.lifecycle import EmissionState
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
from carimbo.service.issuing.decision import Attempt, Decision, Foreign, Judge, Onward
from carimbo.settings import Settings

NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
KEY, OTHER_KEY = "35" + 42 * "1", "35" + 42 * "2"
BACKOFF = Settings().authority_backoff
NO_JITTER = 0.5
JUDGE = Judge(BACKOFF, NOW, NO_JITTER)
SIGNED, SENT = EmissionState.SIGNED, EmissionState.SENT
# An answer comes in after sending (the authority may have it) or after asking.
STATES = (SIGNED, SENT)

AUTHORIZED = Authorized(code="100", message="Autorizado", protocol="1", authorized_at=NOW, protocol_xml=b"")
REJECTED = Rejected(code="528", message="Valor do ICMS difere")
DENIED = Denied(code="302", message="Irregularidade fiscal")
CANCELED = Canceled(code="101", message="Cancelamento", authorization=AUTHORIZED)
CANCELED_SOMEHOW = Canceled(code="101", message="Cancelamento")
ENDED = Closed(code="132", message="Encerramento", authorization=AUTHORIZED)
ENDED_SOMEHOW = Closed(code="609", message="Já está encerrado")
DUPLICATE = Duplicate(code="204", message="Duplicidade")
OUR_DUPLICATE = replace(DUPLICATE, other_key=KEY)
FOREIGN = Duplicate(code="539", message="Duplicidade com diferença na chave", other_key=OTHER_KEY)
NUMBER_OF_ANOTHER = Duplicate(code="613", message="Chave difere da existente", is_another=True)
VOIDED = Rejected(code="206", message="NF-e já está inutilizada", spends_number=True)
UNKNOWN = Unknown(code="217", message="NF-e não consta")
PROCESSING = Processing(code="103", message="Lote recebido", receipt="35123", wait_seconds=7)
UNAVAILABLE = Unavailable(code="108", message="Paralisado", outage=Outage.SHORT)
CLOSING = Unavailable(code="113", message="SVC em desativação", outage=Outage.CONTINGENCY_CLOSING)
CLOSED = Unavailable(code="114", message="SVC desabilitada", outage=Outage.CONTINGENCY_CLOSED)
THROTTLED = Throttled(code="656", message="Consumo indevido", until=NOW + timedelta(hours=1))
THROTTLED_FOR_HOW_LONG = replace(THROTTLED, until=None)
LOST = NotJudged(cause=Cause.TIMEOUT, detail="no answer in 30 s")
NO_ROOM = NotJudged(cause=Cause.NO_ROOM, detail="no room", may_have_arrived=False)
NOT_SENT = NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False)
OUTCOMES: tuple[Outcome, ...] = (
    AUTHORIZED, REJECTED, VOIDED, DENIED, CANCELED, CANCELED_SOMEHOW, ENDED, ENDED_SOMEHOW, DUPLICATE,
    OUR_DUPLICATE, FOREIGN, NUMBER_OF_ANOTHER, UNKNOWN, PROCESSING, UNAVAILABLE, CLOSING, CLOSED,
    THROTTLED, THROTTLED_FOR_HOW_LONG, LOST, NOT_SENT,
)  # fmt: skip
OPEN = (
    CANCELED_SOMEHOW, ENDED_SOMEHOW, DUPLICATE, OUR_DUPLICATE, NUMBER_OF_ANOTHER, UNKNOWN, PROCESSING,
    UNAVAILABLE, CLOSING, CLOSED, LOST, NOT_SENT,
)  # fmt: skip
FIRST, HOUR = timedelta(seconds=2), timedelta(hours=1)


def first_attempt(state: EmissionState) -> Attempt:
    return Attempt(KEY, state, tries=0)


def is_open(decision: Decision) -> bool:
    return isinstance(decision, Onward | Foreign)


attempts = st.builds(Attempt, st.just(KEY), st.sampled_from(STATES), st.integers(min_value=0, max_value=500))
dice = st.floats(min_value=0, max_value=1)


class TestFirstAnswer:
    @pytest.mark.parametrize(
        ("outcome", "after_sending", "after_asking"),
        [
            (AUTHORIZED, AUTHORIZED, AUTHORIZED),
            (REJECTED, REJECTED, REJECTED),
            (DENIED, DENIED, DENIED),
            (CANCELED, CANCELED, CANCELED),
            (CANCELED_SOMEHOW, Onward(SENT, AT_ONCE, 1), Onward(SENT, AT_ONCE, 1)),
            (ENDED, ENDED, ENDED),
            (ENDED_SOMEHOW, Onward(SENT, AT_ONCE, 1), Onward(SENT, AT_ONCE, 1)),
            (DUPLICATE, Onward(SENT, AT_ONCE, 1), Onward(SENT, AT_ONCE, 1)),
            (OUR_DUPLICATE, Onward(SENT, AT_ONCE, 1), Onward(SENT, AT_ONCE, 1)),
            (FOREIGN, Foreign(FOREIGN), Foreign(FOREIGN)),
            (NUMBER_OF_ANOTHER, Onward(SIGNED, FIRST, 1), Onward(SIGNED, FIRST, 1)),
            (VOIDED, Foreign(VOIDED), Foreign(VOIDED)),
            (
                UNKNOWN,
                Onward(SIGNED, AT_ONCE, 0, unknown_at=NOW),
                Onward(SIGNED, AT_ONCE, 0, unknown_at=NOW),
            ),
            (
                PROCESSING,
                Onward(SENT, timedelta(seconds=7), 0, "35123"),
                Onward(SENT, timedelta(seconds=7), 0, "35123"),
            ),
            (UNAVAILABLE, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
            (CLOSING, Onward(SIGNED, AT_ONCE, 1), Onward(SENT, FIRST, 1)),
            (CLOSED, Onward(SIGNED, AT_ONCE, 1), Onward(SENT, FIRST, 1)),
            (THROTTLED, Onward(SIGNED, HOUR, 1), Onward(SENT, HOUR, 1)),
            (THROTTLED_FOR_HOW_LONG, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
            (LOST, Onward(SENT, FIRST, 1), Onward(SENT, FIRST, 1)),
            (NOT_SENT, Onward(SIGNED, FIRST, 1), Onward(SENT, FIRST, 1)),
            (NO_ROOM, Onward(SIGNED, FIRST, 0), Onward(SENT, FIRST, 0)),
        ],
    )
    def test_leads_where_the_table_says(
        self, outcome: Outcome, after_sending: Decision, after_asking: Decision
    ) -> None:
        assert JUDGE.decide(first_attempt(SIGNED), outcome) == after_sending
        assert JUDGE.decide(first_attempt(SENT), outcome) == after_asking

    def test_of_every_kind_is_in_the_table(self) -> None:
        kinds = set(Outcome.__args__)
        assert {type(outcome) for outcome in OUTCOMES} == kinds


class TestRefusal:
    @given(attempts, st.sampled_from(OUTCOMES), dice)
    def test_nothing_but_a_rejection_or_a_denial_ends_a_document_as_refused(
        self, attempt: Attempt, outcome: Outcome, thrown: float
    ) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(attempt, outcome)
        assert isinstance(decision, Rejected | Denied) == (outcome in (REJECTED, DENIED))

    @given(attempts, st.sampled_from(OUTCOMES), dice)
    def test_an_end_is_what_the_authority_said_unchanged(
        self, attempt: Attempt, outcome: Outcome, thrown: float
    ) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(attempt, outcome)
        assert is_open(decision) or decision is outcome

    @given(attempts, st.sampled_from(OUTCOMES), dice)
    def test_a_number_is_only_given_up_for_a_key_that_is_not_ours_or_if_it_is_void(
        self, attempt: Attempt, outcome: Outcome, thrown: float
    ) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(attempt, outcome)
        assert isinstance(decision, Foreign) == (outcome in (FOREIGN, VOIDED))


class TestGoingOn:
    @pytest.mark.parametrize("state", STATES)
    def test_what_the_authority_does_not_have_is_sent_again_at_once(self, state: EmissionState) -> None:
        assert JUDGE.decide(Attempt(KEY, state, 3), UNKNOWN) == Onward(SIGNED, AT_ONCE, 3, unknown_at=NOW)

    @given(attempts, st.sampled_from((UNAVAILABLE, THROTTLED, LOST, NOT_SENT, DUPLICATE, PROCESSING)), dice)
    def test_what_may_be_there_is_not_sent_again_before_the_authority_disowns_it(
        self, attempt: Attempt, outcome: Outcome, thrown: float
    ) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(replace(attempt, state=SENT), outcome)
        assert isinstance(decision, Onward)
        assert decision.state is SENT

    @given(st.integers(min_value=1, max_value=100), dice)
    def test_an_authority_that_contradicts_itself_is_asked_with_pauses(
        self, tries: int, thrown: float
    ) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(Attempt(KEY, SENT, tries), DUPLICATE)
        assert decision == Onward(SENT, BACKOFF.pause(tries, thrown), tries + 1)

    @given(attempts, dice)
    def test_our_own_crowd_makes_nobody_come_less_often(self, attempt: Attempt, thrown: float) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(attempt, NO_ROOM)
        assert decision == Onward(attempt.state, BACKOFF.pause(1, thrown), attempt.tries)

    @given(attempts, dice)
    def test_the_authority_s_own_pause_is_kept(self, attempt: Attempt, thrown: float) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(attempt, THROTTLED)
        assert isinstance(decision, Onward)
        assert decision.after >= HOUR

    @given(attempts, st.sampled_from((UNAVAILABLE, LOST, NOT_SENT, THROTTLED_FOR_HOW_LONG)))
    def test_pauses_grow(self, attempt: Attempt, outcome: Outcome) -> None:
        decision = JUDGE.decide(attempt, outcome)
        assert isinstance(decision, Onward)
        following = JUDGE.decide(replace(attempt, tries=decision.tries), outcome)
        assert isinstance(following, Onward)
        assert AT_ONCE < decision.after <= following.after
        assert decision.tries == attempt.tries + 1


class TestContingencyThatIsOver:
    @given(attempts, st.sampled_from((CLOSING, CLOSED)), dice)
    def test_sends_the_document_back_at_once_but_not_over_and_over(
        self, attempt: Attempt, outcome: Outcome, thrown: float
    ) -> None:
        decision = Judge(BACKOFF, NOW, thrown).decide(attempt, outcome)
        assert isinstance(decision, Onward)
        assert (decision.state, decision.tries) == (attempt.state, attempt.tries + 1)
        assert (decision.after == AT_ONCE) == (attempt.state is SIGNED and attempt.tries == 0)

    def test_after_one_return_it_is_an_outage_like_any_other(self) -> None:
        again = replace(first_attempt(SIGNED), tries=1)
        assert JUDGE.decide(again, CLOSED) == JUDGE.decide(again, UNAVAILABLE)


class TestConsultsByKey:
    """An authority blocks whoever asks for one key more than ten times an hour (NT 2018.002)."""

    MOST_AN_HOUR = 10
    LONG = timedelta(hours=3)

    @given(st.lists(st.sampled_from(OPEN), min_size=1, max_size=40), dice)
    def test_are_at_most_ten_in_any_hour_whatever_comes_back(
        self, outcomes: list[Outcome], thrown: float
    ) -> None:
        asked = self._moments_of_asking(outcomes, thrown)
        busiest = max((sum(start <= other < start + HOUR for other in asked) for start in asked), default=0)
        assert busiest <= self.MOST_AN_HOUR

    @pytest.mark.parametrize("thrown", [0.0, 0.5, 1.0])
    def test_never_end(self, thrown: float) -> None:
        """Hours later it is still asked for, several times an hour."""
        asked = self._moments_of_asking([LOST], thrown)
        gaps = [later - earlier for earlier, later in pairwise([*asked, self.LONG])]
        assert max(gaps) <= timedelta(minutes=20)

    def _moments_of_asking(self, outcomes: list[Outcome], thrown: float) -> list[timedelta]:
        """When a document is asked for by its key, if these come back in turn, over and over."""
        judge, answers = Judge(BACKOFF, NOW, thrown), cycle(outcomes)
        asked: list[timedelta] = []
        moment, here = timedelta(0), Onward(SIGNED, AT_ONCE, 0)
        while moment < self.LONG and len(asked) < 1000:
            if here.state is SENT and here.receipt is None:
                asked.append(moment)
            attempt = Attempt(KEY, here.state, here.tries)
            decision = judge.decide(attempt, next(answers))
            assert isinstance(decision, Onward)
            here, moment = decision, moment + decision.after + timedelta(seconds=1)
        return asked
