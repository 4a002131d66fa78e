"""The settings of a company for MDF-e."""

from carimbo.fiscal.module_settings import ModuleSettings


class MdfeSettings(ModuleSettings):
    """Series and next number."""
