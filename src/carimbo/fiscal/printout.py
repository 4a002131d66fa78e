"""Print jobs: a document or an event of its history, as PDF."""

from dataclasses import dataclass
from enum import StrEnum


class PaperSize(StrEnum):
    """The size of the paper that a document is printed on."""

    A4 = "a4"
    ROLL_80 = "80mm"
    ROLL_58 = "58mm"


@dataclass(frozen=True, slots=True)
class DocumentPrint:
    """A document to print."""

    type: str
    """The name of its type in the registry."""
    xml: bytes
    """The file with legal force; for a document that was issued offline, only the signed document."""
    paper: PaperSize
    is_canceled: bool = False
    is_replaced: bool = False
    """Whether another document replaced it."""
    logo: bytes | None = None
    """The logo of the issuer: a PNG with 8 bits in RGB, not transparent and not interlaced."""
    events: tuple[bytes, ...] = ()
    """The files of the registered events of the document, in order, for types that print them."""
    is_closed: bool = False
    """Whether the transport has ended, for a closing that is known without its file."""


@dataclass(frozen=True, slots=True)
class EventPrint:
    """An event of a document to print."""

    type: str
    document: bytes
    """The file of the document."""
    event: bytes
    """The event with its registration."""
    logo: bytes | None = None
