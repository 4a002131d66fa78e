"""The XML of an NF-e: composed, judged, written, signed and held against the XSD."""

from carimbo.fiscal.document_type import Issuance, Review
from carimbo.fiscal.documents.nfe.document import compose
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.goods.draft import Draft, drafted, finished, reviewed
from carimbo.fiscal.layouts.nfe_v4.document import enclose
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument


def review(request: NfeRequest, issuance: Issuance) -> Review:
    """Tell everything that would keep the document from being issued, and what is assumed."""
    draft = drafted(compose, request, issuance)
    return reviewed(draft, _signed(draft, issuance), issuance) if isinstance(draft, Draft) else draft


def issue(request: NfeRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Make the signed document that the authority gets, or tell everything that keeps it from being made."""
    draft = drafted(compose, request, issuance)
    return finished(draft, _signed(draft, issuance), issuance) if isinstance(draft, Draft) else draft.problems


def _signed(draft: Draft, issuance: Issuance) -> SignedDocument:
    return enclose(draft.written, issuance.signer.sign(draft.written.canonical, draft.written.id))
