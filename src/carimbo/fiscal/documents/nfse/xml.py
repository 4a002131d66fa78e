"""The signed XML of a DPS."""

from dataclasses import replace

from carimbo.fiscal.documents.nfse.document import compose
from carimbo.fiscal.documents.nfse.hints import hint_of
from carimbo.fiscal.documents.nfse.preview import NotePreview
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.rules import NOTE_BOOKS, NoteInput
from carimbo.fiscal.documents.nfse.total_due import estimated_total
from carimbo.fiscal.documents.nfse.totals import NoteTotals
from carimbo.fiscal.issuance import Issuance, Preview
from carimbo.fiscal.layouts.dps_v1 import document
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.making import DocumentMaker
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.rules import Judgement, judge
from carimbo.fiscal.signature import Signature
from carimbo.fiscal.signed_document import SignedDocument

# Sefin's code for a document that its XSD refuses. Its hint would say nothing of the field.
_SCHEMA_CODE = "E1235"


def judge_note(sums: NoteTotals, request: NfseRequest, issuance: Issuance) -> Judgement:
    """Checks a declaration against the rules of Sefin."""
    replaced = issuance.surroundings.replaced
    before = document.read_note(replaced.signed) if replaced else None
    return judge(NOTE_BOOKS, NoteInput(sums, request, before), hint_of)


def combine(composed: tuple[Problem, ...], judgement: Judgement, layout: tuple[Problem, ...]) -> Judgement:
    """Returns all problems, with Sefin's code for what the XSD refuses, and with what to change."""
    distinct = dict.fromkeys((*composed, *judgement.problems))
    return replace(judgement, problems=tuple(map(_with_hint, (*distinct, *layout))))


def _with_hint(problem: Problem) -> Problem:
    if problem.code in (SCHEMA_PROBLEM, _SCHEMA_CODE):
        return replace(problem, code=_SCHEMA_CODE)
    return problem if problem.hint else replace(problem, hint=hint_of(problem.code))


def _write(sums: NoteTotals) -> WrittenPart | tuple[Problem, ...]:
    return document.write(sums.note)


def _enclose(_: NoteTotals, written: WrittenPart, signature: Signature, __: Issuance) -> SignedDocument:
    return document.enclose(written, signature)


def _preview(sums: NoteTotals, text: bytes) -> Preview:
    return NotePreview(sums, estimated_total(sums), text)


_MAKER = DocumentMaker(
    compose=compose,
    judge=judge_note,
    write=_write,
    enclose=_enclose,
    in_root=document.in_root,
    check=document.check,
    preview=_preview,
    combine=combine,
)

review = _MAKER.review
issue = _MAKER.issue
