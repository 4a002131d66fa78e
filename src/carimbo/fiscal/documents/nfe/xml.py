"""The XML of an NF-e: composed, judged, written, signed and held against the XSD."""

from carimbo.fiscal.document_type import Issuance, Review
from carimbo.fiscal.documents.nfe.document import compose
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.draft import Draft, drafted, finished, outcome, reviewed
from carimbo.fiscal.layouts.nfe_v4.document import enclose
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument


def review(request: NfeRequest, issuance: Issuance) -> Review:
    """Tell everything that would keep the document from being issued, and what is assumed."""
    return reviewed(_made(request, issuance))


def issue(request: NfeRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Make the signed document that the authority gets, or tell everything that keeps it from being made."""
    return outcome(_made(request, issuance))


def _made(request: NfeRequest, issuance: Issuance) -> SignedDocument | Review:
    composed = compose(request, issuance.company, issuance.emission, issuance.software)
    draft = drafted(composed, request, issuance)
    if not isinstance(draft, Draft):
        return draft
    signature = issuance.signer.sign(draft.written.canonical, draft.written.id)
    return finished(draft, enclose(draft.written, signature), issuance)
