"""A company's settings for NF-e."""

from carimbo.fiscal.module_settings import ModuleSettings


class NfeSettings(ModuleSettings):
    """Series and next number."""
