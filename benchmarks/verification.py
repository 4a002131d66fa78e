"""Proof that the benchmark measures real documents: each is valid by the XSD and correctly signed."""

import sys
from collections.abc import Sequence
from pathlib import Path

from carimbo.fiscal.identity.signature import verify
from carimbo.fiscal.schemas import Schema, Schemas
from carimbo.fiscal.xml_reading import read_xml

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from xmlsec1 import xmlsec1_accepts

SHOWN_TO_XMLSEC1 = 20
_END = b"</NFe>"


class Refused(Exception):
    """A document of the benchmark that an authority would refuse."""


def verify_all(messages: Sequence[bytes]) -> None:
    """Hold the document in every SOAP text against the XSD and its signature, some against xmlsec1 too."""
    verify_documents([_document_in(message) for message in messages], Schema.NFE, "infNFe")


def verify_documents(documents: Sequence[bytes], schema: Schema, signed_tag: str) -> None:
    """Hold every document against the XSD and its signature, some against xmlsec1 too."""
    schemas = Schemas()
    for document in documents:
        root = read_xml(document)
        if problems := schemas.problems(schema, root):
            raise Refused(f"{problems[0].path} {problems[0].message}")
        verify(root)
    step = max(len(documents) // SHOWN_TO_XMLSEC1, 1)
    if not all(xmlsec1_accepts(document, signed_tag) for document in documents[::step][:SHOWN_TO_XMLSEC1]):
        raise Refused("xmlsec1 does not accept a signature")


def _document_in(message: bytes) -> bytes:
    """The document as it was signed, without the namespaces of what is around it."""
    return message[message.index(b"<NFe") : message.index(_END) + len(_END)]
