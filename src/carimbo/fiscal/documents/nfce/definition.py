"""What carimbo knows of the NFC-e."""

from carimbo.fiscal.document_type import DocumentType, Issuing
from carimbo.fiscal.documents.nfce.contingency import printed_emission
from carimbo.fiscal.documents.nfce.request import NfceRequest
from carimbo.fiscal.documents.nfce.settings import NfceSettings
from carimbo.fiscal.documents.nfce.xml import issue, review
from carimbo.fiscal.goods.hints import hint_for_rejection

NFCE = DocumentType(
    name="nfce",
    title="NFC-e",
    settings=NfceSettings,
    issuing=Issuing(NfceRequest, review, issue, hint_for_rejection, printed_emission),
    feature="nfceEmission",
    secret_settings=("csc", "homologation.csc"),
)
