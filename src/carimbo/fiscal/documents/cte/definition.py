"""What carimbo knows of the CT-e."""

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.documents.cte.settings import CteSettings

CTE = DocumentType(
    name="cte",
    title="CT-e",
    model="57",
    settings=CteSettings,
    collection="cte",
    namespace="cte",
    event_prefix="cte",
    event_group="cte",
    feature="cteEmission",
)
