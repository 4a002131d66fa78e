"""A model of a distribution service, of workers that share one stream, and of the company that follows it.

Time is virtual. The row has the semantics of storage/stream_steps.py; the decisions are the real ones.
"""

from dataclasses import dataclass, field
from datetime import timedelta

from carimbo.fiscal.distribution import DistributedDocument, DistributionAnswer, DistributionPage
from carimbo.fiscal.outcome import Cause, NotJudged, Outage, Throttled, Unavailable
from carimbo.service.receiving.decision import REST, StreamDecider
from carimbo.storage.stream_steps import StreamChange, StreamProgress

HOUR = timedelta(hours=1)
LEASE = timedelta(minutes=1)
_STEPS = 4
"""Claim, begin, send and store."""
DAY = timedelta(days=1)
_LONG_AGO = -DAY
_LOST = NotJudged(cause=Cause.TIMEOUT, detail="no answer in 30 s")
_NOT_SENT = NotJudged(cause=Cause.CONNECTION, detail="refused", may_have_arrived=False)
_NOT_ACCEPTED = NotJudged(
    cause=Cause.CERTIFICATE_NOT_ACCEPTED, detail="alert certificate unknown", may_have_arrived=False
)
_OUTAGE = Unavailable(code="108", message="Serviço paralisado", outage=Outage.SHORT)
# Questions that the authority does not count.
_FAILURES: dict[str, DistributionAnswer] = {
    "refused": _NOT_SENT,
    "not accepted": _NOT_ACCEPTED,
    "outage": _OUTAGE,
}


@dataclass
class ModelAuthority:
    """The sequence of one CNPJ at the authority, with the rules of NT 2014.002."""

    size: int = 0
    """The highest number in the sequence."""
    page_size: int = 50
    returned: int = 0
    """The last number that any reader was given."""
    rest_until: timedelta = _LONG_AGO
    blocked_until: timedelta = _LONG_AGO
    names_number: bool = True
    """Whether a 656 says from where to go on."""

    def answer(self, after: int, now: timedelta) -> DistributionPage | Throttled:
        """Answers a question for a page. A question during a block makes it longer."""
        if now < self.blocked_until or now < self.rest_until or after != self.returned:
            self.blocked_until = now + HOUR
            last = self.returned if self.names_number else None
            return Throttled(code="656", message="Consumo indevido", last_nsu=last)
        numbers = range(after + 1, min(after + self.page_size, self.size) + 1)
        self.returned = max((after, *numbers))
        is_last = self.returned >= self.size
        if is_last:
            self.rest_until = now + HOUR
        return DistributionPage(
            code="138" if numbers else "137",
            message="",
            last_nsu=self.returned,
            max_nsu=self.size,
            documents=tuple(DistributedDocument(nsu, "procNFe_v4.00.xsd", "") for nsu in numbers),
            is_last=is_last,
            body=b" ".join(str(nsu).encode() for nsu in numbers),
        )


@dataclass
class ModelStream:
    """The row of a stream, its journal and its gaps."""

    progress: StreamProgress = field(default_factory=StreamProgress)
    ask_at: timedelta = timedelta(0)
    blocked_until: timedelta = _LONG_AGO
    asked_at: timedelta = _LONG_AGO
    answered_at: timedelta = _LONG_AGO
    is_asked: bool = False
    is_parked: bool = False
    is_followed: bool = True
    refused_until: timedelta = _LONG_AGO
    """Until when the only certificate is not used, because the authority refused it."""
    next_action_at: timedelta | None = timedelta(0)
    token: int = 0
    lease_until: timedelta = _LONG_AGO
    numbers: set[int] = field(default_factory=set)
    """Those of the documents in the journal, and those in gaps."""

    @property
    def due_at(self) -> timedelta:
        return max(self.ask_at, self.blocked_until)

    def claim(self, now: timedelta) -> int | None:
        """Returns the token of a new lease; None if the row is not due, or somebody holds it."""
        if self.next_action_at is None or now < max(self.lease_until, self.next_action_at):
            return None
        self.token += 1
        self.lease_until = now + LEASE
        return self.token

    def begin(self, token: int, now: timedelta) -> bool:
        if token != self.token or self.is_asked or now < self.due_at:
            return False
        self.is_asked, self.asked_at, self.ask_at = True, now, now + REST
        return True

    def store(self, token: int, decision: StreamChange, now: timedelta) -> bool:
        """Stores everything that follows from an answer, and releases the row."""
        if token != self.token:
            return False
        self.progress, self.is_asked = decision.progress, False
        self.ask_at = now + decision.pause
        if decision.is_answered:
            self.answered_at = now
        if decision.block is not None:
            self.blocked_until = now + decision.block
        if decision.body is not None:
            self.numbers.update(map(int, decision.body.split()))
        if decision.gap is not None:
            self.numbers.update(range(decision.gap.first_nsu, decision.gap.last_nsu + 1))
        if decision.refusal is not None and self.is_followed:
            self.refused_until = now + DAY
        self.is_parked = decision.parked_reason is not None
        self.release(token)
        return True

    def release(self, token: int) -> None:
        if token == self.token:
            self.lease_until, self.next_action_at = _LONG_AGO, None if self.is_parked else self.due_at

    def release_idle(self, token: int, now: timedelta) -> None:
        """Releases a row for which no company can ask; one that nobody follows is not due again."""
        self.release(token)
        if token == self.token and self.next_action_at is not None:
            self.next_action_at = max(now + HOUR, self.due_at) if self.is_followed else None

    def has_asker(self, now: timedelta) -> bool:
        return self.is_followed and now >= self.refused_until

    def open(self, now: timedelta) -> None:
        """A company follows the stream again, or wants it to be asked as soon as that is allowed."""
        self.is_followed, self.is_parked = True, False
        self.ask_at = min(self.ask_at, max(self.asked_at, self.answered_at) + REST)
        self.wake(now)

    def wake(self, now: timedelta) -> None:
        """Makes the row due as soon as a question is allowed, unless it is due earlier."""
        due_at = max(now, self.due_at)
        if not self.is_parked and (self.next_action_at is None or self.next_action_at > due_at):
            self.next_action_at = due_at


