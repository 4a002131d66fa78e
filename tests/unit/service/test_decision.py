"""The decision after an answer, for every outcome and every state of an attempt."""

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
from carimbo.service.issuing.decision import (
    ContinueAttempt,
    IssuingDecider,
    IssuingDecision,
    NumberTaken,
    PendingAttempt,
)
from carimbo.service.waiting import AT_ONCE
from carimbo.settings import Settings

NOW = datetime(2026, 11, 10, 12, tzinfo=UTC)
KEY, OTHER_KEY = "35" + 42 * "1", "35" + 42 * "2"
BACKOFF = Settings().authority_backoff
NO_JITTER = 0.5
JUDGE = IssuingDecider(BACKOFF, NOW, NO_JITTER)
SIGNED, SENT = EmissionState.SIGNED, EmissionState.SENT
# An answer follows a transmission (the authority may have the document) or a consult.
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
INUTILIZED = Rejected(code="206", message="NF-e já está inutilizada", spends_number=True)
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
    AUTHORIZED, REJECTED, INUTILIZED, DENIED, CANCELED, CANCELED_SOMEHOW, ENDED, ENDED_SOMEHOW, DUPLICATE,
    OUR_DUPLICATE, FOREIGN, NUMBER_OF_ANOTHER, UNKNOWN, PROCESSING, UNAVAILABLE, CLOSING, CLOSED,
    THROTTLED, THROTTLED_FOR_HOW_LONG, LOST, NOT_SENT,
)  # fmt: skip
OPEN = (
    CANCELED_SOMEHOW, ENDED_SOMEHOW, DUPLICATE, OUR_DUPLICATE, NUMBER_OF_ANOTHER, UNKNOWN, PROCESSING,
    UNAVAILABLE, CLOSING, CLOSED, LOST, NOT_SENT,
)  # fmt: skip
FIRST, HOUR = timedelta(seconds=2), timedelta(hours=1)


def first_attempt(state: EmissionState) -> PendingAttempt:
    return PendingAttempt(KEY, state, tries=0)


def is_open(decision: IssuingDecision) -> bool:
    return isinstance(decision, ContinueAttempt | NumberTaken)


attempts = st.builds(
    PendingAttempt, st.just(KEY), st.sampled_from(STATES), st.integers(min_value=0, max_value=500)
)
jitters = st.floats(min_value=0, max_value=1)


