"""The pipeline of every document type: compose, judge, write, sign, and check against the XSD."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Preview, Review
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import NOTHING_BROKEN, Judgement
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signed_documents import SignedDocument

RequestT = TypeVar("RequestT")
DocumentT = TypeVar("DocumentT")
ComposedT_co = TypeVar("ComposedT_co", covariant=True)

Problems = tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Composition(Generic[ComposedT_co]):
    """A composed document, the problems that left parts of it out, and the assumptions made."""

    document: ComposedT_co
    """None if too much is missing for any rule to be checked."""
    problems: Problems
    warnings: tuple[str, ...]
    has_gaps: bool = False
    """Whether parts are missing: the rest is judged, but the document is not written."""


def judge_no_text(text: bytes) -> Judgement:
    """Returns an empty judgement, for types without rules about the whole text."""
    return NOTHING_BROKEN


@dataclass(frozen=True, slots=True)
class DocumentMaker(Generic[RequestT, DocumentT]):
    """Makes the documents of a type; the fields are the steps that differ between types."""

    compose: Callable[[RequestT, Issuance], Composition[DocumentT | None]]
    judge: Callable[[DocumentT, RequestT, Issuance], Judgement]
    """Checks a document against the authority's rules."""
    write: Callable[[DocumentT], WrittenPart | Problems]
    """Writes the part that is signed, or returns every value that can't be written."""
    enclose: Callable[[DocumentT, WrittenPart, Signature, Issuance], SignedDocument | Problems]
    """Puts part and signature into the root, with any further elements such as a QR code."""
    in_root: Callable[[WrittenPart], bytes]
    """Puts a part into the root without a signature."""
    check: Callable[[SignedDocument, Schemas], Problems]
    """Checks a signed document against the XSD."""
    preview: Callable[[DocumentT, bytes], Preview]
    """Returns the preview of a document and its text, signed or not."""
    combine: Callable[[Problems, Judgement, Problems], Judgement]
    """Merges the problems of composing, rules and layout, without those that follow from others."""
    judge_text: Callable[[bytes], Judgement] = judge_no_text
    """Judges the whole text. Only reviews use its problems: a document is reviewed before it is issued."""

    def review(self, request: RequestT, issuance: Issuance) -> Review:
        """Returns all reasons why the document can't be issued, and the assumptions made."""
        draft = self._make(request, issuance)
        if isinstance(draft, Review):
            return draft
        judged = self.judge_text(draft.text)
        preview = self.preview(draft.document, draft.text)
        return Review(draft.problems + judged.problems, draft.warnings + judged.warnings, preview)

    def issue(self, request: RequestT, issuance: Issuance) -> SignedDocument | Problems:
        """Returns the signed document for the authority, or all problems that prevent it."""
        draft = self._make(request, issuance)
        if isinstance(draft, Review) or draft.problems or draft.signed is None:
            return draft.problems
        warnings = draft.warnings + self.judge_text(draft.text).warnings
        return replace(draft.signed, warnings=warnings) if warnings else draft.signed

    def _make(self, request: RequestT, issuance: Issuance) -> "_WrittenDocument[DocumentT] | Review":
        """Runs all steps; returns a review if the document can't be composed or written."""
        composed = self.compose(request, issuance)
        document = composed.document
        judged = NOTHING_BROKEN if document is None else self.judge(document, request, issuance)
        if document is None or composed.has_gaps:
            return self._combined(composed, judged)
        written = self.write(document)
        if isinstance(written, tuple):
            return self._combined(composed, judged, written)

        signature = issuance.signer.sign(written.canonical, written.id)
        enclosed = self.enclose(document, written, signature, issuance)
        if isinstance(enclosed, tuple):
            review = self._combined(composed, judged)
            problems = review.problems + enclosed
            return _WrittenDocument(document, None, self.in_root(written), problems, review.warnings)
        review = self._combined(composed, judged, self.check(enclosed, issuance.schemas))
        return _WrittenDocument(document, enclosed, enclosed.xml, review.problems, review.warnings)

    def _combined(
        self, composed: Composition[DocumentT | None], judged: Judgement, layout: Problems = ()
    ) -> Review:
        if composed.problems or judged.problems or layout:
            judged = self.combine(composed.problems, judged, layout)
        return Review(judged.problems, composed.warnings + judged.warnings)


@dataclass(frozen=True, slots=True)
class _WrittenDocument(Generic[DocumentT]):
    """A composed document with its XML."""

    document: DocumentT
    signed: SignedDocument | None
    """None if part and signature could not be put into the root."""
    text: bytes
    problems: Problems
    warnings: tuple[str, ...]
