"""What became of each number of a sequence, recorded apart from the row of the stream."""

from dataclasses import dataclass, field
from datetime import timedelta

from carimbo.fiscal.distribution import DistributionAnswer, DistributionPage
from carimbo.storage.stream_steps import MAX_MISSES, SingleChange, StreamChange
from unit.service.stream_row import GIVEN_UP_AFTER, ModelGap, ModelStream


@dataclass
class NumberRecord:
    """The numbers that came with no page: those that gaps owe, and those that nobody asks for any more.

    Each change of the row is checked: a number leaves a gap only by an answer, or by a documented rule.
    """

    owed: dict[int, timedelta] = field(default_factory=dict)
    """The numbers of open gaps, and since when."""
    without_document: set[int] = field(default_factory=set)
    """Numbers for which the authority said that it has no document."""
    given_up: set[int] = field(default_factory=set)
    """Numbers that are not asked for any more, because of their age or after too many misses."""
    missing: int = 0
    """What the gaps have to count, of all sequences."""
    misses: dict[int, int] = field(default_factory=dict)
    """Answers without a document in a row, by the first number of the gap."""

    def after_page(self, change: StreamChange, now: timedelta) -> None:
        """Records what an answer to a question for a page changed."""
        if change.is_restart:
            self.missing += len(self.owed)
            self.owed.clear()
            self.without_document.clear()
            self.given_up.clear()
            self.misses.clear()
        if change.gap is not None:
            self.owed.update(dict.fromkeys(range(change.gap.first_nsu, change.gap.last_nsu + 1), now))
            self.misses[change.gap.first_nsu] = 0

    def require_owed(self, nsu: int) -> None:
        """Fails if a question is spent for a number that is no more, or never was, in a gap."""
        assert nsu in self.owed

    def after_single(self, gap: ModelGap, nsu: int, answer: DistributionAnswer, change: SingleChange) -> None:
        """Records what an answer to a question about a number changed."""
        if not change.is_settled or self.owed.pop(nsu, None) is None:
            return
        if isinstance(answer, DistributionPage) and answer.documents:
            self.misses[gap.first_nsu] = 0
            return
        self.missing += 1
        self.without_document.add(nsu)
        self.misses[gap.first_nsu] = self.misses.get(gap.first_nsu, 0) + 1
        left = set() if gap.is_open else {older for older in self.owed if gap.first_nsu <= older < nsu}
        assert self.misses[gap.first_nsu] >= MAX_MISSES or not left
        self._give_up(left)

    def give_up_old(self, stream: ModelStream, now: timedelta) -> None:
        """Records the numbers that left the gaps because of their age."""
        left = self.owed.keys() - set(numbers_of_gaps(stream))
        assert all(now - self.owed[nsu] > GIVEN_UP_AFTER for nsu in left)
        self._give_up(left)

    def _give_up(self, numbers: set[int]) -> None:
        self.missing += len(numbers)
        self.given_up |= numbers
        for nsu in numbers:
            del self.owed[nsu]


def numbers_of_gaps(stream: ModelStream) -> list[int]:
    """Returns the numbers for which open gaps will still ask."""
    return [nsu for gap in stream.open_gaps for nsu in range(gap.first_nsu, gap.next_nsu + 1)]
