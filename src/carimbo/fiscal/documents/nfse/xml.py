"""The XML of a DPS: composed, judged, written, signed and held against the XSD."""

from dataclasses import dataclass, replace
from typing import cast

from carimbo.fiscal.document_type import Issuance, Review
from carimbo.fiscal.documents.nfse.document import compose
from carimbo.fiscal.documents.nfse.hints import hint_for_rejection
from carimbo.fiscal.documents.nfse.preview import NotePreview
from carimbo.fiscal.documents.nfse.request import NfseRequest
from carimbo.fiscal.documents.nfse.settings import NfseSettings
from carimbo.fiscal.documents.nfse.total_due import estimated_total
from carimbo.fiscal.documents.nfse.totals import NoteTotals
from carimbo.fiscal.layouts.dps_v1.document import check, enclose, in_root, write
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.problems import SCHEMA_PROBLEM, Problem
from carimbo.fiscal.signed_document import SignedDocument

# What Sefin says of a document that its XSD refuses.
_SCHEMA_CODE = "E1235"


@dataclass(frozen=True, slots=True)
class _Made:
    """A declaration that could be written."""

    sums: NoteTotals
    written: WrittenPart
    signed: SignedDocument
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...]


def review(request: NfseRequest, issuance: Issuance) -> Review:
    """Tell everything that would keep the document from being issued, and what is assumed."""
    made = _made(request, issuance)
    if isinstance(made, Review):
        return made
    preview = NotePreview(made.sums, estimated_total(made.sums), in_root(made.written))
    return Review(made.problems, made.warnings, preview)


def issue(request: NfseRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Make the signed document that the authority gets, or tell everything that keeps it from being made."""
    made = _made(request, issuance)
    if isinstance(made, Review):
        return made.problems
    return made.problems or replace(made.signed, warnings=made.warnings)


def _made(request: NfseRequest, issuance: Issuance) -> _Made | Review:
    composed = compose(request, issuance, cast(NfseSettings, issuance.settings))
    if composed.sums is None:
        return Review(_told(composed.problems), composed.warnings)
    written = write(composed.sums.note)
    if isinstance(written, tuple):
        return Review(_told((*composed.problems, *written)), composed.warnings)
    signed = enclose(written, issuance.signer.sign(written.canonical, written.id))
    found = (*composed.problems, *check(signed, issuance.schemas))
    return _Made(composed.sums, written, signed, _told(found), composed.warnings)


def _told(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The same problems with this authority's code for what its XSD refuses, and with what to change."""
    coded = (replace(one, code=_SCHEMA_CODE) if one.code == SCHEMA_PROBLEM else one for one in problems)
    return tuple(one if one.hint else replace(one, hint=_hint(one)) for one in coded)


def _hint(problem: Problem) -> str | None:
    """The sentence for a code; that of the XSD's would tell nothing of the field."""
    hint = None if problem.code == _SCHEMA_CODE else hint_for_rejection(problem.code, "")
    return hint.sentence if hint else None