class TestFirstAnswer:
    @pytest.mark.parametrize(
        ("outcome", "after_sending", "after_asking"),
        [
            (AUTHORIZED, AUTHORIZED, AUTHORIZED),
            (REJECTED, REJECTED, REJECTED),
            (DENIED, DENIED, DENIED),
            (CANCELED, CANCELED, CANCELED),
            (CANCELED_SOMEHOW, ContinueAttempt(SENT, AT_ONCE, 1), ContinueAttempt(SENT, AT_ONCE, 1)),
            (ENDED, ENDED, ENDED),
            (ENDED_SOMEHOW, ContinueAttempt(SENT, AT_ONCE, 1), ContinueAttempt(SENT, AT_ONCE, 1)),
            (DUPLICATE, ContinueAttempt(SENT, AT_ONCE, 1), ContinueAttempt(SENT, AT_ONCE, 1)),
            (OUR_DUPLICATE, ContinueAttempt(SENT, AT_ONCE, 1), ContinueAttempt(SENT, AT_ONCE, 1)),
            (FOREIGN, NumberTaken(FOREIGN), NumberTaken(FOREIGN)),
            (NUMBER_OF_ANOTHER, ContinueAttempt(SIGNED, FIRST, 1), ContinueAttempt(SIGNED, FIRST, 1)),
            (INUTILIZED, NumberTaken(INUTILIZED), NumberTaken(INUTILIZED)),
            (
                UNKNOWN,
                ContinueAttempt(SIGNED, AT_ONCE, 0, unknown_at=NOW),
                ContinueAttempt(SIGNED, AT_ONCE, 0, unknown_at=NOW),
            ),
            (
                PROCESSING,
                ContinueAttempt(SENT, timedelta(seconds=7), 0, "35123"),
                ContinueAttempt(SENT, timedelta(seconds=7), 0, "35123"),
            ),
            (UNAVAILABLE, ContinueAttempt(SIGNED, FIRST, 1), ContinueAttempt(SENT, FIRST, 1)),
            (CLOSING, ContinueAttempt(SIGNED, AT_ONCE, 1), ContinueAttempt(SENT, FIRST, 1)),
            (CLOSED, ContinueAttempt(SIGNED, AT_ONCE, 1), ContinueAttempt(SENT, FIRST, 1)),
            (THROTTLED, ContinueAttempt(SIGNED, HOUR, 1), ContinueAttempt(SENT, HOUR, 1)),
            (THROTTLED_FOR_HOW_LONG, ContinueAttempt(SIGNED, FIRST, 1), ContinueAttempt(SENT, FIRST, 1)),
            (LOST, ContinueAttempt(SENT, FIRST, 1), ContinueAttempt(SENT, FIRST, 1)),
            (NOT_SENT, ContinueAttempt(SIGNED, FIRST, 1), ContinueAttempt(SENT, FIRST, 1)),
            (NO_ROOM, ContinueAttempt(SIGNED, FIRST, 0), ContinueAttempt(SENT, FIRST, 0)),
        ],
    )
    def test_first_answer_leads_to_the_state_in_the_table(
        self, outcome: Outcome, after_sending: IssuingDecision, after_asking: IssuingDecision
    ) -> None:
        assert JUDGE.decide(first_attempt(SIGNED), outcome) == after_sending
        assert JUDGE.decide(first_attempt(SENT), outcome) == after_asking

    def test_table_has_every_type_of_answer(self) -> None:
        kinds = set(Outcome.__args__)
        assert {type(outcome) for outcome in OUTCOMES} == kinds


class TestRefusal:
    @given(attempts, st.sampled_from(OUTCOMES), jitters)
    def test_only_a_rejection_or_a_denial_ends_a_document_as_refused(
        self, attempt: PendingAttempt, outcome: Outcome, jitter: float
    ) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(attempt, outcome)
        assert isinstance(decision, Rejected | Denied) == (outcome in (REJECTED, DENIED))

    @given(attempts, st.sampled_from(OUTCOMES), jitters)
    def test_final_decision_has_the_authoritys_answer_unchanged(
        self, attempt: PendingAttempt, outcome: Outcome, jitter: float
    ) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(attempt, outcome)
        assert is_open(decision) or decision is outcome

    @given(attempts, st.sampled_from(OUTCOMES), jitters)
    def test_number_is_only_given_up_for_a_foreign_key_or_if_it_is_void(
        self, attempt: PendingAttempt, outcome: Outcome, jitter: float
    ) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(attempt, outcome)
        assert isinstance(decision, NumberTaken) == (outcome in (FOREIGN, INUTILIZED))


