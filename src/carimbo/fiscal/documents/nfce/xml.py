"""The XML of an NFC-e: composed, judged, signed, given its QR code and held against the XSD."""

from dataclasses import replace

from carimbo.fiscal.document_type import Issuance, Review
from carimbo.fiscal.documents.nfce.contingency import offline_warnings
from carimbo.fiscal.documents.nfce.document import compose
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfce.signed_xml import CheckedXml, Expected, check_signed_xml
from carimbo.fiscal.documents.nfce.supplement import csc_of, supplement_of
from carimbo.fiscal.goods.draft import Draft, Signed, drafted, finished, reviewed
from carimbo.fiscal.goods.preview import InvoicePreview
from carimbo.fiscal.goods.rules.case import Case
from carimbo.fiscal.goods.rules.judging import judged
from carimbo.fiscal.layouts.nfe_v4.document import enclose, read_invoice
from carimbo.fiscal.layouts.reading import Unreadable
from carimbo.fiscal.local_time import beginning_of
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.tables.nfce_addresses import known_nfce_addresses


def review(request: NfceRequest, issuance: Issuance) -> Review:
    """Tell everything that would keep the receipt from being issued, and what is assumed."""
    found = _reviewed(request, issuance)
    return replace(found, warnings=(*found.warnings, *offline_warnings(request, issuance)))


def _reviewed(request: NfceRequest, issuance: Issuance) -> Review:
    if request.signed_xml is not None:
        checked = _checked(request, request.signed_xml, issuance)
        return Review(checked) if isinstance(checked, tuple) else _as_signed(checked, request, issuance)
    draft = drafted(compose, request, issuance)
    return reviewed(draft, _signed(draft, issuance), issuance) if isinstance(draft, Draft) else draft


def issue(request: NfceRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Make the signed receipt that the authority gets, or tell everything that keeps it from being made."""
    if request.signed_xml is not None:
        checked = _checked(request, request.signed_xml, issuance)
        return checked if isinstance(checked, tuple) else _taken_over(checked, request, issuance)
    draft = drafted(compose, request, issuance)
    return finished(draft, _signed(draft, issuance), issuance) if isinstance(draft, Draft) else draft.problems


def _signed(draft: Draft, issuance: Issuance) -> Signed:
    signature = issuance.signer.sign(draft.written.canonical, draft.written.id)
    supplement = supplement_of(
        draft.invoice, issuance.emission, _settings(issuance), signature, issuance.signer
    )
    return supplement if isinstance(supplement, tuple) else enclose(draft.written, signature, supplement)


def _checked(request: NfceRequest, signed_xml: str, issuance: Issuance) -> CheckedXml | tuple[Problem, ...]:
    company, environment = issuance.company, issuance.emission.environment
    expected = Expected(
        tax_id=company.tax_id,
        environment=environment,
        access_key=request.access_key,
        number=request.number,
        series=request.series,
        issued_at=request.issued_at and beginning_of(request.issued_at, company.address.state),
        csc=csc_of(_settings(issuance), environment),
        addresses=known_nfce_addresses(company.address.state, environment),
    )
    return check_signed_xml(signed_xml.encode(), expected, issuance.schemas)


def _taken_over(checked: CheckedXml, request: NfceRequest, issuance: Issuance) -> SignedDocument:
    """The point of sale's own XML, not changed by a byte."""
    warnings = _as_signed(checked, request, issuance).warnings
    return SignedDocument(checked.element, checked.access_key, checked.digest_value, warnings)


def _as_signed(checked: CheckedXml, request: NfceRequest, issuance: Issuance) -> Review:
    """What the rules say of the receipt; it is in the buyer's hands, so nothing of that keeps it back."""
    try:
        invoice = read_invoice(checked.element)
    except Unreadable as reason:
        return Review(warnings=(f"signedXml: {reason}",))
    case = Case(invoice, request, issuance.company, issuance.now, is_composed=False)
    warnings = tuple(f"signedXml: {sentence}" for sentence in judged(case).sentences)
    return Review(warnings=warnings, preview=InvoicePreview(invoice, checked.element))


def _settings(issuance: Issuance) -> NfceSettings:
    return NfceSettings.model_validate(issuance.settings)
