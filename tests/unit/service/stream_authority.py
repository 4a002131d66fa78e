"""A model of the distribution service of an authority: the sequence of one CNPJ (NT 2014.002).

Time is virtual. It judges questions in the order of the simulator (simulator/sefaz/distribution.py).
"""

from dataclasses import dataclass, field
from datetime import timedelta

from carimbo.fiscal.distribution import DistributedDocument, DistributionPage
from carimbo.fiscal.outcome import Rejected, Throttled

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
LONG_AGO = -DAY
UNKNOWN_NSU = "589"
_SINGLE_QUESTIONS = 20
"""Questions about single documents in an hour, whoever asks."""
_PER_SEQUENCE = 1_000_000


def document_id(sequence: int, nsu: int) -> int:
    """Returns what distinguishes a document from one that has its number in another sequence."""
    return sequence * _PER_SEQUENCE + nsu


@dataclass
class ModelAuthority:
    """The sequence of one CNPJ at the authority."""

    size: int = 0
    """The highest number in the sequence."""
    page_size: int = 50
    """So many numbers a page is about. Some of them may have no document."""
    is_lenient: bool = False
    """Whether a number below the returned one gets no 656, but an answer that passes over numbers."""
    names_number: bool = True
    """Whether a 656 says from where to go on."""
    sequence: int = 0
    """How often the sequence began anew."""
    absent: set[int] = field(default_factory=set)
    """Numbers without a document."""
    returned: int | None = None
    """The last number that any reader was given."""
    rest_until: timedelta = LONG_AGO
    blocked_until: timedelta = LONG_AGO
    single_questions: list[timedelta] = field(default_factory=list)

    @property
    def present(self) -> set[int]:
        """The numbers that have a document."""
        return set(range(1, self.size + 1)) - self.absent

    def answer(self, after: int, now: timedelta) -> DistributionPage | Throttled | Rejected:
        """Answers a question for a page."""
        is_below = self.is_lenient and self.returned is not None and after < self.returned
        is_right = self.returned in (None, after) or is_below
        if not is_right or now < max(self.blocked_until, self.rest_until):
            return self._block(after, now)
        if after > self.size:
            return Rejected(code=UNKNOWN_NSU, message="NSU superior ao maior")
        last = min(after + self.page_size, self.size)
        if is_below and self.returned is not None:
            after = last = self.returned
        self.returned = last
        page = self._page(after + 1, last)
        if page.is_last:
            self.rest_until = now + HOUR
        return page

    def answer_single(self, nsu: int, now: timedelta) -> DistributionPage | Throttled | Rejected:
        """Answers a question about the document of a number."""
        used = sum(moment > now - HOUR for moment in self.single_questions)
        if used >= _SINGLE_QUESTIONS or now < self.blocked_until:
            return self._block(0, now)
        self.single_questions.append(now)
        if nsu > self.size:
            return Rejected(code=UNKNOWN_NSU, message="NSU superior ao maior")
        return self._page(nsu, nsu)

    def restart(self, size: int) -> None:
        """Begins a new sequence, with other documents; what was read of the old one is forgotten."""
        self.sequence += 1
        self.size, self.returned, self.absent = size, None, set()

    def _block(self, after: int, now: timedelta) -> Throttled:
        """Returns a 656. A question during a block makes it longer."""
        self.blocked_until = now + HOUR
        last = min(after, self.size) if self.returned is None else self.returned
        return Throttled(code="656", message="Consumo indevido", last_nsu=last if self.names_number else None)

    def _page(self, first: int, last: int) -> DistributionPage:
        numbers = [nsu for nsu in range(first, last + 1) if nsu not in self.absent]
        return DistributionPage(
            code="138" if numbers else "137",
            message="",
            last_nsu=last,
            max_nsu=self.size,
            documents=tuple(DistributedDocument(nsu, "procNFe_v4.00.xsd", "") for nsu in numbers),
            is_last=last >= self.size,
            body=b" ".join(str(document_id(self.sequence, nsu)).encode() for nsu in numbers),
        )
