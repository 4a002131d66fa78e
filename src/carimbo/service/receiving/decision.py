"""Decides what follows from an answer of a distribution service, without I/O.

The services block a CNPJ that asks too much (656): again within an hour after an answer without more
documents, or from another number than the last one that they returned. Every question during a block makes
it longer. A question without an answer may have been counted, and its documents are not returned again.
"""

from dataclasses import dataclass, replace
from datetime import timedelta

from carimbo.fiscal.distribution import DistributionAnswer, DistributionPage, UnreadablePage
from carimbo.fiscal.outcome import Cause, NotJudged, Rejected, Throttled, Unavailable
from carimbo.service.waiting import AT_ONCE
from carimbo.storage.stream_steps import NsuGap, SingleChange, StreamChange, StreamProgress

BETWEEN_PAGES = timedelta(seconds=1)
REST = timedelta(minutes=61)
"""Above the hour that the authority wants, as its clock is not ours."""
_LONG_REST = timedelta(hours=6)
MAX_PAUSE = timedelta(hours=12)
"""Longer than any pause: a later question can only come from a clock that was set back."""
_RARE_AFTER = 24
"""After so many answers without documents the questions become rare."""
BLOCK = timedelta(minutes=65)
_RETRY = timedelta(minutes=2)
_OUTAGE = timedelta(minutes=15)
_MAX_WRONG_NUMBERS = 3
"""So often in a row the authority names an earlier number, or does not know ours, before that is believed."""
_MAX_KEPT_UNREADABLE = 3
"""So many unreadable answers in a row are kept: some services repeat the same one."""
_MAX_JITTER = timedelta(minutes=4)
LAPSE = timedelta(days=60)
"""After this time without a question the authority adds no more documents to the sequence."""
OTHER_READER = "otherReader"
LOST_ANSWER = "lostAnswer"


