"""Answers of the distribution of documents of interest to a taxpayer (retDistDFeInt, NT 2014.002)."""

import binascii
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from carimbo.fiscal.layouts.sefaz.answer_part import SefazPart, find_judged_answer
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.verdicts import refusal
from carimbo.fiscal.outcome import AuthorityAnswer, NotJudged, Rejected, Throttled, Unavailable, unexpected

_NOTHING_NEW = "137"
_PAGE_CODES = frozenset({_NOTHING_NEW, "138"})
_NSU = re.compile(r"[0-9]{1,15}")
_GZIP = 16 + zlib.MAX_WBITS

# An authorized document has at most some 500 kB; a page has 50 of them.
_MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
_MAX_PAGE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class DistributedDocument:
    """One document of a page; a damaged one is included without XML, so that its number is not lost."""

    nsu: int | None
    """Its number in the taxpayer's sequence; a query by key may omit it."""
    schema: str
    """Name of its XSD (`procNFe_v4.00.xsd`), which identifies the kind of document."""
    xml: bytes | None
    """None if it is damaged, or larger than any document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionPage(AuthorityAnswer):
    """The documents for a taxpayer after the number in the query; possibly none."""

    last_nsu: int
    """The number from which the next query starts."""
    max_nsu: int
    """The highest number: there is another page while `last_nsu` is below it; else a pause of an hour."""
    documents: tuple[DistributedDocument, ...]

    @property
    def is_last(self) -> bool:
        """Whether there is nothing more to fetch, after which the next query has to wait (NT 2014.002)."""
        return self.code == _NOTHING_NEW or self.last_nsu >= self.max_nsu


def read_distribution(
    dialect: Dialect, body: bytes
) -> DistributionPage | Rejected | Unavailable | Throttled | NotJudged:
    """Reads a page; `Rejected` is about the query itself."""
    answer = find_judged_answer(dialect, body, "retDistDFeInt")
    if isinstance(answer, NotJudged):
        return answer
    if answer.code in _PAGE_CODES:
        return _page(answer)
    refused = refusal(answer, answer)
    # A block may be for querying from a wrong number: the answer has the number to continue from.
    return replace(refused, last_nsu=_nsu(answer, "ultNSU")) if isinstance(refused, Throttled) else refused


def _page(answer: SefazPart) -> DistributionPage | NotJudged:
    last, highest = _nsu(answer, "ultNSU"), _nsu(answer, "maxNSU")
    if last is None or highest is None:
        return unexpected(f"{answer.code} sem ultNSU ou maxNSU legível")
    lot = answer.part("loteDistDFeInt")
    return DistributionPage(
        code=answer.code,
        message=answer.message,
        last_nsu=last,
        max_nsu=highest,
        documents=tuple(_documents(lot)) if lot else (),
    )


def _nsu(answer: SefazPart, tag: str) -> int | None:
    text = answer.matching(tag, _NSU)
    return int(text) if text else None


def _documents(lot: SefazPart) -> Iterator[DistributedDocument]:
    room = _MAX_PAGE_BYTES
    for zipped in lot.parts("docZip"):
        xml = _unzipped(zipped.own_text, min(room, _MAX_DOCUMENT_BYTES))
        room -= len(xml or b"")
        nsu, schema = zipped.element.get("NSU", ""), zipped.element.get("schema", "")
        yield DistributedDocument(int(nsu) if _NSU.fullmatch(nsu) else None, schema, xml)


def _unzipped(text: str, limit: int) -> bytes | None:
    """Returns the content of base64 of gzip, or None if it is damaged, cut off or above the limit."""
    decompressor = zlib.decompressobj(_GZIP)
    try:
        # One byte above the limit shows that it is too long; a limit of zero would mean no limit.
        xml = decompressor.decompress(binascii.a2b_base64("".join(text.split())), limit + 1)
    except (ValueError, zlib.error):
        return None
    return xml if decompressor.eof and len(xml) <= limit else None
