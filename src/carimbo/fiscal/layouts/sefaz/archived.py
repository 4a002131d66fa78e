"""Stored files, read for printing: the protocol of a document, an event with its registration."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Self, TypeVar

from lxml import etree

from carimbo.fiscal.layouts.reading import UnreadableDocument
from carimbo.fiscal.layouts.sefaz.dialect import Dialect
from carimbo.fiscal.problems import quoted
from carimbo.fiscal.xml_reading import read_xml

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ArchivedPart:
    """An element of a file; its parts are found at any depth, by official name."""

    element: etree._Element
    dialect: Dialect

    def part(self, *tags: str) -> Self | None:
        """Returns the first part at the end of a path of tags."""
        steps = "/".join(f"{{{self.dialect.namespace}}}{tag}" for tag in tags)
        element = self.element.find(f".//{steps}")
        return None if element is None else type(self)(element, self.dialect)

    def text(self, tag: str) -> str | None:
        """Returns the text of a part; None if it is missing or empty."""
        element = next(self.element.iter(f"{{{self.dialect.namespace}}}{tag}"), None)
        return None if element is None or not element.text else element.text.strip()

    def required(self, tag: str) -> str:
        """Returns the text of a part, or raises `UnreadableDocument`."""
        text = self.text(tag)
        if text is None:
            raise UnreadableDocument(f"O campo {tag} não está no XML.")
        return text

    def parsed(self, tag: str, parse: Callable[[str], T]) -> T:
        """Returns the value of a part, or raises `UnreadableDocument`."""
        text = self.required(tag)
        try:
            return parse(text)
        except (ValueError, ArithmeticError):
            raise UnreadableDocument(f"O campo {tag} não pode ser lido: {quoted(text)}.") from None


@dataclass(frozen=True, slots=True)
class ArchivedProtocol:
    """The authority's answer to a document or event, with its moment."""

    number: str | None
    at: datetime
    code: str
    message: str
    notice: str | None = None
    """A notice that the authority wants shown to the recipient (xMsg)."""


@dataclass(frozen=True, slots=True)
class ArchivedEvent:
    """An event of a document, and its registration."""

    access_key: str
    event_type: str
    sequence: int
    environment: str
    occurred_at: datetime
    description: str
    detail: ArchivedPart
    """`detEvento`, which differs from type to type."""
    protocol: ArchivedProtocol


def read_root(dialect: Dialect, file: bytes) -> ArchivedPart:
    """Opens a file; raises `UnreadableXml`."""
    return ArchivedPart(read_xml(file), dialect)


def read_protocol(root: ArchivedPart) -> ArchivedProtocol | None:
    """Reads the protocol of a document; None if it is not authorized yet."""
    information = root.part("infProt")
    return None if information is None else _protocol(information, "dhRecbto")


def read_archived_event(dialect: Dialect, file: bytes) -> ArchivedEvent:
    """Reads an event's file; raises `UnreadableDocument`."""
    root = read_root(dialect, file)
    event = root.part(dialect.event_tag, "infEvento")
    detail = event and event.part("detEvento")
    registration = root.part(dialect.event_answer_tag, "infEvento")
    if event is None or detail is None or registration is None:
        raise UnreadableDocument("O XML não tem um evento com seu registro.")
    return ArchivedEvent(
        access_key=event.required(dialect.key_tag),
        event_type=event.required("tpEvento"),
        sequence=event.parsed("nSeqEvento", int),
        environment=event.required("tpAmb"),
        occurred_at=event.parsed("dhEvento", datetime.fromisoformat),
        description=detail.required("descEvento"),
        detail=detail,
        protocol=_protocol(registration, "dhRegEvento"),
    )


def _protocol(information: ArchivedPart, moment_tag: str) -> ArchivedProtocol:
    return ArchivedProtocol(
        number=information.text("nProt"),
        at=information.parsed(moment_tag, datetime.fromisoformat),
        code=information.required("cStat"),
        message=information.text("xMotivo") or "",
        notice=information.text("xMsg"),
    )
