"""Answers of the services that distribute documents of interest to a taxpayer.

Each service numbers what it distributes to a taxpayer by an NSU, in one sequence.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from carimbo.fiscal.layouts.packed import unpack_page
from carimbo.fiscal.outcome import AuthorityAnswer, Cause, NotJudged, Rejected, Throttled, Unavailable


@dataclass(frozen=True, slots=True)
class DistributedDocument:
    """One document of a page, as it came."""

    nsu: int | None
    """Its number in the taxpayer's sequence; a query by key may omit it."""
    schema: str
    """Name of its XSD (`procNFe_v4.00.xsd`), which identifies the kind of document."""
    packed: str = field(repr=False)
    """Base64 of gzip."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionPage(AuthorityAnswer):
    """The documents for a taxpayer after the number in the query; possibly none."""

    last_nsu: int
    """The number from which the next query starts."""
    max_nsu: int
    """The highest number: there is another page while `last_nsu` is below it."""
    documents: tuple[DistributedDocument, ...]
    is_last: bool
    """Whether there is nothing more to fetch, after which the next query has to wait (NT 2014.002)."""
    body: bytes = field(default=b"", repr=False, compare=False)
    """The whole answer, from which the page can be read again."""

    def contents(self) -> Iterator[bytes | None]:
        """Unpacks each document in turn; yields None for a damaged one, or one that is too large.

        An answer is stored before anything in it is unpacked, which takes a second for the largest page.
        """
        return unpack_page(document.packed for document in self.documents)


@dataclass(frozen=True, slots=True)
class UnreadablePage:
    """An answer that can't be read, and may have been a page: its documents do not come a second time."""

    failure: NotJudged
    body: bytes = field(repr=False)


DistributionAnswer = DistributionPage | UnreadablePage | Rejected | Unavailable | Throttled | NotJudged
"""A page of documents of interest to a taxpayer, or why there is none."""
POSSIBLE_PAGE = frozenset({Cause.UNREADABLE, Cause.UNEXPECTED_ANSWER})
"""Why an answer that may have been a page can't be read; web pages, faults and empty answers are no pages."""
