"""What carimbo knows of the NF-e."""

from carimbo.fiscal.document_type import DocumentType, Issuing
from carimbo.fiscal.documents.nfe.request import NfeRequest
from carimbo.fiscal.documents.nfe.settings import NfeSettings
from carimbo.fiscal.documents.nfe.xml import issue

NFE = DocumentType(name="nfe", title="NF-e", settings=NfeSettings, issuing=Issuing(NfeRequest, issue))
