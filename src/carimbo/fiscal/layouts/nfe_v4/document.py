"""The bytes of a whole NF-e or NFC-e: written, signed, and held against the XSD."""

from dataclasses import dataclass, field

from lxml import etree

from carimbo.fiscal.layouts import group, paths
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.nfe_v4.invoice import NAMESPACE, Invoice
from carimbo.fiscal.layouts.reading import read
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.signature import NAMESPACE as DSIG
from carimbo.fiscal.signature import Signature
from carimbo.fiscal.signed_document import SignedDocument

_PREFIX = "NFe"
_ROOT = f'<NFe xmlns="{NAMESPACE}">'.encode()
_SIGNED = f'<infNFe xmlns="{NAMESPACE}"'.encode()


@dataclass(frozen=True, slots=True)
class WrittenInvoice:
    """`infNFe` as bytes, ready to be signed."""

    id: str
    attributes: bytes
    content: bytes = field(repr=False)

    @property
    def canonical(self) -> bytes:
        """What C14N makes of it alone: the namespace that the root declares is repeated."""
        return b"".join((_SIGNED, self.attributes, b">", self.content, b"</infNFe>"))


def write(invoice: Invoice) -> WrittenInvoice | tuple[Problem, ...]:
    """Write the document, or tell every value that can't be written."""
    try:
        attributes, content = group.attributes(invoice), group.content(invoice)
    except Unwritable:
        return tuple(paths.problems(invoice))
    return WrittenInvoice(invoice.id, attributes.encode(), content.encode())


def enclose(written: WrittenInvoice, signature: Signature, supplement: bytes = b"") -> SignedDocument:
    """Put document, supplement and signature in their root."""
    return SignedDocument(
        xml=in_root(written, supplement, signature.text),
        access_key=written.id.removeprefix(_PREFIX),
        digest_value=signature.digest_value,
    )


def in_root(written: WrittenInvoice, *beside: bytes) -> bytes:
    """Put a document in its root, with what is to stand beside it."""
    content = b"<infNFe", written.attributes, b">", written.content, b"</infNFe>"
    return b"".join((_ROOT, *content, *beside, b"</NFe>"))


def without_signature(document: bytes) -> bytes:
    """The canonical text of a document as it was before somebody signed it."""
    root = etree.fromstring(document)
    for signature in root.findall(f"{{{DSIG}}}Signature"):
        root.remove(signature)
    return etree.tostring(root, method="c14n")


def read_invoice(document: bytes) -> Invoice:
    """Read a whole document back, or raise `Unreadable`."""
    (content,) = etree.fromstring(document).iter(f"{{{NAMESPACE}}}infNFe")
    return read(Invoice, content)


def check(document: SignedDocument, schemas: Schemas) -> tuple[Problem, ...]:
    """Hold a signed document against the official XSD."""
    return schemas.problems(Schema.NFE, etree.fromstring(document.xml), Invoice)
