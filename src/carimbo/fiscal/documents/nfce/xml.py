"""The signed XML of an NFC-e, with its QR code: made here, or by the point of sale."""

from dataclasses import replace

from carimbo.fiscal.documents.nfce.contingency import offline_warnings
from carimbo.fiscal.documents.nfce.document import compose
from carimbo.fiscal.documents.nfce.qr import csc_of, supplement_of
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfce.signed_xml import CheckedXml, ExpectedReceipt, check_signed_xml
from carimbo.fiscal.goods.making import goods_maker
from carimbo.fiscal.goods.preview import InvoicePreview
from carimbo.fiscal.goods.rules.judging import judge_document
from carimbo.fiscal.goods.rules.rule import RuleInput
from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.issuance import Issuance, Review
from carimbo.fiscal.layouts.nfe_v4.invoice import Invoice, enclose, read_invoice
from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.layouts.signed_part import WrittenPart
from carimbo.fiscal.local_time import beginning_of
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument
from carimbo.fiscal.tables.authorities import all_nfce_addresses


def _enclose(
    invoice: Invoice, written: WrittenPart, signature: Signature, issuance: Issuance
) -> SignedDocument | tuple[Problem, ...]:
    """Puts the receipt, its QR code and its signature into the root."""
    settings = _settings(issuance)
    supplement = supplement_of(invoice, issuance.emission, settings, signature, issuance.signer)
    return supplement if isinstance(supplement, tuple) else enclose(written, signature, supplement)


_MAKER = goods_maker(compose, _enclose)


def review(request: NfceRequest, issuance: Issuance) -> Review:
    """Returns all problems that prevent the receipt from being issued, and the warnings."""
    if request.signed_xml is None:
        reviewed = _MAKER.review(request, issuance)
    else:
        checked = _checked(request, request.signed_xml, issuance)
        reviewed = Review(checked) if isinstance(checked, tuple) else _as_signed(checked, request, issuance)
    return replace(reviewed, warnings=(*reviewed.warnings, *offline_warnings(request, issuance)))


def issue(request: NfceRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Returns the signed receipt: made here, or signed by the point of sale and unchanged."""
    if request.signed_xml is None:
        return _MAKER.issue(request, issuance)
    checked = _checked(request, request.signed_xml, issuance)
    if isinstance(checked, tuple):
        return checked
    warnings = _as_signed(checked, request, issuance).warnings
    return SignedDocument(checked.element, checked.access_key, checked.digest_value, warnings)


def _checked(request: NfceRequest, signed_xml: str, issuance: Issuance) -> CheckedXml | tuple[Problem, ...]:
    company, environment = issuance.company, issuance.emission.environment
    expected = ExpectedReceipt(
        tax_id=company.tax_id,
        environment=environment,
        access_key=request.access_key,
        number=request.number,
        series=request.series,
        issued_at=request.issued_at and beginning_of(request.issued_at, company.address.state),
        csc=csc_of(_settings(issuance), environment),
        addresses=all_nfce_addresses(company.address.state, environment),
    )
    return check_signed_xml(signed_xml.encode(), expected, issuance.schemas)


def _as_signed(checked: CheckedXml, request: NfceRequest, issuance: Issuance) -> Review:
    """Returns the results of the rules as warnings: the buyer has the receipt already."""
    try:
        invoice = read_invoice(checked.element)
    except UnreadableDocument as reason:
        return Review(warnings=(f"signedXml: {reason}",))
    case = RuleInput(invoice, request, issuance.company, issuance.now, is_composed=False)
    warnings = tuple(f"signedXml: {sentence}" for sentence in judge_document(case).sentences)
    return Review(warnings=warnings, preview=InvoicePreview(invoice, checked.element))


def _settings(issuance: Issuance) -> NfceSettings:
    return NfceSettings.model_validate(issuance.settings)
