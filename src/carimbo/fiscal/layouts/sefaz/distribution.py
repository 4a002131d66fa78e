"""Answers of the distribution of documents of interest to a taxpayer (retDistDFeInt, NT 2014.002)."""

import re
from collections.abc import Iterator
from dataclasses import replace

from carimbo.fiscal.distribution import (
    POSSIBLE_PAGE,
    DistributedDocument,
    DistributionAnswer,
    DistributionPage,
    UnreadablePage,
)
from carimbo.fiscal.layouts.sefaz.answer_part import SefazPart, find_judged_answer
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.layouts.sefaz.verdicts import refusal
from carimbo.fiscal.outcome import NotJudged, Rejected, Throttled, unexpected

_NOTHING_NEW = "137"
_PAGE_CODES = frozenset({_NOTHING_NEW, "138"})
# The certificate is not that of the taxpayer in question, or that CNPJ or CPF does not exist (NT 2014.002).
_OF_SENDER = frozenset({"472", "473", "489", "490", "593"})
_NSU = re.compile(r"[0-9]{1,15}")


def read_distribution(dialect: Dialect, body: bytes) -> DistributionAnswer:
    """Reads a page; `Rejected` is about the query itself, and `retryable` if its sender is the cause."""
    answer = find_judged_answer(dialect, body, "retDistDFeInt")
    if isinstance(answer, NotJudged):
        return UnreadablePage(answer, body) if answer.cause in POSSIBLE_PAGE else answer
    if answer.code in _PAGE_CODES:
        return _page(answer, body)
    refused = refusal(answer, answer)
    if isinstance(refused, Throttled):
        # A block may be for querying from a wrong number: the answer has the number to continue from.
        return replace(refused, last_nsu=_nsu(answer, "ultNSU"))
    if isinstance(refused, Rejected) and refused.code in _OF_SENDER:
        return replace(refused, retryable=True)
    return refused


def _page(answer: SefazPart, body: bytes) -> DistributionPage | UnreadablePage:
    last, highest = _nsu(answer, "ultNSU"), _nsu(answer, "maxNSU")
    if last is None or highest is None:
        return UnreadablePage(unexpected(f"{answer.code} sem ultNSU ou maxNSU legível"), body)
    lot = answer.part("loteDistDFeInt")
    return DistributionPage(
        code=answer.code,
        message=answer.message,
        last_nsu=last,
        max_nsu=highest,
        documents=tuple(_documents(lot)) if lot else (),
        is_last=answer.code == _NOTHING_NEW or last >= highest,
        body=body,
    )


def _nsu(answer: SefazPart, tag: str) -> int | None:
    text = answer.matching(tag, _NSU)
    return int(text) if text else None


def _documents(lot: SefazPart) -> Iterator[DistributedDocument]:
    for file in lot.parts("docZip"):
        nsu, schema = file.element.get("NSU", ""), file.element.get("schema", "")
        yield DistributedDocument(int(nsu) if _NSU.fullmatch(nsu) else None, schema, file.own_text)
