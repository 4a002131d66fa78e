"""A company's settings for CT-e OS."""

from carimbo.fiscal.document_type import ModuleSettings


class CteOsSettings(ModuleSettings):
    """Series and next number."""
