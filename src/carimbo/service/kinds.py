"""Which document type a stored row is of."""

from collections.abc import Mapping

from carimbo.fiscal.document_type import DocumentType, SettingsModule
from carimbo.fiscal.registry import DOCUMENT_TYPES, MODULES

_BY_NAME: Mapping[str, DocumentType] = {kind.name: kind for kind in DOCUMENT_TYPES}
_MODULES: Mapping[str, SettingsModule] = {module.name: module for module in MODULES}


def find_kind(name: str) -> DocumentType | None:
    """Returns the document type of a row that may be damaged; None if there is no such type."""
    return _BY_NAME.get(name)


def last_number_of(name: str) -> int:
    """Returns the last number of a series, also of a module that can't be issued yet."""
    return _MODULES[name].numbering.last_number


def types_in(collection: str) -> tuple[str, ...]:
    """Returns the names of the types whose documents are read in a collection."""
    return tuple(kind.name for kind in DOCUMENT_TYPES if kind.read_collection == collection)


def is_numbered_by_authority(name: str) -> bool:
    """Returns whether the authority numbers the documents of a stored type; an unknown type's are ours."""
    kind = find_kind(name)
    return kind is not None and kind.numbering.is_by_authority


def kind_named(name: str) -> DocumentType:
    """The document type of a stored row."""
    return _BY_NAME[name]
