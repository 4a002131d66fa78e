"""The part of a document or a message that its signature is about."""

from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from carimbo.fiscal.layouts import paths, records
from carimbo.fiscal.layouts.canonical import Unwritable
from carimbo.fiscal.layouts.layout import layout_of
from carimbo.fiscal.problems import Problem
from carimbo.fiscal.signature import NAMESPACE as DSIG
from carimbo.fiscal.signature import Signer


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """Such a part as bytes, ready to be signed."""

    tag: str
    namespace: str
    id: str
    attributes: bytes
    content: bytes = field(repr=False)

    @property
    def canonical(self) -> bytes:
        """What C14N makes of it alone: the namespace that the root declares is repeated."""
        return self._after(f'<{self.tag} xmlns="{self.namespace}"')

    @property
    def inside(self) -> bytes:
        """What stands in the root."""
        return self._after(f"<{self.tag}")

    def _after(self, opening: str) -> bytes:
        return b"".join((opening.encode(), self.attributes, b">", self.content, f"</{self.tag}>".encode()))


def part_of(record: Any, namespace: str) -> WrittenPart:
    """Write a group that has an Id, or raise `Unwritable`."""
    attributes, content = records.attributes(record), records.content(record)
    return WrittenPart(layout_of(record).tag, namespace, record.id, attributes.encode(), content.encode())


def written_part(record: Any, namespace: str) -> WrittenPart | tuple[Problem, ...]:
    """Write a group that has an Id, or tell every value that can't be written."""
    try:
        return part_of(record, namespace)
    except Unwritable:
        return tuple(paths.problems(record))


def signed_message(root: str, version: str, part: WrittenPart, signer: Signer) -> bytes:
    """Sign a part and enclose it, with its signature, in the root of its message."""
    opening = f'<{root} xmlns="{part.namespace}" versao="{version}">'
    signature = signer.sign(part.canonical, part.id)
    return b"".join((opening.encode(), part.inside, signature.text, f"</{root}>".encode()))


def without_signature(document: bytes) -> bytes:
    """Returns the canonical text of a document as it was before it was signed."""
    root = etree.fromstring(document)
    for signature in root.findall(f"{{{DSIG}}}Signature"):
        root.remove(signature)
    return etree.tostring(root, method="c14n")
