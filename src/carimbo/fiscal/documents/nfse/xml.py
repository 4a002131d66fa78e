"""The signed XML of a DPS: made, checked and previewed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any

from carimbo.fiscal.documents.nfse.document import compose
from carimbo.fiscal.documents.nfse.hints import hint_of
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.rules import NOTE_BOOKS, NoteInput
from carimbo.fiscal.documents.nfse.totals import NoteTotals, estimated_total
from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Lines, Preview, signed_identity
from carimbo.fiscal.layouts.dps_v1 import service_note
from carimbo.fiscal.layouts.signed_part import WrittenPart, without_signature
from carimbo.fiscal.making import DocumentMaker
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.rules import Judgement, judge
from carimbo.fiscal.signed_documents import SignedDocument


@dataclass(frozen=True, slots=True)
class NotePreview:
    """A DPS that is not issued, with its totals."""

    sums: NoteTotals
    total_due: Decimal | None
    """The amount that the taker would pay at today's rates; None if it is unknown."""
    document: bytes = field(repr=False)
    """Signed or not."""

    @property
    def amount(self) -> Decimal:
        """The price without unconditional discount."""
        return self.sums.charged

    @property
    def lines(self) -> Lines:
        """Empty: an NFS-e has one service and no lines."""
        return ()

    @property
    def xml(self) -> bytes:
        """The XML without signature."""
        return without_signature(self.document)

    @property
    def totals(self) -> Mapping[str, Any]:
        """The totals that the authority will compute, if it applies the same ISS rate."""
        sums = self.sums
        return {
            "amount": sums.charged,
            "discount": sums.discount,
            "issBase": sums.iss_base,
            "issRate": sums.iss_rate,
            "issAmount": sums.iss,
            "issWithheld": sums.iss_withheld,
            "pis": sums.pis,
            "cofins": sums.cofins,
            "ibsCbsBase": sums.ibs_cbs_base,
            "federalWithheld": sums.federal_withheld,
            "netAmount": sums.net_amount,
            "totalDue": self.total_due,
        }


# Sefin's code for a document that its XSD refuses; its hint does not name the field.
_SCHEMA_CODE = "E1235"


def judge_note(sums: NoteTotals, request: NfseRequest, issuance: Issuance) -> Judgement:
    """Checks a DPS against the rules of Sefin."""
    replaced = issuance.external_facts.replaced
    replaced_note = service_note.read_note(replaced.signed) if replaced else None
    return judge(NOTE_BOOKS, NoteInput(sums, request, replaced_note), hint_of)


def combine(composed: tuple[Problem, ...], judgement: Judgement, layout: tuple[Problem, ...]) -> Judgement:
    """Returns all problems with hints; problems of the XSD get Sefin's code for them."""
    distinct = dict.fromkeys((*composed, *judgement.problems))
    return replace(judgement, problems=tuple(map(_with_hint, (*distinct, *layout))))


def _with_hint(problem: Problem) -> Problem:
    if problem.code in (SCHEMA_PROBLEM, _SCHEMA_CODE):
        return replace(problem, code=_SCHEMA_CODE)
    return problem if problem.hint else replace(problem, hint=hint_of(problem.code))


def _write(sums: NoteTotals) -> WrittenPart | tuple[Problem, ...]:
    return service_note.write(sums.note)


def _enclose(_: NoteTotals, written: WrittenPart, signature: Signature, __: Issuance) -> SignedDocument:
    return service_note.enclose(written, signature)


def _preview(sums: NoteTotals, text: bytes) -> Preview:
    return NotePreview(sums, estimated_total(sums), text)


_MAKER = DocumentMaker(
    compose=compose,
    judge=judge_note,
    write=_write,
    enclose=_enclose,
    in_root=service_note.in_root,
    check=service_note.check,
    preview=_preview,
    combine=combine,
)

review = _MAKER.review
issue = _MAKER.issue


identity_of_declaration = partial(signed_identity, re.compile(rb'<infDPS [^>]*?Id="(DPS[0-9A-Z]{42})"'))
"""Reads the Id and the moment of a DPS that we wrote."""


def authorized_note(_signed: bytes, note: bytes) -> bytes:
    """Returns the NFS-e as the authority issued it, which contains our DPS and has legal force alone."""
    return note
