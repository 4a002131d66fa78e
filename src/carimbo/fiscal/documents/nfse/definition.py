"""What carimbo knows of the NFS-e."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.nfse.settings import NfseSettings

NFSE = DocumentType(
    name="nfse",
    title="NFS-e",
    model="",
    settings=NfseSettings,
    collection="nfse",
    last_number=999_999_999_999_999,
    namespace="invoices",
    event_prefix="nfse",
)
