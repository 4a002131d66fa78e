"""The XML of an NFC-e: composed, judged, signed, given its QR code and held against the XSD."""

from lxml import etree

from carimbo.fiscal.document_type import Issuance, Review
from carimbo.fiscal.documents.nfce.document import compose
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfce.signed_xml import Expected, check_signed_xml
from carimbo.fiscal.documents.nfce.supplement import csc_of, supplement_of
from carimbo.fiscal.goods.draft import Draft, drafted, finished, outcome, reviewed
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.judging import judged
from carimbo.fiscal.layouts.nfe_v4.document import enclose
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.layouts.reading import Unreadable, read
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.tables.nfce_addresses import known_nfce_addresses


def review(request: NfceRequest, issuance: Issuance) -> Review:
    """Tell everything that would keep the receipt from being issued, and what is assumed."""
    return reviewed(_made(request, issuance))


def issue(request: NfceRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Make the signed receipt that the authority gets, or tell everything that keeps it from being made."""
    return outcome(_made(request, issuance))


def _made(request: NfceRequest, issuance: Issuance) -> SignedDocument | Review:
    if request.signed_xml is not None:
        return _as_signed(request, request.signed_xml, issuance)
    composed = compose(request, issuance.company, issuance.emission, issuance.software)
    draft = drafted(composed, request, issuance)
    if not isinstance(draft, Draft):
        return draft
    return finished(draft, _signed(draft, issuance), issuance)


def _signed(draft: Draft, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    signature = issuance.signer.sign(draft.written.canonical, draft.written.id)
    supplement = supplement_of(
        draft.invoice, issuance.emission, _settings(issuance), signature, issuance.signer
    )
    return supplement if isinstance(supplement, tuple) else enclose(draft.written, signature, supplement)


def _as_signed(request: NfceRequest, signed_xml: str, issuance: Issuance) -> SignedDocument | Review:
    """Take the point of sale's own XML, checked and not changed by a byte."""
    company, environment = issuance.company, issuance.emission.environment
    expected = Expected(
        tax_id=company.tax_id,
        environment=environment,
        access_key=request.access_key,
        number=request.number,
        series=request.series,
        issued_at=request.issued_at,
        csc=csc_of(_settings(issuance), environment),
        addresses=known_nfce_addresses(company.address.state, environment),
    )
    checked = check_signed_xml(signed_xml.encode(), expected, issuance.schemas)
    if isinstance(checked, tuple):
        return Review(checked)
    warnings = _warnings_of(checked.element, request, issuance)
    return SignedDocument(checked.element, checked.access_key, checked.digest_value, warnings)


def _warnings_of(xml: bytes, request: NfceRequest, issuance: Issuance) -> tuple[str, ...]:
    """What the rules say of the receipt; it is in the buyer's hands, so nothing of that keeps it back."""
    (content,) = etree.fromstring(xml).iter(f"{{{NAMESPACE}}}infNFe")
    try:
        invoice = read(Invoice, content)
    except Unreadable as reason:
        return (f"signedXml: {reason}",)
    case = Case(invoice, request, issuance.company, issuance.now, is_composed=False)
    return tuple(f"signedXml: {sentence}" for sentence in judged(case).sentences)


def _settings(issuance: Issuance) -> NfceSettings:
    return NfceSettings.model_validate(issuance.settings)
