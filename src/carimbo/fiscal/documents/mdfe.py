"""MDF-e, model 58: cargo manifest."""

from carimbo.fiscal.document_type import SettingsModule
from carimbo.fiscal.module_settings import ModuleSettings


class MdfeSettings(ModuleSettings):
    """Series and next number."""


MDFE = SettingsModule(
    name="mdfe",
    title="MDF-e",
    model="58",
    settings=MdfeSettings,
    event_prefix="mdfe",
    event_group="mdfe",
    feature="mdfeEmission",
)
