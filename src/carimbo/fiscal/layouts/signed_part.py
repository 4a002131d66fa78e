"""The signed part of a document or message."""

from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from carimbo.fiscal.identity.signature import NAMESPACE as DSIG
from carimbo.fiscal.identity.signature import Signer
from carimbo.fiscal.layouts import json_form, layout
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.problems import Problem


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """The part as bytes, ready to be signed."""

    tag: str
    namespace: str
    id: str
    attributes: bytes
    content: bytes = field(repr=False)

    @property
    def canonical(self) -> bytes:
        """The canonical form of the part alone: it repeats the namespace that the root declares."""
        return self._after(f'<{self.tag} xmlns="{self.namespace}"')

    @property
    def inside(self) -> bytes:
        """The part as it appears inside of the root."""
        return self._after(f"<{self.tag}")

    def _after(self, opening: str) -> bytes:
        return b"".join((opening.encode(), self.attributes, b">", self.content, f"</{self.tag}>".encode()))


def write_part(record: Any, namespace: str) -> WrittenPart:
    """Writes a group with an Id; raises `Unwritable`."""
    attributes, content = layout.attributes_xml(record), layout.content_xml(record)
    return WrittenPart(layout_of(record).tag, namespace, record.id, attributes.encode(), content.encode())


def try_write_part(record: Any, namespace: str) -> WrittenPart | tuple[Problem, ...]:
    """Writes a group with an Id, or returns the problems of all values that can't be written."""
    try:
        return write_part(record, namespace)
    except Unwritable:
        return tuple(json_form.unwritable_values(record))


def signed_message(root: str, version: str, part: WrittenPart, signer: Signer) -> bytes:
    """Signs a part and returns the message: the root with part and signature."""
    opening = f'<{root} xmlns="{part.namespace}" versao="{version}">'
    signature = signer.sign(part.canonical, part.id)
    return b"".join((opening.encode(), part.inside, signature.text, f"</{root}>".encode()))


def without_signature(document: bytes) -> bytes:
    """Returns the canonical text of a signed document without its signature."""
    root = etree.fromstring(document)
    for signature in root.findall(f"{{{DSIG}}}Signature"):
        root.remove(signature)
    return etree.tostring(root, method="c14n")
