"""Answers of the services that distribute documents of interest to a taxpayer.

Each service numbers what it distributes to a taxpayer by an NSU, in one sequence.
"""

from dataclasses import dataclass, field

from carimbo.fiscal.outcome import AuthorityAnswer, NotJudged, Rejected, Throttled, Unavailable


@dataclass(frozen=True, slots=True)
class DistributedDocument:
    """One document of a page; a damaged one is included without XML, so that its number is not lost."""

    nsu: int | None
    """Its number in the taxpayer's sequence; a query by key may omit it."""
    schema: str
    """Name of its XSD (`procNFe_v4.00.xsd`), which identifies the kind of document."""
    xml: bytes | None
    """None if it is damaged, or larger than any document."""
    packed: str = field(default="", repr=False, compare=False)
    """As it was in the answer: base64 of gzip."""


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


DistributionAnswer = DistributionPage | Rejected | Unavailable | Throttled | NotJudged
"""A page of documents of interest to a taxpayer, or why there is none."""