@dataclass(frozen=True)
class StreamDecider:
    """Decides about the answers to one question."""

    progress: StreamProgress
    jitter: float
    """From 0 to 1."""
    has_rested: bool = True
    """Whether the previous question was more than an hour before this one."""
    unknown_nsu_codes: frozenset[str] = frozenset()
    """The authority's codes for a number above all of its sequence."""

    def decide(self, answer: DistributionAnswer) -> StreamChange:
        """Returns what follows from an answer to a question for a page."""
        match answer:
            case DistributionPage():
                return self._after_page(answer)
            case Throttled():
                return self._after_block(answer)
            case Unavailable():
                return self._waits(_OUTAGE, answer.code, answer.message)
            case Rejected():
                return self._after_rejection(answer)
            case UnreadablePage():
                is_kept = self.progress.unanswered < _MAX_KEPT_UNREADABLE
                return replace(self._after_silence(answer.failure), body=answer.body if is_kept else None)
            case NotJudged():
                return self._after_silence(answer)

    def _after_page(self, page: DistributionPage) -> StreamChange:
        before = self.progress
        last_nsu = max(before.last_nsu, page.last_nsu)
        is_advancing = last_nsu > before.last_nsu
        # A page that does not advance would be asked for again and again.
        has_more = bool(page.documents) and is_advancing and not page.is_last
        # Some answers with documents have zero in place of the highest number, and some services name none.
        highest = page.max_nsu or (before.max_nsu if page.documents else 0)
        progress = StreamProgress(
            last_nsu=last_nsu,
            max_nsu=max(last_nsu + has_more, highest),
            empty_answers=0 if page.documents else before.empty_answers + 1,
        )
        # Numbers that an answer passes over: there are more documents, or they came in a lost answer.
        is_passed = not page.documents and is_advancing and (not page.is_last or before.unanswered > 0)
        return StreamChange(
            progress=progress,
            pause=BETWEEN_PAGES if has_more else self._rest(progress.empty_answers),
            body=page.body if page.documents else None,
            gap=NsuGap(before.last_nsu + 1, last_nsu, LOST_ANSWER) if is_passed else None,
            is_answered=True,
            is_proof=True,
            code=page.code,
            message=page.message,
        )

    def _after_block(self, answer: Throttled) -> StreamChange:
        if not answer.was_asked:
            return replace(self._waits(AT_ONCE, answer.code, answer.message), block=BLOCK)
        ours, theirs = self.progress.last_nsu, answer.last_nsu or 0
        progress, gap, parked = self.progress, None, None
        is_lost = progress.unanswered > 0
        if theirs > ours:
            gap = NsuGap(ours + 1, theirs, LOST_ANSWER if is_lost else OTHER_READER)
            progress = replace(progress, last_nsu=theirs, max_nsu=max(theirs, progress.max_nsu))
        # Without a number it is still unknown whether the lost answer moved the sequence.
        if answer.last_nsu is not None and theirs >= ours:
            progress = replace(progress, wrong_numbers=0, unanswered=0)
        elif theirs > 0:
            progress = replace(progress, wrong_numbers=progress.wrong_numbers + 1, unanswered=0)
            if progress.wrong_numbers >= _MAX_WRONG_NUMBERS:
                parked = (
                    f"A autoridade voltou ao NSU {theirs}, e o último recebido foi {ours}: a próxima consulta"
                    " parte do zero."
                )
                progress = StreamProgress(unanswered=1)
        # An answer without a number is a limit for requests of any kind (429 of the ADN), by any server.
        is_by_service = answer.last_nsu is not None
        return StreamChange(
            progress=progress,
            pause=self._rest(),
            block=BLOCK + self._spread(),
            gap=gap,
            has_other_reader=is_by_service and not is_lost and (theirs > ours or self.has_rested),
            is_answered=True,
            is_proof=is_by_service,
            is_restart=parked is not None,
            parked_reason=parked,
            failure=parked,
            code=answer.code,
            message=answer.message,
        )

    def _after_rejection(self, answer: Rejected) -> StreamChange:
        waiting = self._waits(self._rest(), answer.code, answer.message)
        if answer.code in self.unknown_nsu_codes:
            return self._after_unknown_nsu(waiting)
        if answer.retryable:
            return replace(waiting, refusal=waiting.failure, failure=None)
        return waiting

    def _after_unknown_nsu(self, waiting: StreamChange) -> StreamChange:
        progress = replace(self.progress, wrong_numbers=self.progress.wrong_numbers + 1)
        if progress.wrong_numbers < _MAX_WRONG_NUMBERS:
            return replace(waiting, progress=progress)
        reason = (
            f"A autoridade não tem o NSU {self.progress.last_nsu} ({waiting.code}): a sequência recomeçou"
            " lá, e a próxima consulta parte do zero."
        )
        return replace(
            waiting,
            # As after a lost answer: what a block then says is no sign of another reader.
            progress=StreamProgress(unanswered=1),
            is_restart=True,
            parked_reason=reason,
            failure=reason,
        )

    def _after_silence(self, failure: NotJudged) -> StreamChange:
        if failure.cause is Cause.CERTIFICATE_NOT_ACCEPTED:
            waiting = self._waits(AT_ONCE, failure.code, failure.detail)
            return replace(waiting, refusal=failure.detail, failure=None)
        if not failure.may_have_arrived:
            return self._waits(_OUTAGE, failure.code, failure.detail)
        unanswered = self.progress.unanswered + 1
        # The lost answer may have been the one after which an hour has to pass.
        may_have_been_last = self.progress.last_nsu >= self.progress.max_nsu
        is_first = unanswered == 1 and not may_have_been_last
        return replace(
            self._waits(_RETRY if is_first else self._rest(), failure.code, failure.detail),
            progress=replace(self.progress, unanswered=unanswered),
        )

    def _waits(self, pause: timedelta, code: str | None, message: str) -> StreamChange:
        """Returns the decision after an answer that changes no number."""
        sentence = f"{code} {message}" if code else message
        return StreamChange(progress=self.progress, pause=pause, failure=sentence, code=code, message=message)

    def _rest(self, empty_answers: int = 0) -> timedelta:
        return (_LONG_REST if empty_answers > _RARE_AFTER else REST) + self._spread()

    def _spread(self) -> timedelta:
        return _MAX_JITTER * self.jitter


def decide_single(answer: DistributionAnswer, settled_codes: frozenset[str]) -> SingleChange:
    """Returns what follows from an answer to a question about a single document.

    A document that the authority does not have, or may not give (`settled_codes`), is not asked for again,
    nor is one whose answer can't be read: it would be the same.
    """
    match answer:
        case DistributionPage():
            body = answer.body if answer.documents else None
            return SingleChange(
                body=body, is_settled=True, is_proof=True, code=answer.code, message=answer.message
            )
        case UnreadablePage():
            return SingleChange(body=answer.body, is_settled=True)
        case Rejected():
            is_settled = answer.code in settled_codes
            refusal = f"{answer.code} {answer.message}" if answer.retryable and not is_settled else None
            return SingleChange(
                is_settled=is_settled, refusal=refusal, code=answer.code, message=answer.message
            )
        case Throttled():
            block = BLOCK if answer.was_asked else None
            return SingleChange(block=block, code=answer.code, message=answer.message)
        case Unavailable():
            return SingleChange(code=answer.code, message=answer.message)
        case NotJudged():
            return SingleChange()
