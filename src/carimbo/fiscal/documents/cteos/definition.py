"""The CT-e OS as a document type."""

from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.documents.cteos.settings import CteOsSettings

CTE_OS = SettingsModule(
    name="cteOs",
    title="CT-e OS",
    model="67",
    settings=CteOsSettings,
    event_prefix="cte",
    event_group="cte",
    feature="cteEmission",
)
