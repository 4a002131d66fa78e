"""The root element of a CT-e or CT-e OS, with what stands in it beside the signed part."""

from typing import Any, NamedTuple

from carimbo.fiscal.identity.signature import Signature
from carimbo.fiscal.layouts.signed_part import WrittenPart, try_write_part
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signed_documents import SignedDocument

NAMESPACE = "http://www.portalfiscal.inf.br/cte"
"""Namespace of every message of CT-e and CT-e OS."""
MODE = f"{{{NAMESPACE}}}infModal"
"""The element around the data of the mode, which has an XSD of its own."""
_PREFIX = "CTe"


class WaybillRoot(NamedTuple):
    """The tags of a root element."""

    opening: bytes
    closing: bytes

    def around(self, written: WrittenPart, *beside: bytes) -> bytes:
        """Returns a document in its root element, followed by other elements."""
        return b"".join((self.opening, written.inside, *beside, self.closing))

    def enclose(self, written: WrittenPart, signature: Signature, supplement: bytes) -> SignedDocument:
        """Returns document, supplement (`infCTeSupl`) and signature in the root element."""
        return SignedDocument(
            xml=self.around(written, supplement, signature.text),
            access_key=written.id.removeprefix(_PREFIX),
            digest_value=signature.digest_value,
        )


def write(waybill: Any) -> WrittenPart | tuple[Problem, ...]:
    """Returns the written document, or a problem for every value that can't be written."""
    return try_write_part(waybill, NAMESPACE)
