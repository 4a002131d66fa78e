"""What carimbo knows of the NF-e."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfe.settings import NfeSettings

NFE = DocumentType(name="nfe", title="NF-e", settings=NfeSettings)
