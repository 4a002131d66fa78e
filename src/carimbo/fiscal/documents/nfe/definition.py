"""What carimbo knows of the NF-e."""

from carimbo.fiscal.document_type import DocumentType, Issuing
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.documents.nfe.xml import issue, review
from carimbo.fiscal.goods.hints import hint_for_rejection

NFE = DocumentType(
    name="nfe",
    title="NF-e",
    settings=NfeSettings,
    issuing=Issuing(NfeRequest, review, issue, hint_for_rejection),
)
