"""What carimbo knows of the CT-e OS."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.cteos.settings import CteOsSettings

CTE_OS = DocumentType(
    name="cteOs",
    title="CT-e OS",
    model="67",
    settings=CteOsSettings,
    collection="cte-os",
    namespace="cte",
    event_prefix="cte",
    event_group="cte",
    feature="cteEmission",
)
