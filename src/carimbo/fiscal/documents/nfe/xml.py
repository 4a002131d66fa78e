"""The XML of an NF-e: composed, written, signed and held against the XSD."""

from carimbo.fiscal.document_type import Issuance
from carimbo.fiscal.documents.nfe.document import compose
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.layouts.nfe_v4.document import check, enclose, write
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument


def issue(request: NfeRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Make the signed document that the authority gets, or tell everything that keeps it from being made."""
    invoice = compose(request, issuance.company, issuance.emission, issuance.software)
    if isinstance(invoice, tuple):
        return invoice
    written = write(invoice)
    if isinstance(written, tuple):
        return written
    document = enclose(written, issuance.signer.sign(written.canonical, written.id))
    return check(document, issuance.schemas) or document
