"""What carimbo knows of the NFC-e."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfce.settings import NfceSettings

NFCE = DocumentType(
    name="nfce",
    title="NFC-e",
    settings=NfceSettings,
    feature="nfceEmission",
    secret_settings=("csc", "homologation.csc"),
)
