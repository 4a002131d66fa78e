"""A model of workers that share one stream, of the authority that they ask, and of what people do meanwhile.

Time is virtual. The workers do what service/receiving/streams.py does; the decisions are the real ones.
"""

from collections.abc import Generator
from copy import copy
from dataclasses import dataclass, field
from datetime import timedelta

from carimbo.fiscal.distribution import DistributionAnswer, DistributionPage
from carimbo.fiscal.outcome import Cause, NotJudged, Outage, Rejected, Throttled, Unavailable
from carimbo.service.receiving.decision import BETWEEN_PAGES, StreamDecider, decide_single
from carimbo.storage.stream_steps import StreamChange
from carimbo.storage.work import LeaseLost
from unit.service.stream_authority import DAY, HOUR, UNKNOWN_NSU, ModelAuthority
from unit.service.stream_numbers import NumberRecord
from unit.service.stream_row import LEASE, ModelStream

LOST = NotJudged(cause=Cause.TIMEOUT, detail="no answer in 30 s")
_UNKNOWN_NSU_CODES = frozenset({UNKNOWN_NSU})
_NOBODY_ASKS = timedelta(hours=1)
_MAX_QUESTIONS = 3000
"""More than any sequence of a test needs."""
_AFTER_SILENCE = timedelta(minutes=10)
# Questions that the authority does not count.
_FAILURES: dict[str, DistributionAnswer] = {
    "refused": NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False),
    "not accepted": NotJudged(
        cause=Cause.CERTIFICATE_NOT_ACCEPTED, detail="alert certificate unknown", may_have_arrived=False
    ),
    "outage": Unavailable(code="108", message="Serviço paralisado", outage=Outage.SHORT),
    "593": Rejected(code="593", message="CNPJ-base difere", retryable=True),
    "215": Rejected(code="215", message="Falha no schema"),
}
_LAGGING = "lagging"
"""A server of the authority answers that does not have the newest numbers yet."""

Turn = Generator[None, str, None]
"""The steps of a worker. It stops at each `yield`, and gets the fate of a question if it sends one next."""


@dataclass
class ClaimedRow:
    """The row as a worker read it when it claimed it."""

    token: int
    claimed_at: timedelta
    row: ModelStream
    asker: int
    """The certificate that asks."""

    def is_held(self, now: timedelta) -> bool:
        """Returns what Lease.require_held checks."""
        return now < self.claimed_at + LEASE


