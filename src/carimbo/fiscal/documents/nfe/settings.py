"""A company's settings for NF-e."""

from carimbo.fiscal.document_type import ModuleSettings


class NfeSettings(ModuleSettings):
    """Series and next number."""
