"""Which document type a stored row is of."""

from collections.abc import Mapping

from carimbo.fiscal.document_type import DocumentType
from carimbo.fiscal.registry import DOCUMENT_TYPES

_BY_NAME: Mapping[str, DocumentType] = {kind.name: kind for kind in DOCUMENT_TYPES}


def kind_named(name: str) -> DocumentType:
    """The document type of a stored row."""
    return _BY_NAME[name]
