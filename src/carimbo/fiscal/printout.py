"""What is asked of a printer: a document, or something that was told of it, on paper."""

from dataclasses import dataclass
from enum import StrEnum


class Paper(StrEnum):
    """What a document may be printed on."""

    A4 = "a4"
    ROLL_80 = "80mm"
    ROLL_58 = "58mm"


@dataclass(frozen=True, slots=True)
class DocumentPrint:
    """A document to be put on paper."""

    type: str
    """The name of its type in the registry."""
    xml: bytes
    """The file that has legal force; of one that was issued offline, the signed document alone."""
    paper: Paper
    is_canceled: bool = False
    is_replaced: bool = False
    """Whether it was canceled because another document took its place."""
    logo: bytes | None = None
    """The issuer's: a PNG of 8 bits in RGB, without transparency and not interlaced."""


@dataclass(frozen=True, slots=True)
class EventPrint:
    """An event of a document's history to be put on paper."""

    type: str
    document: bytes
    """The file of the document that it is about."""
    event: bytes
    """The event with its registration."""
    logo: bytes | None = None
