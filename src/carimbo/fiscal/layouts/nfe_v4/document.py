"""The bytes of a whole NF-e or NFC-e: written, signed, and held against the XSD."""

from lxml import etree

from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.layouts.reading import read
from carimbo.fiscal.layouts.signed_part import WrittenPart, written_part
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import Signature
from carimbo.fiscal.signed_document import SignedDocument

_PREFIX = "NFe"
_ROOT = f'<NFe xmlns="{NAMESPACE}">'.encode()


def write(invoice: Invoice) -> WrittenPart | tuple[Problem, ...]:
    """Write the document, or tell every value that can't be written."""
    return written_part(invoice, NAMESPACE)


def enclose(written: WrittenPart, signature: Signature, supplement: bytes = b"") -> SignedDocument:
    """Put document, supplement and signature in their root."""
    return SignedDocument(
        xml=in_root(written, supplement, signature.text),
        access_key=written.id.removeprefix(_PREFIX),
        digest_value=signature.digest_value,
    )


def in_root(written: WrittenPart, *beside: bytes) -> bytes:
    """Put a document in its root, with what is to stand beside it."""
    return b"".join((_ROOT, written.inside, *beside, b"</NFe>"))


def read_invoice(document: bytes) -> Invoice:
    """Read a whole document back, or raise `Unreadable`."""
    (content,) = etree.fromstring(document).iter(f"{{{NAMESPACE}}}infNFe")
    return read(Invoice, content)


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Hold a signed document against the official XSD."""
    return schemas.problems(Schema.NFE, etree.fromstring(document.xml), Invoice)
