"""The settings of a company for CT-e OS."""

from carimbo.fiscal.module_settings import ModuleSettings


class CteOsSettings(ModuleSettings):
    """Series and next number."""
