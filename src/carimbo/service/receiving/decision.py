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
from carimbo.storage.stream_steps import NsuGap, StreamChange, StreamProgress

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

    def decide(self, answer: DistributionAnswer) -> StreamChange:
        """Returns what follows from an answer to a question for a page."""
        match answer:
            case DistributionPage():
                return self._after_page(answer)
            case Throttled():
                return self._after_block(answer)
            case Unavailable():
                return self._waits(_OUTAGE, code=answer.code, message=answer.message)
            case Rejected():
                sentence = f"{answer.code} {answer.message}"
                return self._waits(self._rest(), refusal=sentence, code=answer.code, message=answer.message)
            case UnreadablePage():
                return replace(self._after_silence(answer.failure), body=answer.body)
            case NotJudged():
                return self._after_silence(answer)

    def _after_page(self, page: DistributionPage) -> StreamChange:
        last_nsu = max(self.progress.last_nsu, page.last_nsu)
        progress = StreamProgress(
            last_nsu=last_nsu,
            # Some answers have zero in place of the highest number.
            max_nsu=max(last_nsu, page.max_nsu or self.progress.max_nsu),
            empty_answers=0 if page.documents else self.progress.empty_answers + 1,
        )
        # A page that does not advance would be asked for again and again.
        is_advancing = bool(page.documents) and progress.last_nsu > self.progress.last_nsu
        has_more = is_advancing and not page.is_last
        # Numbers that a page passes over, although there are more documents.
        is_empty = not page.documents and not page.is_last and last_nsu > self.progress.last_nsu
        return StreamChange(
            progress=progress,
            pause=BETWEEN_PAGES if has_more else self._rest(progress.empty_answers),
            body=page.body if page.documents else None,
            gap=NsuGap(self.progress.last_nsu + 1, last_nsu, LOST_ANSWER) if is_empty else None,
            code=page.code,
            message=page.message,
        )

    def _after_block(self, answer: Throttled) -> StreamChange:
        if not answer.was_asked:
            return self._waits(AT_ONCE, block=BLOCK, code=answer.code, message=answer.message)
        ours, theirs = self.progress.last_nsu, answer.last_nsu or 0
        progress = replace(
            self.progress,
            # Without a number it is still unknown whether the lost answer moved the sequence.
            unanswered=0 if theirs else self.progress.unanswered,
            blocks=self.progress.blocks + 1,
        )
        gap, parked = None, None
        is_lost = self.progress.unanswered > 0
        if theirs > ours:
            gap = NsuGap(ours + 1, theirs, LOST_ANSWER if is_lost else OTHER_READER)
            progress = replace(progress, last_nsu=theirs, max_nsu=max(theirs, progress.max_nsu), blocks=0)
        elif 0 < theirs < ours and progress.blocks >= _MAX_WRONG_NUMBERS:
            parked = f"A autoridade voltou ao NSU {theirs}, e o último recebido foi {ours}."
        return StreamChange(
            progress=progress,
            pause=self._rest(),
            block=BLOCK + self._spread(),
            gap=gap,
            # An answer without a number is a limit for requests of any kind (429 of the ADN).
            has_other_reader=answer.last_nsu is not None
            and not is_lost
            and (theirs > ours or self.has_rested),
            parked_reason=parked,
            code=answer.code,
            message=answer.message,
        )

    def _after_silence(self, failure: NotJudged) -> StreamChange:
        is_refused = failure.cause is Cause.CERTIFICATE_NOT_ACCEPTED
        if is_refused or not failure.may_have_arrived:
            refusal = failure.detail if is_refused else None
            pause = AT_ONCE if is_refused else _RETRY
            return self._waits(pause, refusal=refusal, code=failure.code, message=failure.detail)
        unanswered = self.progress.unanswered + 1
        # The lost answer may have been the one after which an hour has to pass.
        may_have_been_last = self.progress.last_nsu >= self.progress.max_nsu
        is_first = unanswered == 1 and not may_have_been_last
        return replace(
            self._waits(_RETRY if is_first else self._rest(), code=failure.code, message=failure.detail),
            progress=replace(self.progress, unanswered=unanswered),
        )

    def _waits(
        self,
        pause: timedelta,
        *,
        block: timedelta | None = None,
        refusal: str | None = None,
        code: str | None = None,
        message: str | None = None,
    ) -> StreamChange:
        """Returns the decision after an answer that changes no number."""
        return StreamChange(
            progress=self.progress, pause=pause, block=block, refusal=refusal, code=code, message=message
        )

    def _rest(self, empty_answers: int = 0) -> timedelta:
        return (_LONG_REST if empty_answers > _RARE_AFTER else REST) + self._spread()

    def _spread(self) -> timedelta:
        return _MAX_JITTER * self.jitter
