"""A model of the row of a stream, its gaps, its journal and the company that follows it.

It does what the SQL of storage/stream_steps.py does; tests/integration/storage/test_stream_model.py compares
them. Time is virtual.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta

from carimbo.service.receiving.decision import REST
from carimbo.storage.receptions import REFUSED_FOR
from carimbo.storage.stream_steps import (
    MAX_MISSES,
    MAX_SINGLE_CALLS,
    MAX_TRIES_IN_GAP,
    NsuGap,
    SingleChange,
    StreamChange,
    StreamProgress,
)
from carimbo.storage.work import LeaseLost
from unit.service.stream_authority import DAY, HOUR, LONG_AGO

LEASE = timedelta(minutes=1)
GIVEN_UP_AFTER = timedelta(days=90)


@dataclass
class ModelGap:
    """Numbers that are asked for one by one, from `next_nsu` down to `first_nsu`."""

    first_nsu: int
    last_nsu: int
    next_nsu: int
    created_at: timedelta
    ask_at: timedelta
    missing: int = 0
    misses: int = 0
    tries: int = 0
    is_open: bool = True

    def give_up(self) -> None:
        self.missing += self.next_nsu - self.first_nsu + 1
        self.is_open = False

    def settle(self, nsu: int, now: timedelta, *, has_document: bool) -> None:
        """Goes on to the next number, after an answer that is about this one."""
        self.misses = 0 if has_document else self.misses + 1
        is_hopeless = self.misses >= MAX_MISSES
        if not has_document:
            self.missing += nsu - self.first_nsu + 1 if is_hopeless else 1
        self.next_nsu, self.tries, self.ask_at = nsu - 1, 0, now
        self.is_open = nsu > self.first_nsu and not is_hopeless


@dataclass
class ModelCompany:
    """The only company that follows the stream. Certificates are numbers."""

    is_active: bool = True
    certificate: int = 0
    proved: int | None = None
    refused: int | None = None
    refused_at: timedelta = LONG_AGO

    def can_ask(self, now: timedelta) -> bool:
        is_refused = self.refused == self.certificate and now - self.refused_at <= REFUSED_FOR
        return self.is_active and not is_refused

    @property
    def is_proved(self) -> bool:
        return self.proved == self.certificate


@dataclass
class ModelStream:
    """The row of a stream with all that belongs to it."""

    progress: StreamProgress = field(default_factory=StreamProgress)
    company: ModelCompany = field(default_factory=ModelCompany)
    ask_at: timedelta = timedelta(0)
    blocked_until: timedelta = LONG_AGO
    asked_at: timedelta = LONG_AGO
    answered_at: timedelta = LONG_AGO
    is_asked: bool = False
    is_parked: bool = False
    next_action_at: timedelta | None = timedelta(0)
    token: int = 0
    lease_until: timedelta | None = None
    journal: set[int] = field(default_factory=set)
    """The documents in the journal."""
    gaps: dict[int, ModelGap] = field(default_factory=dict)
    """All gaps by their first number, also those that are closed."""
    calls: list[timedelta] = field(default_factory=list)
    """When single documents were asked for."""

    @property
    def due_at(self) -> timedelta:
        """When a page may be asked for."""
        return max(self.ask_at, self.blocked_until)

    @property
    def open_gaps(self) -> list[ModelGap]:
        return [gap for gap in self.gaps.values() if gap.is_open]

    def claim(self, now: timedelta) -> int | None:
        """Returns the token of a new lease; None if the row is not due, or somebody holds it."""
        is_held = self.lease_until is not None and now < self.lease_until
        if self.next_action_at is None or now < self.next_action_at or is_held:
            return None
        self.token += 1
        self.lease_until = now + LEASE
        return self.token

    def require_held(self, token: int) -> None:
        if token != self.token or self.lease_until is None:
            raise LeaseLost

    def begin(self, token: int, now: timedelta) -> bool:
        """Stores that a page is asked for; returns False if it is not due."""
        self.require_held(token)
        if self.is_asked or now < self.due_at:
            return False
        self.is_asked, self.asked_at, self.ask_at = True, now, now + REST
        return True

    def store(self, token: int, asker: int | None, change: StreamChange, now: timedelta) -> None:
        """Stores everything that follows from an answer to a question for a page."""
        self.require_held(token)
        self.progress, self.is_asked = change.progress, False
        self.ask_at = now + change.pause
        self.is_parked = change.parked_reason is not None
        if change.is_answered:
            self.answered_at = now
        self._store_common(asker, change, now)
        if change.is_restart:
            for gap in self.open_gaps:
                gap.give_up()
        if change.gap is not None:
            self._make_gap(change.gap, now)

    def next_single(self, now: timedelta) -> ModelGap | None:
        """Returns the gap whose next number is asked for next."""
        return max(
            (gap for gap in self.open_gaps if gap.ask_at <= now), key=lambda gap: gap.last_nsu, default=None
        )

    def begin_single(self, token: int, first_nsu: int, now: timedelta) -> bool:
        """Counts a question about a single document; returns False if the limits allow none now."""
        self.require_held(token)
        used = sum(moment > now - HOUR for moment in self.calls)
        if now < self.blocked_until or used >= MAX_SINGLE_CALLS:
            return False
        self.calls = [moment for moment in self.calls if moment >= now - DAY] + [now]
        gap = self.gaps[first_nsu]
        gap.ask_at = now + min(timedelta(minutes=15) * 2 ** min(gap.tries, 10), DAY)
        gap.tries += 1
        return True

    def store_single(
        self, token: int, asker: int, first_nsu: int, nsu: int, change: SingleChange, now: timedelta
    ) -> None:
        """Stores the answer to a question about a number of a gap."""
        self.require_held(token)
        self._store_common(asker, change, now)
        gap = self.gaps[first_nsu]
        if not gap.is_open:
            # It was given up meanwhile, with this number.
            return
        if change.is_settled:
            gap.settle(nsu, now, has_document=change.body is not None)
        elif gap.tries >= MAX_TRIES_IN_GAP and nsu > first_nsu:
            missing = self._missing_of(nsu)
            self.gaps[nsu] = replace(gap, first_nsu=nsu, last_nsu=nsu, missing=missing, misses=0)
            gap.next_nsu, gap.tries, gap.ask_at = nsu - 1, 0, now

    def schedule(self, token: int, now: timedelta, pause: timedelta, *, is_idle: bool = False) -> None:
        """Releases the row until something may be asked."""
        self.require_held(token)
        self.lease_until = None
        if self.is_parked or (is_idle and not self.company.is_active):
            self.next_action_at = None
            return
        soonest = self.ask_at
        if gaps := self.open_gaps:
            used = sorted(moment for moment in self.calls if moment > now - HOUR)
            allowed_at = used[-MAX_SINGLE_CALLS] + HOUR if len(used) >= MAX_SINGLE_CALLS else now
            soonest = min(soonest, max(allowed_at, min(gap.ask_at for gap in gaps)))
        self.next_action_at = max(now + pause, self.blocked_until, soonest)

    def open(self, now: timedelta) -> None:
        """A company follows the stream again, or wants it to be asked as soon as that is allowed."""
        self.company.is_active, self.is_parked = True, False
        self.ask_at = min(self.ask_at, max(self.asked_at, self.answered_at) + REST)
        self.wake(now)

    def wake(self, now: timedelta) -> None:
        """Makes the row due as soon as a question is allowed, unless it is due earlier."""
        due_at = max(now, self.due_at)
        if not self.is_parked and (self.next_action_at is None or self.next_action_at > due_at):
            self.next_action_at = due_at

    def give_up_gaps(self, now: timedelta) -> None:
        """Closes gaps that are too old."""
        for gap in self.open_gaps:
            if gap.created_at < now - GIVEN_UP_AFTER:
                gap.give_up()

    def _store_common(self, asker: int | None, change: StreamChange | SingleChange, now: timedelta) -> None:
        if change.block is not None:
            self.blocked_until = now + change.block
        if change.body is not None:
            self.journal.update(map(int, change.body.split()))
        if asker is None or not self.company.is_active:
            return
        if change.is_proof:
            self.company.proved = asker
        if change.refusal is not None:
            self.company.refused, self.company.refused_at = asker, now

    def _make_gap(self, gap: NsuGap, now: timedelta) -> None:
        new = ModelGap(
            gap.first_nsu, gap.last_nsu, gap.last_nsu, now, now, missing=self._missing_of(gap.first_nsu)
        )
        existing = self.gaps.get(gap.first_nsu)
        if existing is not None and existing.is_open:
            new.last_nsu = max(new.last_nsu, existing.last_nsu)
            new.next_nsu = max(new.next_nsu, existing.next_nsu)
        self.gaps[gap.first_nsu] = new

    def _missing_of(self, first_nsu: int) -> int:
        return self.gaps[first_nsu].missing if first_nsu in self.gaps else 0
