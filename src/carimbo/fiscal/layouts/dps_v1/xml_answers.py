"""The XML inside answers of the national environment: the note, or the event, that it registered.

Nothing is asked of it but what a caller acts on: a note that the authority issued is issued, however oddly
the rest of it is written.
"""

from dataclasses import dataclass
from typing import Self

from lxml import etree

from carimbo.fiscal.layouts.answer_part import AnswerPart
from carimbo.fiscal.layouts.dps_v1.packing import unpacked
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from carimbo.fiscal.outcome import NotJudged, unexpected, unreadable
from carimbo.fiscal.signature import NAMESPACE as DSIG
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml, root_alone

_DIGEST = "/".join(f"{{{DSIG}}}{tag}" for tag in ("Signature", "SignedInfo", "Reference", "DigestValue"))


@dataclass(frozen=True, slots=True)
class XmlPart(AnswerPart):
    """One element of a document that the authority made."""

    @property
    def namespace(self) -> str:
        """The namespace of NFS-e."""
        return NAMESPACE

    def at(self, element: etree._Element) -> Self:
        """Wraps another element of the same document."""
        return type(self)(element)

    @property
    def id(self) -> str:
        """Its identifier."""
        return self.element.get("Id", "")

    @property
    def digest(self) -> str | None:
        """The digest in the signature that stands in it."""
        found = self.element.find(_DIGEST)
        return None if found is None else XmlPart(found).own_text or None


@dataclass(frozen=True, slots=True)
class AuthorityXml:
    """A document that the authority made, as it is kept."""

    xml: bytes
    """Without a declaration."""
    root: XmlPart


def open_xml(text: str, tag: str) -> AuthorityXml | NotJudged:
    """Open a packed document of this name."""
    xml = unpacked(text)
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
