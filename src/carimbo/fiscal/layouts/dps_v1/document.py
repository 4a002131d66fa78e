"""The bytes of a whole DPS: written, signed, and held against the XSD."""

from dataclasses import dataclass, field

from lxml import etree

from carimbo.fiscal.layouts import group, paths
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, VERSION, ServiceNote
from carimbo.fiscal.layouts.reading import read
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signature
from carimbo.fiscal.signed_document import SignedDocument

_ROOT = f'<DPS xmlns="{NAMESPACE}" versao="{VERSION}">'.encode()
_SIGNED = f'<infDPS xmlns="{NAMESPACE}"'.encode()


@dataclass(frozen=True, slots=True)
class WrittenNote:
    """`infDPS` as bytes, ready to be signed."""

    id: str
    attributes: bytes
    content: bytes = field(repr=False)

    @property
    def canonical(self) -> bytes:
        """What C14N makes of it alone: the namespace that the root declares is repeated."""
        return b"".join((_SIGNED, self.attributes, b">", self.content, b"</infDPS>"))


def write(note: ServiceNote) -> WrittenNote | tuple[Problem, ...]:
    """Write the declaration, or tell every value that can't be written."""
    try:
        attributes, content = group.attributes(note), group.content(note)
    except Unwritable:
        return tuple(paths.problems(note))
    return WrittenNote(note.id, attributes.encode(), content.encode())


def enclose(written: WrittenNote, signature: Signature) -> SignedDocument:
    """Put declaration and signature in their root; its Id is the key until the authority gives one."""
    return SignedDocument(
        xml=in_root(written, signature.text),
        access_key=written.id,
        digest_value=signature.digest_value,
    )


def in_root(written: WrittenNote, *beside: bytes) -> bytes:
    """Put a declaration in its root, with what is to stand beside it."""
    content = b"<infDPS", written.attributes, b">", written.content, b"</infDPS>"
    return b"".join((_ROOT, *content, *beside, b"</DPS>"))


def read_note(document: bytes) -> ServiceNote:
    """Read a whole declaration back, or raise `Unreadable`."""
    (content,) = etree.fromstring(document).iter(f"{{{NAMESPACE}}}infDPS")
    return read(ServiceNote, content)


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Hold a signed declaration against the official XSD."""
    return schemas.problems(Schema.NFSE_DPS, etree.fromstring(document.xml), ServiceNote)
