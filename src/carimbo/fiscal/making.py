"""How a document is made: composed, judged, written, signed and checked against the XSD, for every type."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from carimbo.fiscal.issuance import Issuance, Preview, Review
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.rules import NOTHING_BROKEN, Judgement
from carimbo.fiscal.schemas import Schemas
from carimbo.fiscal.signature import Signature
from carimbo.fiscal.signed_document import SignedDocument

RequestT = TypeVar("RequestT")
DocumentT = TypeVar("DocumentT")
ComposedT_co = TypeVar("ComposedT_co", covariant=True)

Problems = tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Composition(Generic[ComposedT_co]):
    """A typed document, what keeps parts of it from being made, and what was assumed in making it."""

    document: ComposedT_co
    """None if too much is missing to judge anything."""
    problems: Problems
    warnings: tuple[str, ...]
    has_gaps: bool = False
    """Whether parts are missing: the document is judged as far as it goes, but not written."""


def judge_no_text(text: bytes) -> Judgement:
    """Says nothing of a text: for types without rules about it."""
    return NOTHING_BROKEN


@dataclass(frozen=True, slots=True)
class DocumentMaker(Generic[RequestT, DocumentT]):
    """Makes the documents of one type; the fields are what differs between types."""

    compose: Callable[[RequestT, Issuance], Composition[DocumentT | None]]
    judge: Callable[[DocumentT, RequestT, Issuance], Judgement]
    """Checks a document against the authority's rules."""
    write: Callable[[DocumentT], WrittenPart | Problems]
    """Writes the part that is signed, or returns every value that can't be written."""
    enclose: Callable[[DocumentT, WrittenPart, Signature, Issuance], SignedDocument | Problems]
    """Puts part and signature into the root, with all that comes beside them, as a QR code."""
    in_root: Callable[[WrittenPart], bytes]
    """Puts a part into the root without a signature."""
    check: Callable[[SignedDocument, Schemas], Problems]
    """Checks a signed document against the XSD."""
    preview: Callable[[DocumentT, bytes], Preview]
    """Returns what is shown of a document and its text, signed or not."""
    combine: Callable[[Problems, Judgement, Problems], Judgement]
    """Returns what to report of what composing, rules and layout found, without what follows from others."""
    judge_text: Callable[[bytes], Judgement] = judge_no_text
    """Judges the whole text. Its problems are for reviews alone: what is issued has been reviewed."""

    def review(self, request: RequestT, issuance: Issuance) -> Review:
        """Returns everything that would keep the document from being issued, and what is assumed."""
        made = self._make(request, issuance)
        if isinstance(made, Review):
            return made
        judged = self.judge_text(made.text)
        preview = self.preview(made.document, made.text)
        return Review(made.problems + judged.problems, made.warnings + judged.warnings, preview)

    def issue(self, request: RequestT, issuance: Issuance) -> SignedDocument | Problems:
        """Makes the signed document that the authority gets, or returns all that keeps it from being made."""
        made = self._make(request, issuance)
        if isinstance(made, Review) or made.problems or made.signed is None:
            return made.problems
        warnings = made.warnings + self.judge_text(made.text).warnings
        return replace(made.signed, warnings=warnings) if warnings else made.signed

    def _make(self, request: RequestT, issuance: Issuance) -> "_Made[DocumentT] | Review":
        """Goes through all steps; ends with a review if the document can't be judged or written."""
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
            return _Made(document, None, self.in_root(written), review.problems + enclosed, review.warnings)
        review = self._combined(composed, judged, self.check(enclosed, issuance.schemas))
        return _Made(document, enclosed, enclosed.xml, review.problems, review.warnings)

    def _combined(
        self, composed: Composition[DocumentT | None], judged: Judgement, layout: Problems = ()
    ) -> Review:
        combined = self.combine(composed.problems, judged, layout)
        return Review(combined.problems, composed.warnings + combined.warnings)


@dataclass(frozen=True, slots=True)
class _Made(Generic[DocumentT]):
    """A document that could be written."""

    document: DocumentT
    signed: SignedDocument | None
    """None if it could not be enclosed."""
    text: bytes
    problems: Problems
    warnings: tuple[str, ...]
