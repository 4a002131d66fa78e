"""What carimbo knows of the MDF-e."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.mdfe.settings import MdfeSettings

MDFE = DocumentType(
    name="mdfe",
    title="MDF-e",
    model="58",
    settings=MdfeSettings,
    collection="mdfe",
    namespace="mdfe",
    event_prefix="mdfe",
    event_group="mdfe",
    feature="mdfeEmission",
)