class TestGoingOn:
    @pytest.mark.parametrize("state", STATES)
    def test_document_that_the_authority_lacks_is_sent_again_at_once(self, state: EmissionState) -> None:
        assert JUDGE.decide(PendingAttempt(KEY, state, 3), UNKNOWN) == ContinueAttempt(
            SIGNED, AT_ONCE, 3, unknown_at=NOW
        )

    @given(
        attempts, st.sampled_from((UNAVAILABLE, THROTTLED, LOST, NOT_SENT, DUPLICATE, PROCESSING)), jitters
    )
    def test_document_is_not_resent_before_the_authority_says_that_it_lacks_it(
        self, attempt: PendingAttempt, outcome: Outcome, jitter: float
    ) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(replace(attempt, state=SENT), outcome)
        assert isinstance(decision, ContinueAttempt)
        assert decision.state is SENT

    @given(st.integers(min_value=1, max_value=100), jitters)
    def test_contradicting_authority_is_consulted_with_pauses(self, tries: int, jitter: float) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(PendingAttempt(KEY, SENT, tries), DUPLICATE)
        assert decision == ContinueAttempt(SENT, BACKOFF.pause(tries, jitter), tries + 1)

    @given(attempts, jitters)
    def test_own_rate_limit_does_not_lengthen_pauses(self, attempt: PendingAttempt, jitter: float) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(attempt, NO_ROOM)
        assert decision == ContinueAttempt(attempt.state, BACKOFF.pause(1, jitter), attempt.tries)

    @given(attempts, jitters)
    def test_pause_that_the_authority_asks_for_is_kept(self, attempt: PendingAttempt, jitter: float) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(attempt, THROTTLED)
        assert isinstance(decision, ContinueAttempt)
        assert decision.after >= HOUR

    @given(attempts, st.sampled_from((UNAVAILABLE, LOST, NOT_SENT, THROTTLED_FOR_HOW_LONG)))
    def test_pauses_grow(self, attempt: PendingAttempt, outcome: Outcome) -> None:
        decision = JUDGE.decide(attempt, outcome)
        assert isinstance(decision, ContinueAttempt)
        following = JUDGE.decide(replace(attempt, tries=decision.tries), outcome)
        assert isinstance(following, ContinueAttempt)
        assert AT_ONCE < decision.after <= following.after
        assert decision.tries == attempt.tries + 1


class TestContingencyThatIsOver:
    @given(attempts, st.sampled_from((CLOSING, CLOSED)), jitters)
    def test_end_of_contingency_returns_the_document_at_once_but_only_once(
        self, attempt: PendingAttempt, outcome: Outcome, jitter: float
    ) -> None:
        decision = IssuingDecider(BACKOFF, NOW, jitter).decide(attempt, outcome)
        assert isinstance(decision, ContinueAttempt)
        assert (decision.state, decision.tries) == (attempt.state, attempt.tries + 1)
        assert (decision.after == AT_ONCE) == (attempt.state is SIGNED and attempt.tries == 0)

    def test_second_end_of_contingency_counts_as_an_outage(self) -> None:
        again = replace(first_attempt(SIGNED), tries=1)
        assert JUDGE.decide(again, CLOSED) == JUDGE.decide(again, UNAVAILABLE)


class TestConsultsByKey:
    """An authority blocks a taxpayer that consults a key more than ten times an hour (NT 2018.002)."""

    MAX_PER_HOUR = 10
    LONG = timedelta(hours=3)

    @given(st.lists(st.sampled_from(OPEN), min_size=1, max_size=40), jitters)
    def test_key_is_consulted_at_most_ten_times_in_any_hour(
        self, outcomes: list[Outcome], jitter: float
    ) -> None:
        consults = self._consult_times(outcomes, jitter)
        busiest = max(
            (sum(start <= other < start + HOUR for other in consults) for start in consults), default=0
        )
        assert busiest <= self.MAX_PER_HOUR

    @pytest.mark.parametrize("jitter", [0.0, 0.5, 1.0])
    def test_document_of_unknown_outcome_is_consulted_for_as_long_as_it_takes(self, jitter: float) -> None:
        """Hours later the key is still consulted, several times an hour."""
        consults = self._consult_times([LOST], jitter)
        gaps = [later - earlier for earlier, later in pairwise([*consults, self.LONG])]
        assert max(gaps) <= timedelta(minutes=20)

    def _consult_times(self, outcomes: list[Outcome], jitter: float) -> list[timedelta]:
        """Returns when a document is consulted by its key if these outcomes repeat in turn."""
        judge, answers = IssuingDecider(BACKOFF, NOW, jitter), cycle(outcomes)
        consults: list[timedelta] = []
        moment, here = timedelta(0), ContinueAttempt(SIGNED, AT_ONCE, 0)
        while moment < self.LONG and len(consults) < 1000:
            if here.state is SENT and here.receipt is None:
                consults.append(moment)
            attempt = PendingAttempt(KEY, here.state, here.tries)
            decision = judge.decide(attempt, next(answers))
            assert isinstance(decision, ContinueAttempt)
            here, moment = decision, moment + decision.after + timedelta(seconds=1)
        return consults
