"""A company's settings for MDF-e."""

from carimbo.fiscal.document_type import ModuleSettings


class MdfeSettings(ModuleSettings):
    """Series and next number."""
