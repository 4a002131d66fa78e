"""CT-e OS, model 67: persons, valuables, excess baggage."""

from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.module_settings import ModuleSettings


class CteOsSettings(ModuleSettings):
    """Series and next number."""


CTE_OS = SettingsModule(
    name="cteOs",
    title="CT-e OS",
    model="67",
    settings=CteOsSettings,
    event_prefix="cte",
    event_group="cte",
    feature="cteEmission",
)
