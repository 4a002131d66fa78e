"""What carimbo knows of the CT-e."""

from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.documents.cte.settings import CteSettings

CTE = SettingsModule(
    name="cte",
    title="CT-e",
    model="57",
    settings=CteSettings,
    event_prefix="cte",
    event_group="cte",
    feature="cteEmission",
)
