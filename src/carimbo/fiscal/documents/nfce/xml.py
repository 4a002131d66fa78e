"""The XML of an NFC-e: composed, written, signed, given its QR code and held against the XSD."""

from carimbo.fiscal.document_type import Issuance
from carimbo.fiscal.documents.nfce.document import compose
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfce.signed_xml import Expected, check_signed_xml
from carimbo.fiscal.documents.nfce.supplement import csc_of, supplement_of
from carimbo.fiscal.layouts.nfe_v4.document import check, enclose, write
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_document import SignedDocument
from carimbo.fiscal.tables.nfce_addresses import known_nfce_addresses


def issue(request: NfceRequest, issuance: Issuance) -> SignedDocument | tuple[Problem, ...]:
    """Make the signed receipt that the authority gets, or tell everything that keeps it from being made."""
    if request.signed_xml is not None:
        return _as_signed(request, request.signed_xml, issuance)
    invoice = compose(request, issuance.company, issuance.emission, issuance.software)
    if isinstance(invoice, tuple):
        return invoice
    written = write(invoice)
    if isinstance(written, tuple):
        return written
    signature = issuance.signer.sign(written.canonical, written.id)
    settings = _settings(issuance)
    supplement = supplement_of(invoice, issuance.emission, settings, signature, issuance.signer)
    if isinstance(supplement, tuple):
        return supplement
    document = enclose(written, signature, supplement)
    return check(document, issuance.schemas) or document


def _as_signed(
    request: NfceRequest, signed_xml: str, issuance: Issuance
) -> SignedDocument | tuple[Problem, ...]:
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
        return checked
    return SignedDocument(checked.element, str(checked.access_key), checked.digest_value)


def _settings(issuance: Issuance) -> NfceSettings:
    return NfceSettings.model_validate(issuance.settings)
