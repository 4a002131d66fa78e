"""The decision after an answer of a distribution service (NT 2014.002), for every kind of answer."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carimbo.fiscal.distribution import (
    DistributedDocument,
    DistributionAnswer,
    DistributionPage,
    UnreadablePage,
)
from carimbo.fiscal.outcome import Cause, NotJudged, Outage, Rejected, Throttled, Unavailable
from carimbo.service.receiving.decision import LOST_ANSWER, OTHER_READER, StreamDecider, decide_single
from carimbo.storage.stream_steps import NsuGap, StreamChange, StreamProgress

HOUR, TWO_MINUTES = timedelta(hours=1), timedelta(minutes=2)
BODY = b"<retDistDFeInt/>"
# 100 documents were read, and the authority named 140.
BEHIND = StreamProgress(last_nsu=100, max_nsu=140)
UP_TO_DATE = StreamProgress(last_nsu=140, max_nsu=140)
LOST = NotJudged(cause=Cause.TIMEOUT, detail="no answer in 30 s")
NOT_SENT = NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False)
NOT_ACCEPTED = NotJudged(cause=Cause.CERTIFICATE_NOT_ACCEPTED, detail="alert certificate unknown")
OUTAGE = Unavailable(code="108", message="Serviço paralisado", outage=Outage.SHORT)
NOT_ASKED = Throttled(code="656", message="limite", until=datetime(2026, 11, 10, tzinfo=UTC), was_asked=False)


def page(first: int, last: int, highest: int, schema: str = "procNFe_v4.00.xsd") -> DistributionPage:
    """Returns a page with the documents from the first to the last number."""
    return DistributionPage(
        code="138",
        message="Documento localizado",
        last_nsu=last,
        max_nsu=highest,
        documents=tuple(DistributedDocument(nsu, schema, "") for nsu in range(first, last + 1)),
        is_last=last >= highest,
        body=BODY,
    )


def nothing_new(last: int, highest: int) -> DistributionPage:
    return DistributionPage(
        code="137", message="Nenhum", last_nsu=last, max_nsu=highest, documents=(), is_last=True, body=BODY
    )


def blocked(last: int | None = None) -> Throttled:
    """Returns a 656, which may name the number from which to go on."""
    return Throttled(code="656", message="Consumo indevido", last_nsu=last)


def decide(
    answer: DistributionAnswer,
    progress: StreamProgress = BEHIND,
    *,
    jitter: float = 0.0,
    has_rested: bool = True,
) -> StreamChange:
    return StreamDecider(progress, jitter, has_rested, frozenset({"589"})).decide(answer)


class TestPage:
    def test_next_page_is_asked_for_at_once_while_there_are_more_documents(self) -> None:
        decision = decide(page(101, 120, 140))
        assert decision.progress == StreamProgress(last_nsu=120, max_nsu=140)
        assert timedelta(0) < decision.pause <= timedelta(seconds=5)

    @pytest.mark.parametrize("last", [103, 120])
    def test_page_with_fewer_than_fifty_documents_moves_only_to_the_number_in_the_answer(
        self, last: int
    ) -> None:
        assert decide(page(101, last, 140)).progress.last_nsu == last

    def test_last_page_is_followed_by_more_than_an_hour_of_rest(self) -> None:
        decision = decide(page(101, 140, 140))
        assert decision.progress == UP_TO_DATE
        assert decision.pause > HOUR

    def test_page_without_documents_is_followed_by_more_than_an_hour_of_rest(self) -> None:
        decision = decide(nothing_new(100, 140))
        assert decision.progress == replace(BEHIND, empty_answers=1)
        assert decision.pause > HOUR

    def test_page_that_does_not_advance_is_not_asked_for_again_at_once(self) -> None:
        assert decide(replace(page(101, 120, 140), last_nsu=100)).pause > HOUR

    def test_page_with_more_documents_but_without_any_is_not_followed_at_once(self) -> None:
        assert decide(replace(nothing_new(120, 140), code="138", is_last=False)).pause > HOUR

    def test_lower_number_in_a_page_does_not_move_the_stream_back(self) -> None:
        decision = decide(page(51, 90, 140))
        assert decision.progress.last_nsu == 100
        assert decision.pause > HOUR

    def test_answer_with_documents_is_kept_and_one_without_is_not(self) -> None:
        assert decide(page(101, 120, 140)).body == BODY
        assert decide(nothing_new(100, 140)).body is None

    def test_page_with_files_of_an_unknown_schema_is_kept_like_any_other(self) -> None:
        assert decide(page(101, 120, 140, "procNovo_v9.99.xsd")) == decide(page(101, 120, 140))

    def test_page_ends_the_counts_of_blocks_lost_answers_and_empty_answers(self) -> None:
        before = replace(BEHIND, wrong_numbers=2, unanswered=2, empty_answers=9)
        assert decide(page(101, 120, 140), before).progress == replace(BEHIND, last_nsu=120)

    def test_highest_number_of_zero_is_not_believed(self) -> None:
        decision = decide(replace(page(101, 120, 140), max_nsu=0, is_last=True))
        assert decision.progress == StreamProgress(last_nsu=120, max_nsu=140)

    def test_service_that_names_no_highest_number_is_behind_until_nothing_more_comes(self) -> None:
        decision = decide(replace(page(141, 190, 190), is_last=False), UP_TO_DATE)
        assert decision.progress == StreamProgress(last_nsu=190, max_nsu=191)
        decision = decide(nothing_new(0, 0), decision.progress)
        assert (decision.progress.last_nsu, decision.progress.max_nsu) == (190, 190)

    def test_numbers_that_an_answer_without_documents_passes_over_leave_a_gap(self) -> None:
        assert decide(nothing_new(140, 140)).gap is None
        passing = replace(nothing_new(120, 140), code="138", is_last=False)
        assert decide(passing).gap == NsuGap(101, 120, LOST_ANSWER)
        after_lost = replace(BEHIND, unanswered=1)
        assert decide(nothing_new(140, 140), after_lost).gap == NsuGap(101, 140, LOST_ANSWER)

    def test_highest_number_is_never_below_the_last_one(self) -> None:
        decision = decide(replace(page(1, 50, 50), max_nsu=0), StreamProgress())
        assert decision.progress.max_nsu == 50

    def test_questions_become_rare_after_a_day_of_answers_without_documents(self) -> None:
        pauses = []
        progress = UP_TO_DATE
        for _ in range(30):
            decision = decide(nothing_new(140, 140), progress)
            pauses.append(decision.pause)
            progress = decision.progress
        assert all(HOUR < pause < 2 * HOUR for pause in pauses[:24])
        assert all(pause >= 6 * HOUR for pause in pauses[24:])


class TestBlock:
    """After a 656 nothing is asked for an hour: every question during the block makes it longer."""

    @pytest.mark.parametrize("last", [None, 0, 50, 100, 120])
    def test_nothing_is_asked_for_more_than_an_hour(self, last: int | None) -> None:
        decision = decide(blocked(last))
        assert decision.block is not None
        assert decision.block > HOUR

    def test_higher_number_is_taken_over_and_leaves_a_gap(self) -> None:
        decision = decide(blocked(120))
        assert decision.progress == replace(BEHIND, last_nsu=120)
        assert decision.gap == NsuGap(101, 120, OTHER_READER)
        assert decision.has_other_reader

    def test_number_above_the_highest_raises_the_highest(self) -> None:
        assert decide(blocked(150)).progress == StreamProgress(last_nsu=150, max_nsu=150)

    @pytest.mark.parametrize("last", [None, 0, 50, 100])
    def test_number_that_is_not_higher_changes_no_number(self, last: int | None) -> None:
        decision = decide(blocked(last))
        assert decision.progress == replace(BEHIND, wrong_numbers=1 if last == 50 else 0)
        assert decision.gap is None

    def test_gap_after_a_lost_answer_is_not_blamed_on_another_reader(self) -> None:
        decision = decide(blocked(120), replace(BEHIND, unanswered=1))
        assert decision.gap == NsuGap(101, 120, LOST_ANSWER)
        assert not decision.has_other_reader
        assert decision.progress.unanswered == 0

    def test_lost_answer_is_remembered_through_a_block_that_names_no_number(self) -> None:
        before = decide(blocked(), replace(BEHIND, unanswered=1)).progress
        assert decide(blocked(120), before).gap == NsuGap(101, 120, LOST_ANSWER)

    def test_block_after_an_hour_of_rest_is_due_to_another_reader(self) -> None:
        assert decide(blocked(100)).has_other_reader
        assert not decide(blocked(100), has_rested=False).has_other_reader

    def test_limit_that_names_no_number_says_nothing_about_other_readers(self) -> None:
        limited = decide(Throttled(code="429", message="HTTP 429"))
        assert not limited.has_other_reader
        assert limited.block is not None

    def test_lower_number_parks_the_stream_only_the_third_time(self) -> None:
        progress, parked = BEHIND, []
        for _ in range(3):
            decision = decide(blocked(50), progress)
            progress = decision.progress
            parked.append(decision.parked_reason is not None)
        assert parked == [False, False, True]
        assert (progress.last_nsu, decision.is_restart) == (0, True)
        assert decide(blocked(50), progress).gap == NsuGap(1, 50, LOST_ANSWER)

    def test_any_number_of_blocks_by_another_reader_does_not_park_the_stream(self) -> None:
        before = replace(BEHIND, wrong_numbers=9)
        assert [decide(blocked(last), before).parked_reason for last in (None, 100, 120)] == [None] * 3

    def test_question_that_our_own_limit_prevented_counts_as_no_block_of_the_authority(self) -> None:
        decision = decide(NOT_ASKED)
        assert decision.progress == BEHIND
        assert not decision.has_other_reader
        assert decision.block is not None
        assert decision.block > HOUR


class TestProof:
    """Anybody can make a certificate with any CNPJ: only the service itself proves that it is genuine."""

    @pytest.mark.parametrize(
        ("answer", "is_proof"),
        [
            (page(101, 120, 140), True),
            (nothing_new(100, 140), True),
            (blocked(100), True),
            (Throttled(code="429", message="HTTP 429"), False),
            (NOT_ASKED, False),
            (Rejected(code="215", message="Falha no schema"), False),
            (OUTAGE, False),
            (LOST, False),
        ],
    )
    def test_only_an_answer_of_the_service_proves_a_certificate(
        self, answer: DistributionAnswer, is_proof: bool
    ) -> None:
        assert decide(answer).is_proof is is_proof


class TestRefusal:
    def test_rejection_because_of_the_sender_refuses_the_company_and_not_the_stream(self) -> None:
        decision = decide(Rejected(code="593", message="CNPJ-base difere", retryable=True))
        assert (decision.refusal, decision.failure) == ("593 CNPJ-base difere", None)
        assert (decision.parked_reason, decision.block, decision.progress) == (None, None, BEHIND)
        assert decision.pause > HOUR

    def test_other_rejection_refuses_nobody_and_is_shown(self) -> None:
        decision = decide(Rejected(code="215", message="Falha no schema"))
        assert (decision.refusal, decision.failure) == (None, "215 Falha no schema")
        assert (decision.parked_reason, decision.progress) == (None, BEHIND)
        assert decision.pause > HOUR

    def test_number_that_the_authority_does_not_know_begins_anew_only_the_third_time(self) -> None:
        unknown = Rejected(code="589", message="NSU superior")
        first = decide(unknown)
        assert (first.parked_reason, first.is_restart, first.pause > HOUR) == (None, False, True)
        assert first.failure == "589 NSU superior"
        second = decide(unknown, first.progress)
        third = decide(unknown, second.progress)
        assert second.progress == replace(BEHIND, wrong_numbers=2)
        assert (third.parked_reason, third.is_restart) == (third.failure, True)
        assert "NSU 100 (589)" in str(third.parked_reason)
        after = decide(blocked(50), third.progress)
        assert after.gap == NsuGap(1, 50, LOST_ANSWER)
        assert not after.has_other_reader

    def test_number_that_the_authority_knows_again_is_forgiven(self) -> None:
        unknown = Rejected(code="589", message="NSU superior")
        assert decide(blocked(100), decide(unknown).progress).progress == BEHIND

    def test_certificate_that_tls_refuses_leaves_the_question_to_another_company_at_once(self) -> None:
        decision = decide(NOT_ACCEPTED)
        assert decision.refusal == NOT_ACCEPTED.detail
        assert (decision.pause, decision.progress) == (timedelta(0), BEHIND)


class TestSilence:
    @pytest.mark.parametrize("answer", [NOT_SENT, OUTAGE])
    def test_outage_is_waited_for_without_counting_the_question(self, answer: DistributionAnswer) -> None:
        decision = decide(answer)
        assert timedelta(minutes=10) <= decision.pause < HOUR
        assert (decision.progress, decision.refusal, decision.block) == (BEHIND, None, None)

    def test_lost_answer_is_asked_for_once_in_two_minutes_and_then_hourly(self) -> None:
        pauses, progress = [], BEHIND
        for _ in range(3):
            decision = decide(LOST, progress)
            pauses.append(decision.pause)
            progress = decision.progress
        assert pauses[0] == TWO_MINUTES
        assert all(HOUR < pause < 2 * HOUR for pause in pauses[1:])
        assert progress == replace(BEHIND, unanswered=3)

    def test_answer_that_cannot_be_read_is_kept_and_counts_as_lost(self) -> None:
        unreadable = UnreadablePage(LOST, b"<retDistDFeInt><loteDi")
        assert decide(unreadable) == replace(decide(LOST), body=unreadable.body)

    def test_no_more_than_three_unreadable_answers_in_a_row_are_kept(self) -> None:
        unreadable, progress, kept = UnreadablePage(LOST, b"<retDistDFeInt><loteDi"), BEHIND, []
        for _ in range(5):
            decision = decide(unreadable, progress)
            progress = decision.progress
            kept.append(decision.body is not None)
        assert kept == [True] * 3 + [False] * 2

    @pytest.mark.parametrize("progress", [StreamProgress(), UP_TO_DATE])
    def test_lost_answer_that_may_have_been_the_last_page_is_followed_by_an_hour(
        self, progress: StreamProgress
    ) -> None:
        assert decide(LOST, progress).pause > HOUR

    def test_refused_connection_does_not_forgive_a_lost_answer(self) -> None:
        before = decide(NOT_SENT, replace(BEHIND, unanswered=1)).progress
        assert decide(LOST, before).pause > HOUR


class TestSingle:
    @pytest.mark.parametrize(
        ("answer", "is_settled", "is_refused"),
        [
            (page(101, 101, 140), True, False),
            (nothing_new(101, 140), True, False),
            (UnreadablePage(LOST, BODY), True, False),
            (Rejected(code="640", message="Sem permissão"), True, False),
            (Rejected(code="215", message="Falha no schema"), False, False),
            (Rejected(code="593", message="CNPJ-base difere", retryable=True), False, True),
            (OUTAGE, False, False),
            (LOST, False, False),
        ],
    )
    def test_only_an_answer_about_the_document_settles_it(
        self, answer: DistributionAnswer, is_settled: bool, is_refused: bool
    ) -> None:
        change = decide_single(answer, frozenset({"640"}))
        assert (change.is_settled, change.refusal is not None, change.block) == (is_settled, is_refused, None)

    def test_block_ends_all_questions_unless_our_own_limit_prevented_it(self) -> None:
        block = decide_single(blocked(), frozenset()).block
        assert block is not None
        assert block > HOUR
        assert decide_single(NOT_ASKED, frozenset()).block is None


ANSWERS = (
    page(101, 120, 140), page(101, 140, 140), nothing_new(100, 140), blocked(), blocked(50), blocked(120),
    NOT_ASKED, Rejected(code="593", message="CNPJ-base difere"), OUTAGE, LOST, NOT_SENT, NOT_ACCEPTED,
)  # fmt: skip
counts = st.integers(min_value=0, max_value=1000)
progresses = st.builds(
    StreamProgress,
    last_nsu=counts,
    max_nsu=counts,
    empty_answers=counts,
    wrong_numbers=counts,
    unanswered=counts,
)


@given(st.sampled_from(ANSWERS), progresses, st.floats(min_value=0, max_value=1), st.booleans())
def test_pause_is_at_most_a_day_and_numbers_never_fall(
    answer: DistributionAnswer, progress: StreamProgress, jitter: float, has_rested: bool
) -> None:
    """Without a question for 60 days the authority gives no more numbers."""
    decision = decide(answer, progress, jitter=jitter, has_rested=has_rested)
    assert decision.pause + (decision.block or timedelta(0)) <= timedelta(hours=24)
    assert decision.is_restart or decision.progress.last_nsu >= progress.last_nsu
