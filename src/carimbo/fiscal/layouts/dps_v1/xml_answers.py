"""The XML inside answers of the national environment: the note, or the event, that it registered.

Nothing is asked of it but what a caller acts on: a note that the authority issued is issued, however oddly
the rest of it is written.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from lxml import etree

from carimbo.fiscal.layouts.dps_v1.json_answers import unexpected, unreadable
from carimbo.fiscal.layouts.dps_v1.packing import unpacked
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE
from carimbo.fiscal.outcome import NotJudged
from carimbo.fiscal.signature import NAMESPACE as DSIG
from carimbo.fiscal.xml_reading import UnreadableXml, read_xml, root_alone

_MOMENT = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+(?:Z|[+-][0-9:]+)?")
_BRASILIA = timezone(timedelta(hours=-3))
_DIGEST = "/".join(f"{{{DSIG}}}{tag}" for tag in ("Signature", "SignedInfo", "Reference", "DigestValue"))


@dataclass(frozen=True, slots=True)
class XmlPart:
    """One element of a document that the authority made."""

    element: etree._Element

    def part(self, *tags: str) -> "XmlPart | None":
        """The first part at the end of a path of tags."""
        found = self.element.find("/".join(f"{{{NAMESPACE}}}{tag}" for tag in tags))
        return None if found is None else XmlPart(found)

    def text(self, tag: str) -> str:
        """The text of a part without the white space around it; empty if it is missing."""
        found = self.part(tag)
        return found.own_text if found else ""

    def matching(self, tag: str, pattern: re.Pattern[str]) -> str | None:
        """The text of a part if it looks as it should."""
        text = self.text(tag)
        return text if pattern.fullmatch(text) else None

    def moment(self, tag: str) -> datetime | None:
        """The date and time in a part; without an offset, against the XSD, it is taken as Brasília's."""
        try:
            value = datetime.fromisoformat(self.matching(tag, _MOMENT) or "")
        except ValueError:
            return None
        return value if value.tzinfo else value.replace(tzinfo=_BRASILIA)

    @property
    def own_text(self) -> str:
        """The text of this part; none if it holds anything else, as half a number is another number."""
        return "" if len(self.element) else (self.element.text or "").strip()

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
    if root.tag != f"{{{NAMESPACE}}}{tag}":
        return unexpected(f"{root.tag} em vez de {tag}")
    return AuthorityXml(root_alone(xml), XmlPart(root))