@dataclass
class ModelWorker:
    """A worker that can stop after each step: it freezes if time passes, and dies if it forgets."""

    token: int | None = None
    held_until: timedelta = _LONG_AGO
    progress: StreamProgress = field(default_factory=StreamProgress)
    """As it was read when the row was claimed."""
    has_rested: bool = True
    has_asker: bool = True
    has_begun: bool = False
    answer: DistributionAnswer | None = None
    answered_at: timedelta = _LONG_AGO

    def die(self) -> None:
        vars(self).update(vars(ModelWorker()))


@dataclass
class Installation:
    """Workers, their stream, the authority, and what happened."""

    authority: ModelAuthority = field(default_factory=ModelAuthority)
    stream: ModelStream = field(default_factory=ModelStream)
    workers: list[ModelWorker] = field(default_factory=lambda: [ModelWorker() for _ in range(3)])
    now: timedelta = timedelta(0)
    jitter: float = 0.0
    questions: list[timedelta] = field(default_factory=list)
    """When questions of ours arrived at the authority."""
    rests: list[timedelta] = field(default_factory=list)
    """When the authority gave an answer after which, as our row knows, an hour has to pass."""
    blocks: int = 0
    """How many 656 our questions got."""

    def step(self, number: int, fate: str) -> None:
        """Does the next step of a worker; `fate` is that of a question, if it is sent now."""
        worker = self.workers[number]
        if worker.token is None:
            self._claim(worker)
        elif worker.answer is not None:
            self._store(worker)
        elif worker.has_begun:
            self._send(worker, fate)
        elif not worker.has_asker:
            self.stream.release_idle(worker.token, self.now)
            worker.die()
        elif self.stream.begin(worker.token, self.now):
            worker.has_begun = True
        else:
            self.stream.release(worker.token)
            worker.die()

    def turn(self, number: int, fate: str) -> None:
        """Does as many steps as a question needs that nothing interrupts."""
        for _ in range(_STEPS):
            self.step(number, fate)

    def kill(self, number: int) -> None:
        self.workers[number].die()

    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    def ask(self, number: int, fate: str) -> None:
        """Waits until the row is due, a question is allowed and nobody holds the row, and does a turn."""
        stream = self.stream
        self.now = max(self.now, stream.due_at, stream.lease_until, stream.next_action_at or self.now)
        self.turn(number, fate)

    def sync(self) -> None:
        """A person wants the documents now, or again after the reception was stopped."""
        self.stream.open(self.now)

    def stop(self) -> None:
        """The company follows the stream no more; a question that a worker has begun goes on."""
        self.stream.is_followed = False

    def replace_certificate(self) -> None:
        """The only company that follows gets another certificate, which nobody has refused."""
        self.stream.refused_until = _LONG_AGO
        if self.stream.is_followed:
            self.stream.wake(self.now)

    def distribute(self, count: int) -> None:
        """Adds documents to the sequence of the authority."""
        self.authority.size += count

    def name_number(self, is_named: bool) -> None:
        self.authority.names_number = is_named

    def let_other_reader_ask(self, shift: int) -> None:
        """Another program asks from the right number, or from one below it."""
        self.authority.answer(max(0, self.authority.returned + shift), self.now)

    def _claim(self, worker: ModelWorker) -> None:
        worker.token = self.stream.claim(self.now)
        worker.held_until = self.now + LEASE
        worker.progress = self.stream.progress
        worker.has_rested = self.stream.asked_at < self.now - HOUR
        worker.has_asker = self.stream.has_asker(self.now)
        if self.stream.is_asked and worker.token is not None:
            worker.answer = _LOST

    def _send(self, worker: ModelWorker, fate: str) -> None:
        if self.now >= worker.held_until:
            # Lease.require_held
            worker.die()
            return
        worker.answered_at = self.now
        if fate in _FAILURES:
            worker.answer = _FAILURES[fate]
            return
        self.questions.append(self.now)
        answer = self.authority.answer(worker.progress.last_nsu, self.now)
        self.blocks += isinstance(answer, Throttled)
        worker.answer = _LOST if fate == "lost" else answer
        may_be_last = worker.progress.last_nsu >= worker.progress.max_nsu
        if fate == "lost" and _has_to_rest(answer) and may_be_last:
            self.rests.append(self.now)

    def _store(self, worker: ModelWorker) -> None:
        assert worker.answer is not None
        assert worker.token is not None
        decider = StreamDecider(worker.progress, self.jitter, has_rested=worker.has_rested)
        is_stored = self.stream.store(worker.token, decider.decide(worker.answer), self.now)
        if is_stored and _has_to_rest(worker.answer):
            self.rests.append(worker.answered_at)
        worker.die()


def _has_to_rest(answer: DistributionAnswer) -> bool:
    return isinstance(answer, Throttled) or (isinstance(answer, DistributionPage) and answer.is_last)