@dataclass
class Installation:
    """Workers, their stream, the authority, and what happened."""

    authority: ModelAuthority = field(default_factory=ModelAuthority)
    stream: ModelStream = field(default_factory=ModelStream)
    numbers: NumberRecord = field(default_factory=NumberRecord)
    turns: dict[int, Turn] = field(default_factory=dict)
    """What each worker does now."""
    now: timedelta = timedelta(0)
    jitter: float = 0.0
    sequence: int = 0
    """The sequence of the authority to which the numbers of the row belong."""
    page_questions: list[timedelta] = field(default_factory=list)
    """When questions for pages arrived at the authority."""
    single_questions: list[timedelta] = field(default_factory=list)
    single_calls: list[timedelta] = field(default_factory=list)
    """When questions about single documents were begun."""
    rests: list[timedelta] = field(default_factory=list)
    """When the authority gave an answer after which, as our row knows, an hour has to pass."""
    known_blocks: list[timedelta] = field(default_factory=list)
    """When the authority gave a 656 that we stored."""
    blocks: int = 0
    """How many 656 our questions got."""
    restarts: int = 0
    """How often the stream began at zero again."""
    blamed: int = 0
    """How often an answer was taken for a sign of another reader."""

    # What workers do.

    def step(self, worker: int, fate: str) -> None:
        """Does the next step of a worker; `fate` is that of a question, if it is sent now."""
        turn = self.turns.get(worker)
        try:
            if turn is None:
                self.turns[worker] = turn = self._advance()
                next(turn)
            else:
                turn.send(fate)
        except (StopIteration, LeaseLost):
            del self.turns[worker]

    def turn(self, worker: int, fate: str) -> None:
        """Does all steps that a worker has before it, without an interruption."""
        self.step(worker, fate)
        while worker in self.turns:
            self.step(worker, fate)

    def ask(self, worker: int, fate: str, times: int = 1) -> None:
        """Waits until the row is due and nobody holds it, and does a turn."""
        for _ in range(times):
            self._wait_until_due()
            self.turn(worker, fate)

    def ask_page(self, worker: int, fate: str) -> None:
        """Waits besides until a question for a page is allowed."""
        self.now = max(self.now, self.stream.due_at)
        self.ask(worker, fate)

    def freeze(self, worker: int, fate: str, steps: int) -> None:
        """Waits until the row is due, and does only the first steps of a turn. It may go on later."""
        self._wait_until_due()
        for _ in range(steps):
            self.step(worker, fate)

    def _wait_until_due(self) -> None:
        stream = self.stream
        self.now = max(self.now, stream.lease_until or self.now, stream.next_action_at or self.now)

    def kill(self, worker: int) -> None:
        """Ends a worker; one that only gets no steps for a while is frozen."""
        self.turns.pop(worker, None)

    # What other programs and people do.

    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    def wait_days(self, days: int) -> None:
        self.now += days * DAY
        self.give_up_gaps()

    def give_up_gaps(self) -> None:
        """Does the hourly work: it closes old gaps, whoever holds the row."""
        self.stream.give_up_gaps(self.now)
        self.numbers.give_up_old(self.stream, self.now)

    def sync(self) -> None:
        """A person wants the documents now, or again after the reception was stopped."""
        self.stream.open(self.now)

    def stop(self) -> None:
        """The company follows the stream no more; a question that a worker has begun goes on."""
        self.stream.company.is_active = False

    def replace_certificate(self) -> None:
        self.stream.company.certificate += 1
        if self.stream.company.is_active:
            self.stream.wake(self.now)

    def distribute(self, count: int) -> None:
        """Adds documents to the sequence of the authority.

        A new sequence that passes our number before we have noticed it can't be told from the old one.
        """
        size = self.authority.size + count
        self.authority.size = size if self._is_same_sequence else min(size, self._last_nsu - 1)

    def distribute_few(self, count: int, every: int) -> None:
        """Adds numbers to the sequence of which only every so many-th has a document."""
        before = self.authority.size
        self.distribute(count)
        added = range(before + 1, self.authority.size + 1)
        self.authority.absent.update(nsu for nsu in added if nsu % every)

    def forget(self, count: int) -> None:
        """The authority does not keep its oldest documents any longer."""
        self.authority.absent.update(sorted(self.authority.present)[:count])

    def restart(self, size: int) -> None:
        """The authority begins a new sequence, which has not come to our number yet."""
        if self._is_same_sequence and self._last_nsu > 1:
            self.authority.restart(min(size, self._last_nsu - 1))

    def name_number(self, is_named: bool) -> None:
        self.authority.names_number = is_named

    def let_other_reader_ask(self, shift: int) -> None:
        """Another program asks from the right number, or from one below it.

        A lenient authority can't have one: nobody would see what it read. In a new sequence it would keep the
        stream from noticing: the authority would return to an earlier number, for which the stream is parked.
        """
        if self._is_same_sequence and not self.authority.is_lenient:
            self.authority.answer(max(0, (self.authority.returned or 0) + shift), self.now)

    def let_other_reader_read(self, count: int) -> None:
        """Another program gets new documents, as soon as it may ask."""
        self.now = max(self.now, self.authority.rest_until, self.authority.blocked_until)
        self.distribute(count)
        self.let_other_reader_ask(0)

    def let_other_reader_have(self, last_nsu: int) -> None:
        """Another program has come so far, and asks no more."""
        self.authority.returned = min(last_nsu, self.authority.size)

    def let_other_program_ask_single(self, count: int) -> None:
        """Another program asks for single documents, which may get the CNPJ blocked."""
        for _ in range(count):
            self.authority.answer_single(1, self.now)

    @property
    def _last_nsu(self) -> int:
        return self.stream.progress.last_nsu

    @property
    def _is_same_sequence(self) -> bool:
        return self.sequence == self.authority.sequence

    @property
    def is_caught_up(self) -> bool:
        is_at_end = self._is_same_sequence and self._last_nsu == self.authority.size
        return is_at_end and not self.stream.open_gaps and not self.stream.is_parked

    def notice_restart(self) -> None:
        """Lets one worker ask until it begins at zero again, and a person resume the stream."""
        self._calm_down()
        for _ in range(_MAX_QUESTIONS):
            if self._is_same_sequence:
                break
            self.sync()
            self.ask_page(0, "arrives")

    def catch_up(self) -> timedelta:
        """Lets one worker ask, with answers that arrive, and a person who resumes what is parked.

        Returns how long it took until nothing was left.
        """
        begun_at = self.now
        self._calm_down()
        for _ in range(_MAX_QUESTIONS):
            if self.is_caught_up:
                break
            if self.stream.is_parked:
                self.sync()
            self.ask(0, "arrives")
        return self.now - begun_at

    def _calm_down(self) -> None:
        self.name_number(True)
        self.replace_certificate()
        self.sync()

    # The steps of a worker.

    def _advance(self) -> Turn:
        """Does what advance_stream does."""
        token = self.stream.claim(self.now)
        if token is None:
            return
        row = copy(self.stream)
        claimed = ClaimedRow(token, self.now, row, row.company.certificate)
        can_ask, is_proved = row.company.can_ask(self.now), row.company.is_proved
        is_due = self.now >= row.due_at
        yield
        pause, is_idle = BETWEEN_PAGES, False
        if row.is_asked:
            self._store_page(claimed, None, LOST)
            yield
        elif not can_ask or not (is_due or is_proved):
            pause, is_idle = _NOBODY_ASKS, not can_ask
        elif is_due:
            yield from self._ask_for_page(claimed)
        elif self.now >= row.blocked_until and not (yield from self._ask_for_single(claimed)):
            pause = _AFTER_SILENCE
        self.stream.schedule(token, self.now, pause, is_idle=is_idle)

    def _ask_for_page(self, claimed: ClaimedRow) -> Turn:
        if not self.stream.begin(claimed.token, self.now):
            return
        fate = yield
        self._require_held(claimed)
        answer = self._page_answer(claimed, fate)
        answered_at = self.now
        yield
        self._store_page(claimed, claimed.asker, answer)
        if _has_to_rest(answer):
            self.rests.append(answered_at)
        if isinstance(answer, Throttled):
            self.known_blocks.append(answered_at)
        yield

    def _page_answer(self, claimed: ClaimedRow, fate: str) -> DistributionAnswer:
        if fate in _FAILURES:
            return _FAILURES[fate]
        if fate == _LAGGING:
            return Rejected(code=UNKNOWN_NSU, message="NSU superior ao maior")
        progress = claimed.row.progress
        self.page_questions.append(self.now)
        answer = self.authority.answer(progress.last_nsu, self.now)
        self.blocks += isinstance(answer, Throttled)
        if _has_to_rest(answer) and progress.last_nsu >= progress.max_nsu:
            # Even if it never arrives.
            self.rests.append(self.now)
        return LOST if fate == "lost" else answer

    def _store_page(self, claimed: ClaimedRow, asker: int | None, answer: DistributionAnswer) -> None:
        row = claimed.row
        has_rested = row.asked_at < claimed.claimed_at - HOUR
        decider = StreamDecider(row.progress, self.jitter, has_rested, _UNKNOWN_NSU_CODES)
        change: StreamChange = decider.decide(answer)
        before = self._last_nsu
        self.stream.store(claimed.token, asker, change, self.now)
        assert change.is_restart or self._last_nsu >= before
        self.numbers.after_page(change, self.now)
        self.blamed += change.has_other_reader
        if change.is_restart:
            self.restarts += 1
            self.sequence = self.authority.sequence

    def _ask_for_single(self, claimed: ClaimedRow) -> Generator[None, str, bool]:
        gap = self.stream.next_single(self.now)
        if gap is None:
            return True
        first_nsu, nsu = gap.first_nsu, gap.next_nsu
        if not self.stream.begin_single(claimed.token, first_nsu, self.now):
            return True
        self.single_calls.append(self.now)
        self.numbers.require_owed(nsu)
        fate = yield
        self._require_held(claimed)
        answer = self._single_answer(nsu, fate)
        answered_at = self.now
        yield
        change = decide_single(answer, _UNKNOWN_NSU_CODES)
        self.stream.store_single(claimed.token, claimed.asker, first_nsu, nsu, change, self.now)
        self.numbers.after_single(self.stream.gaps[first_nsu], nsu, answer, change)
        if isinstance(answer, Throttled):
            self.known_blocks.append(answered_at)
        yield
        return change.is_settled or change.block is not None

    def _single_answer(self, nsu: int, fate: str) -> DistributionAnswer:
        if fate in _FAILURES:
            return _FAILURES[fate]
        self.single_questions.append(self.now)
        answer = self.authority.answer_single(nsu, self.now)
        self.blocks += isinstance(answer, Throttled)
        return LOST if fate == "lost" else answer

    def _require_held(self, claimed: ClaimedRow) -> None:
        if not claimed.is_held(self.now):
            raise LeaseLost


def _has_to_rest(answer: DistributionAnswer) -> bool:
    return isinstance(answer, Throttled) or (isinstance(answer, DistributionPage) and answer.is_last)
