"""Parts of the national environment's answers: JSON objects, and the packed XML documents inside them.

Unknown or unexpected members are ignored. The services spell member names differently (`idDps`, `idDPS`,
`Codigo`), so names are compared without regard to case."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from lxml import etree

from carimbo.fiscal.identity.signature import NAMESPACE as DSIG
from carimbo.fiscal.layouts.answer_part import AnswerPart
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from carimbo.fiscal.layouts.packed import pack, unpack
from carimbo.fiscal.outcome import Cause, NotJudged, one_line, unexpected, unreadable
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml, root_alone

# A packed note or event has about 20 kB.
_MAX_BODY_BYTES = 4_000_000
_WEB_PAGE = re.compile(rb"\s*<")
_MARKUP = re.compile(r"<[^>]*>")
_EXCERPT_BYTES = 2_000

_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>'
_DIGEST = "/".join(f"{{{DSIG}}}{tag}" for tag in ("Signature", "SignedInfo", "Reference", "DigestValue"))


@dataclass(frozen=True, slots=True)
class JsonPart:
    """One object of an answer, with its member names in lower case."""

    members: dict[str, Any]

    @classmethod
    def of(cls, value: dict[str, Any]) -> "JsonPart":
        """Wraps a decoded object."""
        return cls({name.lower(): member for name, member in value.items()})

    def text(self, name: str) -> str:
        """Returns a text or number in one line, without unprintable characters; empty if it is missing."""
        value = self.members.get(name.lower())
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            return ""
        shown = "".join(letter if letter.isprintable() else " " for letter in str(value))
        return " ".join(shown.split())

    def matching(self, name: str, pattern: re.Pattern[str]) -> str | None:
        """Returns a text that matches the whole pattern, or None."""
        text = self.text(name)
        return text if pattern.fullmatch(text) else None

    def packed(self, name: str) -> str:
        """Returns the text of a packed document unchanged; empty if it is missing."""
        value = self.members.get(name.lower())
        return value if isinstance(value, str) else ""

    def parts(self, name: str) -> "list[JsonPart]":
        """Returns the objects under a name, whether it holds one object or a list."""
        value = self.members.get(name.lower())
        values = value if isinstance(value, list) else [value]
        return [JsonPart.of(member) for member in values if isinstance(member, dict)]


def read_object(body: bytes, limit: int = _MAX_BODY_BYTES) -> JsonPart | NotJudged:
    """Returns the JSON object of an answer, or `NotJudged` with an excerpt of anything else."""
    if not body.strip():
        return NotJudged(cause=Cause.EMPTY, detail="resposta vazia")
    if _WEB_PAGE.match(body):
        return NotJudged(cause=Cause.HTML, detail=excerpt(body))
    try:
        value = json.loads(body, parse_float=Decimal) if len(body) <= limit else None
    except (ValueError, RecursionError):
        value = None
    if value is None:
        return unreadable(f"não é JSON: {excerpt(body)}")
    return JsonPart.of(value) if isinstance(value, dict) else unexpected(f"JSON sem objeto: {excerpt(body)}")


def excerpt(body: bytes) -> str:
    """Returns the beginning of a body as one line of text without markup, for messages and logs."""
    return one_line(_MARKUP.sub(" ", body[:_EXCERPT_BYTES].decode(errors="replace")))


def pack_xml(xml: bytes) -> str:
    """Returns signed XML as base64 of gzip, with the XML declaration that the stored bytes lack."""
    return pack(_DECLARATION + xml)


@dataclass(frozen=True, slots=True)
class XmlPart(AnswerPart):
    """One element of a document that the authority wrote."""

    @property
    def namespace(self) -> str:
        """The namespace of NFS-e."""
        return NAMESPACE

    def at(self, element: etree._Element) -> Self:
        """Wraps another element of the same document."""
        return type(self)(element)

    @property
    def id(self) -> str:
        """The attribute `Id`."""
        return self.element.get("Id", "")

    @property
    def digest(self) -> str | None:
        """The digest value of the signature inside this element."""
        digest = self.element.find(_DIGEST)
        return None if digest is None else XmlPart(digest).own_text or None


@dataclass(frozen=True, slots=True)
class AuthorityXml:
    """A document that the authority wrote, as it is stored."""

    xml: bytes
    """Without an XML declaration."""
    root: XmlPart


def open_xml(text: str, tag: str) -> AuthorityXml | NotJudged:
    """Returns a packed document with this root element.

    Only the elements that a caller acts on are read later: a note that the authority issued is issued,
    however oddly the rest of it is written.
    """
    xml = unpack(text)
    if xml is None:
        return unreadable(f"{tag} ausente ou ilegível em base64 e gzip")
    try:
        root = read_xml(xml)
    except UnreadableXml as reason:
        return unreadable(f"{tag}: {reason}")
    part = XmlPart(root)
    if root.tag != part.qualified(tag):
        return unexpected(f"{root.tag} em vez de {tag}")
    return AuthorityXml(root_alone(xml), part)
