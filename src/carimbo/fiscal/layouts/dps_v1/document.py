"""The bytes of a whole DPS: written, signed, and held against the XSD."""

from lxml import etree

from carimbo.fiscal.layouts.dps_v1.service_note import NAMESPACE, VERSION, ServiceNote
from carimbo.fiscal.layouts.reading import read
from carimbo.fiscal.layouts.signed_part import WrittenPart, written_part
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signature
from carimbo.fiscal.signed_document import SignedDocument

_ROOT = f'<DPS xmlns="{NAMESPACE}" versao="{VERSION}">'.encode()


def write(note: ServiceNote) -> WrittenPart | tuple[Problem, ...]:
    """Write the declaration, or tell every value that can't be written."""
    return written_part(note, NAMESPACE)


def enclose(written: WrittenPart, signature: Signature) -> SignedDocument:
    """Put declaration and signature in their root; its Id is the key until the authority gives one."""
    return SignedDocument(
        xml=in_root(written, signature.text),
        access_key=written.id,
        digest_value=signature.digest_value,
    )


def in_root(written: WrittenPart, *beside: bytes) -> bytes:
    """Put a declaration in its root, with what is to stand beside it."""
    return b"".join((_ROOT, written.inside, *beside, b"</DPS>"))


def read_note(document: bytes) -> ServiceNote:
    """Read a whole declaration back, or raise `Unreadable`."""
    (content,) = etree.fromstring(document).iter(f"{{{NAMESPACE}}}infDPS")
    return read(ServiceNote, content)


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Hold a signed declaration against the official XSD."""
    return schemas.problems(Schema.NFSE_DPS, etree.fromstring(document.xml), ServiceNote)
