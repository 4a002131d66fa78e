"""When a stored document is sent to the authority, for types that may only be stored first."""

from enum import StrEnum


class Transmit(StrEnum):
    """When a document is sent to the authority."""

    NOW = "now"
    LATER = "later"
