"""The root element of a transport document: the signed part, the QR code and the signature."""

from typing import Any, NamedTuple

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.layouts.signed_part import WrittenPart, try_write_part
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument


class DocumentRoot(NamedTuple):
    """The tags of a root element, and what its documents are written with."""

    opening: bytes
    closing: bytes
    namespace: str
    id_prefix: str
    """The letters before the access key in the Id of the signed part."""

    def write(self, document: Any) -> WrittenPart | tuple[Problem, ...]:
        """Returns the signed part, or a problem for every value that can't be written."""
        return try_write_part(document, self.namespace)

    def around(self, written: WrittenPart, *beside: bytes) -> bytes:
        """Returns a document in its root element, followed by other elements."""
        return b"".join((self.opening, written.inside, *beside, self.closing))

    def enclose(self, written: WrittenPart, signature: Signature, supplement: bytes) -> SignedDocument:
        """Returns document, supplement (with the QR code) and signature in the root element."""
        return SignedDocument(
            xml=self.around(written, supplement, signature.text),
            access_key=written.id.removeprefix(self.id_prefix),
            digest_value=signature.digest_value,
        )
